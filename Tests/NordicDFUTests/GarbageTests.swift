import LineFixture
import Testing

@testable import NordicDFU

/// Whatever a board sends: nothing traps, nothing prolongs a wait, and there is always an end.
struct GarbageTests {
  private static let commandLength = 14

  private static func legacy() -> LegacyTransfer {
    let part = LegacyPart(.application, sizes: LegacyPart.Sizes(application: 400), initPacket: synthetic(commandLength), image: synthetic(400))
    return LegacyTransfer(part, version: .latest, settings: LegacySettings(receiptInterval: 4))
  }

  private static func secure(_ interval: Int) -> SecureTransfer {
    SecureTransfer(SecurePart(initPacket: synthetic(commandLength), image: synthetic(3000)), settings: SecureSettings(mtu: 23, receiptInterval: interval))
  }

  /// Random inputs; afterwards only what an owner does when the board is silent. Counts all actions.
  private func torture(_ transfer: some DFUTransfer, seed: UInt64) -> (actions: Int, ends: Int) {
    var transfer = transfer
    var generator = SplitMix64(seed)
    var actions = transfer.start()
    for _ in 0..<400 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<4: actions += transfer.controlWritten()
      case 4..<7: actions += transfer.packetsHandedOver()
      case 7: actions += transfer.paused()
      case 8: actions += transfer.checksum(UInt32.random(in: 0...3, using: &generator))
      case 9 where Int.random(in: 0..<40, using: &generator) == 0: actions += transfer.controlFailed()
      case 10 where Int.random(in: 0..<40, using: &generator) == 0: actions += transfer.silent()
      case 11 where Int.random(in: 0..<40, using: &generator) == 0: actions += transfer.linkLost()
      default: actions += transfer.received(generator.notification())
      }
    }
    for _ in 0..<200 { actions += transfer.controlWritten() + transfer.packetsHandedOver() + transfer.paused() + transfer.checksum(0) + transfer.silent() }
    return (actions.count, actions.filter(\.isEnd).count)
  }

  @Test("Random notifications and inputs", arguments: 0..<300)
  func random(seed: Int) {
    for (index, result) in [
      torture(Self.legacy(), seed: UInt64(seed)), torture(Self.secure(0), seed: UInt64(seed)), torture(Self.secure(3), seed: UInt64(seed)),
    ].enumerated() {
      #expect(result.ends == 1, "machine \(index)")
      #expect(result.actions < 1000)
    }
  }

  /// Answers every request at once and with success, and with whatever numbers it likes.
  struct Liar: FakeBoard {
    var generator: SplitMix64

    mutating func control(_ bytes: [UInt8]) -> Reaction {
      let numbers = (0..<12).map { _ in UInt8.random(in: [0...0, 0...1, 0...16, 0...255].randomElement(using: &generator) ?? 0...255, using: &generator) }
      let head: [UInt8] = Bool.random(using: &generator) ? [0x60, bytes[0], 1] : [0x60, bytes[0], UInt8.random(in: 0...12, using: &generator)]
      let position: [UInt8] =
        [0, 2, 0, 0] + [UInt8.random(in: 0...2, using: &generator), UInt8.random(in: 0...12, using: &generator), 0, 0] + numbers.prefix(4)
      let isLegacy = bytes[0] != 6 || bytes.count == 1
      return Reaction(notifications: [head + (Bool.random(using: &generator) ? position : numbers)] + (isLegacy ? [[0x10, bytes[0], 1]] : []))
    }

    mutating func packet(_ bytes: [UInt8]) -> Reaction {
      let number = UInt8.random(in: 0...200, using: &generator)
      return Reaction(notifications: [[0x11, number, 0, 0, 0], [0x60, 3, 1, number, 0, 0, 0, 0, 0, 0, 0], [0x10, 3, 1], [0x10, 1, 1]])
    }
  }

  @Test("A board that lies in every answer", arguments: 0..<100)
  func liar(seed: Int) {
    var legacy = Performer(Self.legacy(), Liar(generator: SplitMix64(UInt64(seed))))
    legacy.run(limit: 5000)
    var secure = Performer(Self.secure(seed % 4), Liar(generator: SplitMix64(UInt64(seed))))
    secure.checksum = { _, _ in 0 }
    secure.run(limit: 5000)
    #expect(legacy.end != nil && secure.end != nil)
  }

  @Test("A flood does not prolong a wait: only the awaited answer leads on")
  func flood() {
    var legacy = Self.legacy()
    _ = legacy.start() + legacy.controlWritten() + legacy.packetsHandedOver()
    var secure = Self.secure(0)
    _ = secure.start() + secure.controlWritten()
    for _ in 0..<1000 {
      #expect(legacy.received([0x11, 1, 2, 3, 4]) == [])
      #expect(legacy.received([0x10, 3, 2]) == [])
      #expect(secure.received([0x60, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0]) == [])
    }
    #expect(legacy.silent().first == .writeControl([6]))
    #expect(secure.silent() == [.restart(.silent(.answer, offset: 0))])
  }

  @Test("Both readers of notifications take any bytes")
  func readers() {
    var generator = SplitMix64(7)
    for _ in 0..<20_000 {
      let bytes = generator.notification()
      if case .receipt = LegacyNotification(bytes) { #expect(bytes.count >= 5) }
      if let response = SecureResponse(bytes) {
        #expect(bytes.count >= 3)
        if response.position != nil { #expect(bytes.count >= 11) }
        if response.selection != nil { #expect(bytes.count >= 15) }
      }
    }
  }
}

extension SplitMix64 {
  /// Anything; more often something that begins like an answer.
  mutating func notification() -> [UInt8] {
    let heads: [[UInt8]] = [
      [], [0x10, 1], [0x10, 2], [0x10, 3], [0x10, 4], [0x10, 5], [0x11], [0x60, 1, 1], [0x60, 2, 1], [0x60, 3, 1], [0x60, 4, 1], [0x60, 6, 1], [0x60, 4],
      [0x20],
    ]
    let head = heads[Int.random(in: 0..<heads.count, using: &self)]
    return head + (0..<Int.random(in: 0...15, using: &self)).map { _ in UInt8.random(in: Bool.random(using: &self) ? 0...2 : 0...255, using: &self) }
  }
}
