/// A Legacy bootloader (nordic-dfu.md §2.3, §2.5), with the faults of §9.4.
struct FakeLegacyBoard: FakeBoard {
  enum Fault: Hashable {
    case startInvalid, startNotSupported, startTooLarge, startSilent
    case initRejected, initWrongState
    case receiptMissing(Int), receiptWrong(Int), receiptTwice
    case overflow(packet: Int), flood(packet: Int), badLength(packet: Int), tooMuch(packet: Int)
    case drop(packet: Int), neverComplete
    case checksumWrong, validateSilent
    case activationUnanswered, activationRefused, staysUp
    case resetUnanswered
    /// nRF5 SDK 4.3: knows only the old start form.
    case oldForm
    /// Sends a receipt for the packet that completes the image, too.
    case lastReceipt
    /// SDK 5: counts in 16 bits.
    case shortCounter
  }

  var faults: Set<Fault>
  private(set) var image: [UInt8] = []
  private(set) var initPacket: [UInt8] = []
  private(set) var startBytes: [UInt8] = []
  private var expects = Expects.nothing
  private var size = 0
  private var interval = 0
  private var packets = 0
  private var isOld = false
  private var isDead = false

  private enum Expects { case nothing, sizes, initBytes, checksum, image }

  init(_ faults: Set<Fault> = []) {
    self.faults = faults
  }

  mutating func control(_ bytes: [UInt8]) -> Reaction {
    switch bytes {
    case [0x01]:
      (isOld, expects) = (true, .sizes)
      return .nothing
    case _ where bytes.first == 0x01:
      startBytes = bytes
      expects = .sizes
      return .nothing
    case [0x02]:
      expects = .checksum
      return .nothing
    case [0x02, 0x00]:
      expects = .initBytes
      return .nothing
    case [0x02, 0x01]:
      if faults.contains(.initRejected) { return .notify(0x10, 0x02, 0x06) }
      return faults.contains(.initWrongState) ? .notify(0x10, 0x02, 0x02) : .notify(0x10, 0x02, 0x01)
    case [0x03]:
      expects = .image
      return .nothing
    case [0x04]:
      if faults.contains(.validateSilent) { return .nothing }
      if image.count < size { return .notify(0x10, 0x04, 0x02) }
      return faults.contains(.checksumWrong) ? .notify(0x10, 0x04, 0x05) : .notify(0x10, 0x04, 0x01)
    case [0x05]:
      if faults.contains(.activationRefused) { return .notify(0x10, 0x05, 0x02) }
      if faults.contains(.staysUp) { return .nothing }
      return Reaction(isUnanswered: faults.contains(.activationUnanswered), dropsLink: true)
    case [0x06]:
      return faults.contains(.resetUnanswered) ? Reaction(isUnanswered: true) : .reset
    case _ where bytes.first == 0x08 && bytes.count == 3:
      interval = Int(bytes[1]) | Int(bytes[2]) << 8
      return .nothing
    default:
      return .notify(0x10, bytes.first ?? 0, 0x03)
    }
  }

  mutating func packet(_ bytes: [UInt8]) -> Reaction {
    switch expects {
    case .sizes: return sizes(bytes)
    case .initBytes:
      initPacket += bytes
      return .nothing
    case .checksum:
      initPacket += bytes
      return .notify(0x10, 0x02, 0x01)
    case .image: return data(bytes)
    case .nothing: return .notify(0x10, 0x03, 0x02)
    }
  }

  private mutating func sizes(_ bytes: [UInt8]) -> Reaction {
    expects = .nothing
    guard bytes.count == (isOld ? 4 : 12), !faults.contains(.oldForm) || isOld else { return .notify(0x10, 0x01, 0x03) }
    if faults.contains(.startNotSupported) { return .notify(0x10, 0x01, 0x03) }
    if faults.contains(.startInvalid) { return .notify(0x10, 0x01, 0x02) }
    if faults.contains(.startTooLarge) { return .notify(0x10, 0x01, 0x04) }
    if faults.contains(.startSilent) { return .nothing }
    size = stride(from: 0, to: bytes.count, by: 4).reduce(0) { $0 + Int(bytes[$1]) + Int(bytes[$1 + 1]) << 8 + Int(bytes[$1 + 2]) << 16 }
    return .notify(0x10, 0x01, 0x01)
  }

  private mutating func data(_ bytes: [UInt8]) -> Reaction {
    packets += 1
    if faults.contains(.drop(packet: packets)) { return .reset }
    if faults.contains(.overflow(packet: packets)) { return die(0x06) }
    if faults.contains(.badLength(packet: packets)) { return die(0x03) }
    if faults.contains(.tooMuch(packet: packets)) { return die(0x04) }
    if isDead || faults.contains(.flood(packet: packets)) { return die(0x02) }
    image += bytes
    var reaction = Reaction.nothing
    if interval > 0, packets % interval == 0, image.count < size || faults.contains(.lastReceipt) { reaction.notifications += receipts() }
    if image.count == size, !faults.contains(.neverComplete) { reaction.notifications.append([0x10, 0x03, 0x01]) }
    return reaction
  }

  private mutating func die(_ status: UInt8) -> Reaction {
    isDead = true
    return .notify(0x10, 0x03, status)
  }

  private func receipts() -> [[UInt8]] {
    let number = packets / interval
    if faults.contains(.receiptMissing(number)) { return [] }
    let count = faults.contains(.receiptWrong(number)) ? image.count - 40 : image.count
    let receipt = [0x11] + word(faults.contains(.shortCounter) ? count & 0xFFFF : count)
    return faults.contains(.receiptTwice) ? [receipt, receipt] : [receipt]
  }
}
