/// Whether a package is the one that a profile wants.
extension FirmwarePackage {
  /// What keeps the package from being the one that a profile wants: another file than the pinned one, another version, a package for other boards.
  ///
  /// - Parameters:
  ///   - pinned: SHA-256 of the file in hexadecimal, in any case (`[firmware] sha256`).
  ///   - version: the wanted version (`[firmware] version`), of the images with the lowest number.
  ///   - boards: the boards that the manifest may name (`[firmware] board`); empty is any. Compared up to the first `/`.
  ///   - socs: likewise for `soc`.
  ///   - allowsUnsigned: images without a signature are taken (`[firmware] allow_unsigned`).
  public func complaints(
    pinned: String?, version: ImageVersion?, boards: [String] = [], socs: [String] = [], allowsUnsigned: Bool = true
  ) -> [Complaint] {
    var found: [Complaint] = []
    if let pinned, pinned.lowercased() != sha256.hex {
      let remedy = "put the released file there, or pin this one"
      found.append(Complaint(.error, .notPinned, "\(quoted(fileName)) has SHA-256 \(sha256.hex), the profile pins \(quoted(pinned.lowercased())): \(remedy)"))
    }
    if let version { found += versionComplaints(version) }
    for image in images where !allowsUnsigned && !image.image.isSigned {
      let message = "\(quoted(image.name)) is not signed, and the profile does not allow that"
      found.append(Complaint(.error, .unsigned, "\(message): sign it with imgtool, or set [firmware] allow_unsigned = yes if the bootloader checks none"))
    }
    return found + placeComplaints(boards, .otherBoard, "board", \.board) + placeComplaints(socs, .otherSoC, "soc", \.soc)
  }

  private func versionComplaints(_ version: ImageVersion) -> [Complaint] {
    guard suit == nil else {
      let message = "a SUIT package has a sequence number and no version, the profile wants \(version): take [firmware] version out, pin it with sha256"
      return [Complaint(.error, .otherVersion, message)]
    }
    let lowest = images.lazy.filter { !$0.isBootloader }.map(\.number).min()
    return images.filter { $0.number == lowest && !$0.isBootloader && $0.image.version != version }.map { image in
      let message = "\(quoted(image.name)) has version \(image.image.version), the profile wants \(version): use the right package or change the profile"
      return Complaint(.error, .otherVersion, message)
    }
  }

  /// Compares what the manifest says of each file. What it does not say cannot be compared, which is said.
  private func placeComplaints(
    _ wanted: [String], _ subject: Complaint.Subject, _ key: String, _ listed: KeyPath<ListedFile, String?>
  ) -> [Complaint] {
    guard !wanted.isEmpty else { return [] }
    let allowed = Set(wanted.map(Self.family))
    let told = listedFiles.compactMap { file in file[keyPath: listed].map { (file, $0) } }
    guard !told.isEmpty else {
      let message = "\(quoted(fileName)) does not say for which \(key) it is, so that [firmware] \(key) of the profile cannot be checked"
      return [Complaint(.warning, .boardUnknown, "\(message): make sure that it is the right package")]
    }
    let others = told.filter { !allowed.contains(Self.family($0.1)) }.map { file, value in
      let message = "\(quoted(file.name)) is for \(key) \(quoted(value)), the profile is for \(wanted.map { quoted($0) }.joined(separator: ", "))"
      return Complaint(.error, subject, "\(message): use the package of this board, or change [firmware] \(key)")
    }
    let silent = listedFiles.filter { $0[keyPath: listed] == nil }.map { file in
      Complaint(.warning, .boardUnknown, "manifest.json does not say for which \(key) \(quoted(file.name)) is: make sure that it is the right one")
    }
    return others + silent
  }

  /// A board's name up to its first qualifier: the cores of one chip differ in what follows (`nrf5340dk/nrf5340/cpuapp`, `…/cpunet`).
  private static func family(_ board: String) -> Substring { board.prefix { $0 != "/" } }
}

/// What the manifest says of one file, whatever it is for.
public struct ListedFile: Hashable, Sendable {
  public let name: String
  public let type: String?
  public let board: String?
  public let soc: String?
  /// The manifest gives a number of an image or a partition.
  let namesImage: Bool
}
