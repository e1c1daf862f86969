extension NordicPackage {
  /// Everything that is wrong or odd about the package itself, worst first. A job starts only when none is an error.
  public var complaints: [Complaint] {
    var all = parts.flatMap(\.complaints)
    if Set(parts.map(\.dfuProtocol)).count > 1 {
      let message = "the parts are made for different protocols: the second one goes only to a bootloader that the first one brings"
      all.append(Complaint(.warning, .mixedProtocols, message))
    }
    all += unlistedFiles.map { Complaint(.warning, .unlistedFile, "the archive holds \(quoted($0)), which no part names: it is not used") }
    return all.filter { $0.severity == .error } + all.filter { $0.severity == .warning }
  }

  /// What keeps the package from being the file that a profile or a catalogue pins.
  ///
  /// - Parameter pinned: SHA-256 of the file in hexadecimal, in any case.
  public func complaints(pinned: String?) -> [Complaint] {
    guard let pinned, pinned.lowercased() != sha256.hex else { return [] }
    let remedy = "put the released file there, or pin this one"
    return [Complaint(.error, .notPinned, "\(quoted(fileName)) has SHA-256 \(sha256.hex), \(quoted(pinned.lowercased())) is pinned: \(remedy)")]
  }
}

extension NordicPart {
  /// Whether the part agrees with itself: image, init packet, manifest (facts/nordic-dfu.md §4.4).
  var complaints: [Complaint] {
    imageComplaints + packetComplaints + listingComplaints
  }

  func error(_ subject: Complaint.Subject, _ what: String, _ remedy: String) -> Complaint {
    Complaint(.error, subject, "\(title) \(what): \(remedy)")
  }

  func warning(_ subject: Complaint.Subject, _ what: String, _ remedy: String) -> Complaint {
    Complaint(.warning, subject, "\(title) \(what): \(remedy)")
  }

  static let buildAgain = "build or fetch the package again"

  private var imageComplaints: [Complaint] {
    var found: [Complaint] = []
    if image.isEmpty { found.append(error(.imageEmpty, "is empty", Self.buildAgain)) }
    // Bootloaders write whole words (facts/nordic-dfu.md §2.5); SoftDevice and bootloader are counted apart.
    let lengths = kind == .softDeviceBootloader && !image.isEmpty ? [sizes.softDevice, sizes.bootloader, image.count] : [image.count]
    if let odd = lengths.first(where: { $0 % 4 != 0 }) {
      found.append(error(.lengthUnaligned, "has a length of \(odd) bytes, no multiple of 4", "no bootloader takes that: \(Self.buildAgain)"))
    }
    if let address, !kind.isSystem, address < IntelHex.softDeviceStart {
      let what = "begins at address \(address.hexText), where the master boot record is"
      found.append(error(.fixedAddress, what, "use the HEX file of the application alone, not a merged one"))
    }
    return found
  }

  private var packetComplaints: [Complaint] {
    switch parsed {
    case .legacy(let packet)?: packetComplaints(packet)
    case .secure(let packet)?: packetComplaints(packet)
    case nil:
      [
        warning(
          .initPacketMissing, "has no init packet", "only bootloaders of SDK 6.1 and older (without DFU Version) take it, others need nrfutil's zip")
      ]
    }
  }

  /// The manifest only describes; where it disagrees, the init packet counts, for that is what the board reads.
  private var listingComplaints: [Complaint] {
    guard let listing else { return [] }
    var differences: [String] = []
    switch parsed {
    case .legacy(let packet)?:
      guard let data = listing.initPacketData else { break }
      if let crc = packet.crc16, let other = data.crc16, other != UInt64(crc) { differences.append("firmware_crc16") }
      guard let header = packet.header else { break }
      if let type = data.deviceType, type != UInt64(header.deviceType) { differences.append("device_type") }
      if let revision = data.deviceRevision, revision != UInt64(header.deviceRevision) { differences.append("device_revision") }
      if let version = data.applicationVersion, version != UInt64(header.applicationVersion) { differences.append("application_version") }
      if let listed = data.softDevices, listed != header.softDevices.map({ UInt64($0.rawValue) }) { differences.append("softdevice_req") }
    case .secure(let packet)?:
      if let size = listing.softDeviceSize, size != packet.sizes.softDevice { differences.append("sd_size") }
      if let size = listing.bootloaderSize, size != packet.sizes.bootloader { differences.append("bl_size") }
    case nil: break
    }
    guard !differences.isEmpty else { return [] }
    let what = "has another \(differences.joined(separator: ", ")) in its init packet than in manifest.json"
    return [warning(.manifestDiffers, what, "the init packet counts, check how the package was made")]
  }
}
