extension NordicPackage {
  /// What keeps this board from taking the package, to be asked before it is sent to its bootloader (facts/nordic-dfu.md §4.4).
  ///
  /// What an earlier part of the package replaces is not held against a later part.
  ///
  /// - Parameters:
  ///   - target: what is known of the board.
  ///   - scope: the parts that are to be sent.
  public func complaints(for target: NordicTarget, scope: Scope = .all) -> [Complaint] {
    var target = target
    var found: [Complaint] = []
    for part in parts(in: scope) {
      found += part.complaints(for: target)
      if part.kind.bringsSoftDevice { target.softDevice = nil }
      if part.kind.bringsBootloader {
        target.dfuProtocol = nil
        target.dfuVersion = nil
        target.bootloaderVersion = nil
      }
    }
    return found
  }
}

extension NordicPart {
  func complaints(for target: NordicTarget) -> [Complaint] {
    // A part without init packet is none of Secure DFU; `absent` below says what else is wrong with it.
    if let wanted = target.dfuProtocol, parsed != nil || wanted == .secure, wanted != dfuProtocol {
      guard parsed != nil else {
        return [error(.initPacketMissing, "has no init packet, which \(wanted.title) needs", "use the zip that nrfutil wrote")]
      }
      let remedy = "use the package for this board's bootloader"
      return [error(.otherProtocol, "is made for \(dfuProtocol.title), the board's bootloader speaks \(wanted.title)", remedy)]
    }
    switch parsed {
    case .legacy(let packet)?:
      let isSigned = if case .signed = packet.extension { true } else { false }
      return formComplaints(packet, target) + signatureComplaints(isSigned, target) + boardComplaints(packet, target)
    case .secure(let packet)?: return signatureComplaints(packet.signature != nil, target) + boardComplaints(packet, target)
    case nil:
      // Since 0.5 bootloaders demand an init packet (facts/nordic-dfu.md §2.2).
      guard case .version(let version)? = target.dfuVersion, target.dfuVersion != .application else { return [] }
      let what = "has no init packet, which a bootloader with DFU version \(NordicTarget.DFUVersion.version(version)) demands"
      return [error(.initPacketMissing, what, "use the zip that nrfutil wrote")]
    }
  }

  /// Whether the bootloader can read this form of init packet.
  private func formComplaints(_ packet: LegacyInitPacket, _ target: NordicTarget) -> [Complaint] {
    var found: [Complaint] = []
    switch target.dfuVersion {
    case .version? where target.dfuVersion != .application:
      if packet.header == nil {
        found.append(error(.initPacketLength, "has an init packet of 2 bytes, for bootloaders of SDK 6", "make the package again with a current nrfutil"))
      }
    case .absent?:
      if packet.crc16 == nil {
        found.append(error(.initPacketLength, "has an init packet with a hash, and this bootloader knows CRC-16 only", "make the package again for it"))
      }
    case .version?, nil: break
    }
    // Without the room for it such a packet would overwrite the bootloader's memory (facts/nordic-dfu.md §2.5).
    if packet.header != nil, !target.checksSignatures, packet.paddedExtension > LegacyInitPacket.largestPlainExtension {
      let what = "has an init packet of \(packet.length) bytes with hash or signature, and this bootloader is not known to check those"
      found.append(error(.initPacketLength, what, "use a package with CRC-16 (nrfutil: dfu version 0.5)"))
    }
    return found
  }

  private func signatureComplaints(_ isSigned: Bool, _ target: NordicTarget) -> [Complaint] {
    guard target.checksSignatures, !isSigned else { return [] }
    return [error(.unsigned, "is not signed, and the board's bootloader takes signed images only", "sign the package with the key that the bootloader knows")]
  }

  private func boardComplaints(_ packet: LegacyInitPacket, _ target: NordicTarget) -> [Complaint] {
    guard let header = packet.header else { return [] }
    var found: [Complaint] = []
    let checks = [("type", header.deviceType, target.deviceType), ("revision", header.deviceRevision, target.deviceRevision)]
    for (what, wanted, actual) in checks {
      guard let actual, wanted != LegacyInitPacket.anyBoard, wanted != actual else { continue }
      found.append(error(.otherBoard, "is for boards of \(what) \(wanted), this board has \(what) \(actual)", "use the package for this model and revision"))
    }
    if let installed = target.softDevice, !header.softDevices.contains(installed), !header.softDevices.contains(.any) {
      found.append(otherSoftDevice(header.softDevices, installed))
    }
    return found
  }

  private func boardComplaints(_ packet: SecureInitPacket, _ target: NordicTarget) -> [Complaint] {
    var found: [Complaint] = []
    if let wanted = packet.hwVersion, let actual = target.hardwareVersion, wanted != actual {
      found.append(error(.otherBoard, "is for hardware version \(wanted), this board has \(actual)", "use the package for this hardware"))
    }
    let takesAny = !Set(packet.softDevices).isDisjoint(with: [.any, .sample]) || packet.softDevices.contains(.none) && !kind.isSystem
    if let installed = target.softDevice, !takesAny, !packet.softDevices.contains(installed) {
      found.append(otherSoftDevice(packet.softDevices, installed))
    }
    // Applications may come again in the same version, bootloaders must be newer (extended error 05); a SoftDevice has no version.
    switch (packet.type, packet.fwVersion) {
    case (.bootloader?, let version?), (.softDeviceBootloader?, let version?):
      if let installed = target.bootloaderVersion, version <= installed {
        let what = "has bootloader version \(version), the board has \(installed), and takes newer ones only"
        found.append(error(.notNewer, what, "send the application alone"))
      }
    case (.application?, let version?):
      if let installed = target.applicationVersion, version < installed {
        let what = "has version \(version), the board has \(installed), and takes none that is older"
        found.append(error(.notNewer, what, "use a newer package"))
      }
    default: break
    }
    return found
  }

  private func otherSoftDevice(_ list: [SoftDevice], _ installed: SoftDevice) -> Complaint {
    let names = list.isEmpty ? "no SoftDevice" : "SoftDevice " + list.map(\.description).joined(separator: " or ")
    return error(.otherSoftDevice, "goes with \(names), the board has \(installed)", "use the package for this SoftDevice, or update that first")
  }
}
