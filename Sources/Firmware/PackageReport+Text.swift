extension PackageReport {
  /// The report for people, one string a line.
  public var lines: [String] {
    var head = ["\(quoted(file)): \(kind.title), \(size) bytes" + (name.map { ", named \(quoted($0))" } ?? ""), "  SHA-256 of the file  \(sha256)"]
    if let formatVersion {
      head.append("  manifest     format-version \(formatVersion)" + (directXIP == true ? ", Direct-XIP: a board gets the build for its other slot" : ""))
    }
    return head + images.flatMap(\.lines) + (suit?.lines ?? []) + (parts ?? []).flatMap(\.lines) + complaints.map { "  \($0.severity.rawValue): \($0.message)" }
      + (complaints.isEmpty ? ["  no complaints"] : [])
  }
}

extension PackageReport.Kind {
  fileprivate var title: String {
    switch self {
    case .image: "MCUboot image"
    case .package: "Device Manager package"
    case .suit: "SUIT envelope"
    case .suitPackage: "SUIT package"
    case .nordicPackage: "Nordic DFU package"
    case .nordicImage: "image for Nordic DFU"
    }
  }
}

extension PackageReport.Image {
  fileprivate var lines: [String] {
    var lines = ["  image \(image), slot \(slot): \(quoted(name)), version \(version), \(size) bytes"]
    lines.append("    goes to      \(goesTo)")
    let checked = hashOK.map { $0 ? "matches" : "DOES NOT MATCH" } ?? "of the plaintext, not checked"
    lines.append("    hash         \(hashKind.rawValue) \(hash) (\(checked))")
    lines.append("    upload sha   \(sha256)")
    lines.append("    signature    " + (signature.map { $0 + (pureSignature ? ", pure" : "") } ?? "none"))
    if let keyHash { lines.append("    key hash     \(keyHash)") }
    if encrypted { lines.append("    encryption   \(encryption ?? "key missing")") }
    lines.append("    layout       header \(headerSize), body \(imageSize) bytes, load address 0x\(String(loadAddress, radix: 16))")
    if !flags.isEmpty { lines.append("    flags        \(flags.joined(separator: ", "))") }
    if let securityCounter { lines.append("    security counter \(securityCounter)") }
    lines += dependencies.map { "    needs        image \($0.image), at least \($0.version)" }
    lines.append("    entries      " + entries.map { "\($0.type)(\($0.size)\($0.protected ? ", protected" : ""))" }.joined(separator: " "))
    let listed = [("type", type), ("board", board), ("soc", soc), ("version", otherVersion), ("version_B0", b0Version)]
    let said = listed.compactMap { key, value in value.map { "\(key) \(quoted($0))" } }
    if !said.isEmpty { lines.append("    listed as    \(said.joined(separator: ", "))") }
    if oldFormat { lines.append("    format       from before MCUboot 1.0") }
    return lines
  }
}
