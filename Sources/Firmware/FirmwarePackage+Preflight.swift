extension FirmwarePackage {
  /// Everything that is wrong or odd about the package, worst first. A job starts only when none is an error.
  public var complaints: [Complaint] {
    let all = images.flatMap { image in bodyComplaints(image) + useComplaints(image) } + unlistedFiles.map(unlisted)
    return all.filter { $0.severity == .error } + all.filter { $0.severity == .warning }
  }

  /// What keeps the package from being the one that a profile wants: another file than the pinned one, or another version.
  ///
  /// - Parameters:
  ///   - pinned: SHA-256 of the file in hexadecimal, in any case (`[firmware] sha256`).
  ///   - version: the wanted version (`[firmware] version`).
  public func complaints(pinned: String?, version: ImageVersion?) -> [Complaint] {
    var found: [Complaint] = []
    if let pinned, pinned.lowercased() != sha256.hex {
      let remedy = "put the released file there, or pin this one"
      found.append(Complaint(.error, .notPinned, "\(quoted(fileName)) has SHA-256 \(sha256.hex), the profile pins \(quoted(pinned.lowercased())): \(remedy)"))
    }
    if let version, let image = images.first, image.image.version != version {
      let message = "\(quoted(image.name)) has version \(image.image.version), the profile wants \(version): use the right package or change the profile"
      found.append(Complaint(.error, .otherVersion, message))
    }
    return found
  }

  /// Whether what the image says of itself is true.
  private func bodyComplaints(_ image: PackageImage) -> [Complaint] {
    let (name, mcuboot) = (quoted(image.name), image.image)
    var found: [Complaint] = []
    switch mcuboot.hashCheck {
    case .matches: break
    case .differs:
      let message = "\(name) does not have the \(mcuboot.hash.kind.rawValue) that it carries, so it is damaged: build or fetch it again"
      found.append(Complaint(.error, .hashDiffers, message))
    case .encrypted:
      let message = "\(name) is encrypted: its hash is of the plaintext and cannot be checked here, only the board can"
      found.append(Complaint(.warning, .hashUnchecked, message))
    }
    if mcuboot.hashCount > 1 {
      found.append(Complaint(.error, .hashTwice, "\(name) carries \(mcuboot.hashCount) hashes, boards refuse that: sign it again with imgtool"))
    }
    if !mcuboot.isSigned {
      found.append(Complaint(.warning, .unsigned, "\(name) is not signed: a bootloader that checks signatures will not start it"))
    }
    if mcuboot.isEncrypted, mcuboot.encryption == nil {
      found.append(Complaint(.error, .encryptionKeyMissing, "\(name) is marked as encrypted but carries no key: sign it again with imgtool --encrypt"))
    }
    if let listed = image.listing?.version, ImageVersion(listed) != mcuboot.version {
      let message = "\(name) has version \(mcuboot.version), manifest.json says \(quoted(listed)): build the package again"
      found.append(Complaint(.error, .versionDiffers, message))
    }
    return found
  }

  /// Whether a board can use it as it is.
  private func useComplaints(_ image: PackageImage) -> [Complaint] {
    let (name, mcuboot) = (quoted(image.name), image.image)
    var found: [Complaint] = []
    if mcuboot.isCompressed {
      let message = "\(name) is compressed, and boards then list another hash than the file's: this version does not flash those, sign without --compression"
      found.append(Complaint(.error, .compressed, message))
    }
    if mcuboot.flags.contains(.nonBootable) {
      found.append(Complaint(.warning, .nonBootable, "\(name) is marked as not bootable: the board will not start it as an application"))
    }
    if !mcuboot.flags.isDisjoint(with: [.romFixed, .ramLoad]) {
      let address = "0x" + String(mcuboot.loadAddress, radix: 16)
      found.append(Complaint(.warning, .fixedAddress, "\(name) is linked for the fixed address \(address): it fits Direct-XIP and RAM-load bootloaders only"))
    }
    let remedy = "upload the file that imgtool writes without --pad and --confirm"
    switch mcuboot.trailing {
    case .nothing: break
    case .padding(let bytes):
      found.append(Complaint(.warning, .trailingBytes, "\(name) has \(bytes) bytes of padding behind the image, which are uploaded too: \(remedy)"))
    case .trailer(let bytes, let confirmed):
      let what = "\(bytes) bytes with a slot trailer\(confirmed ? " marked confirmed" : "") behind the image"
      found.append(Complaint(.warning, .trailingBytes, "\(name) has \(what), which a board may take for its own marks: \(remedy)"))
    case .other(let bytes):
      found.append(Complaint(.warning, .trailingBytes, "\(name) has \(bytes) unknown bytes behind the image, which are uploaded too: check how it was built"))
    }
    return found
  }

  private func unlisted(_ file: String) -> Complaint {
    Complaint(.warning, .unlistedFile, "the archive holds \(quoted(file)), which manifest.json does not name: it is not used")
  }
}
