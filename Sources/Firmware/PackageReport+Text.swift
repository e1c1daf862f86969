extension PackageReport {
  /// The report for people, one string a line.
  public var lines: [String] {
    let head = ["\(quoted(file)): \(kind.title), \(size) bytes" + (name.map { ", named \(quoted($0))" } ?? ""), "  SHA-256 of the file  \(sha256)"]
    return head + images.flatMap(\.lines) + (parts ?? []).flatMap(\.lines) + complaints.map { "  \($0.severity.rawValue): \($0.message)" }
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
    if let board { lines.append("    board        \(quoted(board))" + (soc.map { ", \(quoted($0))" } ?? "")) }
    return lines
  }
}
