extension NordicPart {
  /// A Legacy init packet against the image (facts/nordic-dfu.md §2.6).
  func packetComplaints(_ packet: LegacyInitPacket) -> [Complaint] {
    var found: [Complaint] = []
    if packet.paddedLength > LegacyInitPacket.largest {
      let what = "has an init packet of \(packet.length) bytes, and bootloaders take at most \(LegacyInitPacket.largest)"
      found.append(error(.initPacketLength, what, "list fewer SoftDevices"))
    }
    if let header = packet.header, header.softDevices.isEmpty {
      found.append(error(.initPacketIncomplete, "names no SoftDevice that it goes with", "bootloaders refuse that: make the package again with --sd-req"))
    }
    switch packet.extension {
    case .crc16(let crc, _):
      if crc != crc16 {
        found.append(
          error(.checksumDiffers, "has the CRC-16 \(crc16.hexText), its init packet names \(crc.hexText): it is damaged, or another's", Self.buildAgain))
      }
    case .sha256(let length, let hash), .signed(let length, let hash, _):
      found += hashComplaints(hash)
      switch length {
      case nil:
        found.append(warning(.initPacketIncomplete, "has an init packet without the image's length", "bootloaders of SDK 8 and newer refuse that"))
      case let length? where Int(length) != image.count:
        found.append(error(.sizesDiffer, "has \(image.count) bytes, its init packet says \(length)", Self.buildAgain))
      case _?: break
      }
    case .unknown(let bytes):
      let what = "has an init packet with \(bytes.count) bytes of unknown form behind the SoftDevices"
      found.append(warning(.hashUnchecked, what, "it cannot be compared with the image here, only the board can"))
    }
    if kind == .softDeviceBootloader {
      switch namedSizes {
      case nil:
        found.append(error(.sizesDiffer, "has no sd_size and bl_size in manifest.json, which the board must be told", Self.buildAgain))
      case let sizes? where sizes.total != image.count:
        let what = "has \(image.count) bytes, manifest.json says \(sizes.softDevice) + \(sizes.bootloader)"
        found.append(error(.sizesDiffer, what, Self.buildAgain))
      case _?: break
      }
    }
    return found
  }

  /// A Secure init packet against the image (facts/nordic-dfu.md §3.3, §3.6).
  func packetComplaints(_ packet: SecureInitPacket) -> [Complaint] {
    var found: [Complaint] = []
    if let hash = packet.hash.digest {
      found += hashComplaints(hash)
    } else if [SecureInitPacket.sha256Type, SecureInitPacket.sha512Type].contains(packet.hash.type) {
      found.append(error(.hashDiffers, "has an init packet with a hash of \(packet.hash.bytes.count) bytes, the wrong length", Self.buildAgain))
    } else {
      let what = "has an init packet with a hash of type \(packet.hash.type), and bootloaders take SHA-256 only"
      found.append(error(.hashUnchecked, what, "make the package again with nrfutil"))
    }
    if packet.sizes.total != image.count {
      found.append(error(.sizesDiffer, "has \(image.count) bytes, its init packet says \(packet.sizes.total)", Self.buildAgain))
    }
    let missing = packet.missingFields
    if !missing.isEmpty {
      let what = "has an init packet without \(missing.joined(separator: ", "))"
      found.append(error(.initPacketIncomplete, what, "bootloaders refuse that: make the package again with nrfutil"))
    }
    if let type = packet.type, !type.fits(kind) {
      found.append(error(.kindDiffers, "is, by its init packet, for \(type.text)", "make the package again, the manifest does not fit"))
    }
    switch packet.signature {
    case nil:
      found.append(warning(.unsigned, "is not signed", "only bootloaders that are built for debugging take it"))
    case let signature? where signature.bytes.count != 64:
      found.append(error(.initPacketIncomplete, "has a signature of \(signature.bytes.count) bytes instead of 64", "sign the package again with nrfutil"))
    case _?: break
    }
    if packet.isDebug {
      found.append(warning(.debugBuild, "is marked as a debug build", "bootloaders that are built for debugging do not check its versions"))
    }
    return found
  }

  private func hashComplaints(_ hash: Digest) -> [Complaint] {
    guard (hash.kind == .sha256 ? sha256 : try? Digest(hash.kind, of: image)) != hash else { return [] }
    return [error(.hashDiffers, "does not have the \(hash.kind.rawValue) that its init packet names, so it is damaged or another's", Self.buildAgain)]
  }
}

extension SecureInitPacket {
  /// What bootloaders demand and the packet does not have (facts/nordic-dfu.md §3.3, extended error 04).
  var missingFields: [String] {
    var missing: [String] = []
    if type == nil { missing.append("type") }
    if hwVersion == nil { missing.append("hw_version") }
    // Of a SoftDevice the version is its id.
    if fwVersion == nil, type != .softDevice { missing.append("fw_version") }
    return missing
  }
}

extension SecureInitPacket.ImageType {
  /// The manifest's key for an image of this type; combined parts go as applications.
  func fits(_ kind: NordicKind) -> Bool {
    switch self {
    case .application, .externalApplication: !kind.isSystem
    case .softDevice: kind == .softDevice
    case .bootloader: kind == .bootloader
    case .softDeviceBootloader: kind == .softDeviceBootloader
    }
  }

  /// The names of `dfu-cc.proto` in lower case.
  public var text: String {
    switch self {
    case .application: "application"
    case .softDevice: "softdevice"
    case .bootloader: "bootloader"
    case .softDeviceBootloader: "softdevice_bootloader"
    case .externalApplication: "external_application"
    }
  }
}
