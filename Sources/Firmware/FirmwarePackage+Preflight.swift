extension FirmwarePackage {
  /// Everything that is wrong or odd about the package, worst first. A job starts only when none is an error.
  public var complaints: [Complaint] {
    var all = images.flatMap { image in bodyComplaints(image) + useComplaints(image) + listingComplaints(image) }
    all += togetherComplaints + (suit?.complaints ?? []) + listedFiles.compactMap(unplaced) + unlistedFiles.map(unlisted)
    return all.filter { $0.severity == .error } + all.filter { $0.severity == .warning }
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
    return found
  }

  /// Whether a board can use it as it is.
  private func useComplaints(_ image: PackageImage) -> [Complaint] {
    let (name, mcuboot) = (quoted(image.name), image.image)
    var found: [Complaint] = []
    if mcuboot.isCompressed {
      let message = "\(name) is compressed, and boards then list another hash than the file's: jobs do not flash those, sign without --compression"
      found.append(Complaint(.error, .compressed, message))
    }
    if mcuboot.flags.contains(.nonBootable) {
      found.append(Complaint(.warning, .nonBootable, "\(name) is marked as not bootable: the board will not start it as an application"))
    }
    if mcuboot.isOldFormat {
      let message =
        "\(name) has the format before MCUboot 1.0 (magic number 0x96f3b83c): only boards with a bootloader as old take it, sign with a current imgtool"
      found.append(Complaint(.warning, .oldFormat, message))
    }
    if !mcuboot.flags.isDisjoint(with: [.romFixed, .ramLoad]), !hasOtherBuild(image), image.listing?.isXIP != true {
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

  /// Whether the manifest says the same as the image, and agrees with itself.
  private func listingComplaints(_ image: PackageImage) -> [Complaint] {
    guard let listing = image.listing else { return [] }
    let (name, again) = (quoted(image.name), "build the package again")
    var found: [Complaint] = []
    // A network core's `version` is of MCUboot's form, or the bare number that B0 counts by.
    let versions = [listing.version, listing.otherVersion.flatMap { $0.contains(".") ? $0 : nil }].compactMap { $0 }
    for listed in versions where ImageVersion(listed) != image.image.version {
      found.append(Complaint(.error, .versionDiffers, "\(name) has version \(image.image.version), manifest.json says \(quoted(listed)): \(again)"))
    }
    if let slot = listing.slot, slot >= 2, slot / 2 != image.number {
      let message =
        "\(name) is listed for slot \(slot), which is no slot of image \(image.number): slot \(image.slot) of that image is taken, \(again) if that is wrong"
      found.append(Complaint(.warning, .slotDiffers, message))
    }
    if let index = listing.slotIndex, index != 2 * image.number + 1 {
      let number = listing.namesImage ? "says image \(image.number)" : "names no image, so that it would be image 0"
      let message = "\(name) has slot_index_primary \(index), which is of image \(max(0, index - 1) / 2), and the manifest \(number): \(again)"
      found.append(Complaint(.error, .imageNumberDiffers, message))
    }
    if image.isBootloader {
      let message = "\(name) is a new bootloader: no image list says which of its builds a board needs or whether it took it, so that jobs do not flash it"
      found.append(Complaint(.error, .bootloaderUpdate, "\(message): use the application's package"))
    }
    return found
  }

  /// A cache without a partition goes to partition 0, as the Device Manager has it (facts/device-manager.md §3.3).
  private func unplaced(_ file: ListedFile) -> Complaint? {
    guard suit != nil, file.type == PackageArchive.cacheType, !file.namesImage else { return nil }
    return Complaint(.warning, .cacheUnplaced, "\(quoted(file.name)) is a cache without a partition: it goes to partition 0, check the manifest")
  }

  private func unlisted(_ file: String) -> Complaint {
    Complaint(.warning, .unlistedFile, "the archive holds \(quoted(file)), which manifest.json does not name: it is not used")
  }
}
