import NordicDFU

extension FuzzTarget {
  /// The machines of Nordic DFU against a bootloader that answers anything at any time.
  ///
  /// Input: the first byte chooses the machine, the next ones its settings; then what happens, one byte a kind.
  static let dfuAnswer = FuzzTarget(name: "dfu-answer", about: "LegacyTransfer, SecureTransfer, BootloaderEntry", longest: 2048) { bytes in
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let image = [UInt8](repeating: 0xA5, count: Int(input.byte()) * 4)
    let packet = [UInt8](repeating: 0x5A, count: Int(input.byte()) % 140)
    switch kind % 3 {
    case 0:
      let version = input.byte()
      let part = LegacyPart(single: .application, initPacket: packet, image: image)
      guard let part else { return }
      let settings = LegacySettings(receiptInterval: Int(input.byte()), packetSize: Int(input.byte()))
      drive(LegacyTransfer(part, version: version == 0 ? nil : DFUVersion(major: 0, minor: version), settings: settings), &input, packet, image)
    case 1:
      let settings = SecureSettings(mtu: Int(input.word()), receiptInterval: Int(input.byte()), resumes: input.byte() & 1 == 1)
      drive(SecureTransfer(SecurePart(initPacket: packet, image: image), settings: settings), &input, packet, image)
    default:
      enter(&input)
    }
  }

  private static func drive(_ first: some DFUTransfer, _ input: inout FuzzInput, _ packet: [UInt8], _ image: [UInt8]) {
    var transfer = first
    var hasEnded = false
    func check(_ actions: [DFUAction]) {
      for action in actions {
        precondition(!hasEnded, "an action after the end")
        if case .writePackets(let data, let size) = action { precondition(!data.isEmpty && size > 0, "packets without bytes") }
        if case .checksum(let of, let end) = action { precondition((0...(of == .image ? image : packet).count).contains(end), "a checksum beside the data") }
        if case .progress(let offset) = action { precondition((0...image.count).contains(offset), "progress beside the image") }
        hasEnded = action.isEnd
      }
      precondition((0...max(transfer.length, 0)).contains(transfer.acknowledged), "more than the image")
    }
    check(transfer.start())
    while !input.isEmpty {
      switch input.byte() % 12 {
      case 0, 1, 2: check(transfer.controlWritten())
      case 3: check(transfer.controlFailed())
      case 4, 5: check(transfer.packetsHandedOver())
      case 6: check(transfer.received(input.take(Int(input.byte() % 24))))
      case 7: check(transfer.received([0x10, input.byte(), 0x01]))
      case 8: check(transfer.received([0x60, input.byte(), 0x01] + input.take(12)))
      case 9: check(transfer.checksum(input.long()))
      case 10: check(transfer.paused())
      default:
        let kind = input.byte() % 3
        check(kind == 0 ? transfer.silent() : kind == 1 ? transfer.linkLost() : transfer.cancel())
      }
    }
  }

  private static func enter(_ input: inout FuzzInput) {
    let paths: [EntryPath] = [
      .legacyApplication, .secureApplication(bonded: false), .secureApplication(bonded: true), .experimentalApplication, .metaWear, .unknown,
    ]
    var entry = BootloaderEntry(paths[Int(input.byte()) % paths.count], name: input.byte() & 1 == 1 ? "name" : nil)
    _ = entry.start()
    while !input.isEmpty {
      switch input.byte() % 8 {
      case 0: _ = entry.subscribed()
      case 1: _ = entry.written()
      case 2: _ = entry.failed()
      case 3, 4: _ = entry.received(input.take(Int(input.byte() % 8)))
      case 5: _ = entry.paused()
      case 6: _ = entry.silent()
      default: _ = input.byte() & 1 == 0 ? entry.linkLost() : entry.cancel()
      }
    }
  }
}
