import Testing

@testable import NordicDFU

/// The Legacy machine, input by input, where the order of inputs matters (nordic-dfu.md §2.9).
struct LegacyTransferTests {
  static let image = synthetic(100)

  /// Three rounds: 40, 40 and 20 bytes.
  private func transfer(_ change: (inout DFULimits) -> Void = { _ in }) -> LegacyTransfer {
    var limits = DFULimits()
    change(&limits)
    let part = LegacyPart(.application, sizes: LegacyPart.Sizes(application: 100), initPacket: LegacyFaultTests.initPacket, image: Self.image)
    return LegacyTransfer(part, version: .latest, settings: LegacySettings(receiptInterval: 2, limits: limits))
  }

  /// A transfer whose first round was sent.
  private func streaming() -> LegacyTransfer {
    var transfer = transfer()
    _ = transfer.start()
    _ = transfer.controlWritten()
    _ = transfer.packetsHandedOver()
    _ = transfer.received([0x10, 1, 1])
    _ = transfer.controlWritten()
    _ = transfer.packetsHandedOver()
    _ = transfer.controlWritten()
    _ = transfer.received([0x10, 2, 1])
    _ = transfer.controlWritten()
    let first = transfer.controlWritten()
    #expect(first == [.writePackets(Self.image[0..<40], size: 20), .expect(.receipt, within: .seconds(10))])
    return transfer
  }

  private func round(_ range: Range<Int>, _ wait: DFUWait, _ limit: Duration) -> [DFUAction] {
    [.writePackets(Self.image[range], size: 20), .expect(wait, within: limit)]
  }

  @Test("Each step has its named limit")
  func limits() {
    var transfer = transfer()
    let sizes = bytes("00000000 00000000 64000000")
    #expect(transfer.start() == [.writeControl([1, 4]), .expect(.write, within: .seconds(10))])
    #expect(transfer.start() == [])
    #expect(transfer.controlWritten() == [.writePackets(sizes[...], size: 20), .expect(.erase, within: .seconds(60))])
    #expect(transfer.packetsHandedOver() == [])
    #expect(transfer.received([0x10, 1, 1]) == [.writeControl([2, 0]), .expect(.write, within: .seconds(10))])
    #expect(transfer.controlWritten() == [.writePackets(LegacyFaultTests.initPacket[...], size: 20), .expect(.write, within: .seconds(10))])
    #expect(transfer.packetsHandedOver() == [.writeControl([2, 1]), .expect(.write, within: .seconds(10))])
    #expect(transfer.controlWritten() == [.expect(.initPacket, within: .seconds(30))])
    #expect(transfer.received([0x10, 2, 1]) == [.writeControl([8, 2, 0]), .expect(.write, within: .seconds(10))])
    #expect(transfer.controlWritten() == [.writeControl([3]), .expect(.write, within: .seconds(10))])
    #expect(transfer.controlWritten() == round(0..<40, .receipt, .seconds(10)))
    #expect(transfer.packetsHandedOver() == [])
    #expect(transfer.received([0x11, 40, 0, 0, 0]) == [.progress(40)] + round(40..<80, .receipt, .seconds(10)))
    #expect(transfer.packetsHandedOver() == [])
    #expect(transfer.received([0x11, 80, 0, 0, 0]) == [.progress(80)] + round(80..<100, .complete, .seconds(60)))
    #expect(transfer.packetsHandedOver() == [])
    #expect(transfer.received([0x10, 3, 1]) == [.progress(100), .writeControl([4]), .expect(.write, within: .seconds(10))])
    #expect(transfer.controlWritten() == [.expect(.validate, within: .seconds(30))])
    #expect(transfer.received([0x10, 4, 1]) == [.writeControl([5]), .expect(.activation, within: .seconds(10))])
    #expect(transfer.linkLost() == [.finished])
    #expect(transfer.linkLost() == [])
    #expect(transfer.cancel() == [])
  }

  @Test("A receipt that overtakes the report of its packets counts when they are reported")
  func receiptOvertakes() {
    var transfer = streaming()
    #expect(transfer.received([0x11, 40, 0, 0, 0]) == [.progress(40)])
    #expect(transfer.received([0x11, 40, 0, 0, 0]) == [])
    #expect(transfer.packetsHandedOver() == round(40..<80, .receipt, .seconds(10)))
  }

  @Test("A receipt for the bytes that complete the image is not the answer: they may not be in the flash yet")
  func lastReceipt() {
    var transfer = streaming()
    for count: UInt8 in [40, 80] { _ = transfer.packetsHandedOver() + transfer.received([0x11, count, 0, 0, 0]) }
    for count: UInt8 in [100, 60, 100] {
      #expect(transfer.received([0x11, count, 0, 0, 0]) == [])
      #expect(transfer.packetsHandedOver() == [])
    }
    #expect(transfer.acknowledged == 80)
    #expect(transfer.received([0x10, 3, 1]).first == .progress(100))
  }

  @Test(
    "What does not belong here changes nothing",
    arguments: [
      [], [0x10], [0x10, 3], [0x11], [0x11, 40, 0, 0], [0x10, 1, 1], [0x10, 2, 6], [0x10, 4, 5], [0x10, 3, 1], [0x10, 0x77, 6], [0x20, 3, 6], [0x60, 3, 1],
      [0x10, 7, 1, 0, 0, 0, 0],
    ] as [[UInt8]])
  func strays(notification: [UInt8]) {
    var transfer = streaming()
    #expect(transfer.received(notification) == [])
    #expect(transfer.packetsHandedOver() == [])
    #expect(transfer.received(notification) == [])
    #expect(transfer.received([0x11, 40, 0, 0, 0]) == [.progress(40)] + round(40..<80, .receipt, .seconds(10)))
  }

  @Test("A success before the sizes are out belongs to something else; a refusal counts once the write is answered")
  func earlyAnswers() {
    var early = transfer()
    _ = early.start()
    #expect(early.received([0x10, 1, 1]) == [])
    #expect(early.controlWritten().first == .writePackets(bytes("00000000 00000000 64000000")[...], size: 20))
    #expect(early.received([0x10, 1, 1]) == [])
    #expect(early.packetsHandedOver().first == .writeControl([2, 0]))

    var refused = transfer()
    _ = refused.start()
    #expect(refused.received([0x10, 1, 2]) == [])
    #expect(refused.received([0x10, 1, 4]) == [], "the first one counts")
    #expect(refused.controlWritten() == [.writeControl([6]), .expect(.reset, within: .seconds(5))])
    #expect(refused.controlWritten() == [])
    #expect(refused.linkLost() == [.restart(.legacyRefused(.start, status: 2))])
  }

  @Test("A write that is refused or never answered")
  func writes() {
    var refused = transfer()
    _ = refused.start()
    #expect(refused.controlFailed().first == .writeControl([6]))
    #expect(refused.controlFailed() == [])
    #expect(refused.silent() == [.restart(.writeRefused(1))])

    var silent = transfer()
    _ = silent.start()
    #expect(silent.silent() == [.restart(.silent(.write, offset: 0))], "a reset could not be written")
  }

  @Test("The link's end while the image is activated is the candidate for success, however the write ends")
  func activation() {
    for ending in 0..<4 {
      var transfer = streaming()
      for count: UInt8 in [40, 80] { _ = transfer.packetsHandedOver() + transfer.received([0x11, count, 0, 0, 0]) }
      _ = transfer.packetsHandedOver() + transfer.received([0x10, 3, 1]) + transfer.controlWritten()
      #expect(transfer.received([0x10, 4, 1]).first == .writeControl([5]))
      switch ending {
      case 0: break
      case 1: #expect(transfer.controlWritten() == [])
      case 2: #expect(transfer.controlFailed() == [])
      default: #expect(transfer.cancel() == [], "too late")
      }
      var stays = transfer
      #expect(transfer.linkLost() == [.finished])
      #expect(stays.silent() == [.finished], "what is proved by reading back")
    }
  }

  @Test("Stopped: the board is reset, after an older write was answered")
  func cancel() {
    var idle = transfer()
    #expect(idle.cancel() == [.failed(.cancelled)])
    #expect(idle.start() == [])

    var writing = transfer()
    _ = writing.start()
    #expect(writing.cancel() == [.expect(.write, within: .seconds(10))])
    #expect(writing.controlWritten() == [.writeControl([6]), .expect(.reset, within: .seconds(5))])
    #expect(writing.linkLost() == [.failed(.cancelled)])

    var streaming = streaming()
    #expect(streaming.cancel() == [.writeControl([6]), .expect(.reset, within: .seconds(5))])
    #expect(streaming.packetsHandedOver() == [])
    #expect(streaming.received([0x11, 40, 0, 0, 0]) == [])
    #expect(streaming.silent() == [.failed(.cancelled)])

    var failing = self.streaming()
    _ = failing.received([0x10, 3, 6])
    #expect(failing.cancel() == [])
    #expect(failing.linkLost() == [.failed(.cancelled)], "no restart after a stop")
  }

  @Test("Packets are whole words of at most 244 bytes, receipts at least one", arguments: [(20, 20), (23, 20), (0, 4), (-1, 4), (247, 244), (1000, 244)])
  func settings(asked: Int, size: Int) {
    #expect(LegacySettings(packetSize: asked).packetSize == size)
    #expect(LegacySettings(receiptInterval: 0).receiptInterval == 1)
    #expect(LegacySettings(receiptInterval: 1 << 20).receiptInterval == 65_535)
  }
}
