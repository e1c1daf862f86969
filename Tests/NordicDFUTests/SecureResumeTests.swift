import Testing

@testable import NordicDFU

/// What a Secure bootloader has kept of an earlier connection (nordic-dfu.md §3.5).
struct SecureResumeTests {
  static let commandLength = 100
  static let length = 10_000
  static let checksum: @Sendable (DFUData, Int) -> UInt32 = { data, count in
    count == 0 ? 0 : UInt32(count) &* 2_654_435_761 ^ (data == .image ? 0x5555_5555 : 0)
  }

  static func performer(
    _ faults: Set<FakeSecureBoard.Fault> = [], interval: Int = 0, resumes: Bool = true, _ change: (inout FakeSecureBoard) -> Void = { _ in }
  ) -> Performer<SecureTransfer, FakeSecureBoard> {
    var board = FakeSecureBoard(faults, commandLength: commandLength, length: length, checksum: checksum)
    change(&board)
    let part = SecurePart(initPacket: synthetic(commandLength), image: synthetic(length))
    var performer = Performer(SecureTransfer(part, settings: SecureSettings(mtu: 247, receiptInterval: interval, resumes: resumes)), board)
    performer.checksum = checksum
    return performer
  }

  private static let kept = FakeSecureBoard.Store(received: commandLength, executed: commandLength)

  @Test("The init packet is there: it is executed, not sent", arguments: [[], [.executedBefore]] as [Set<FakeSecureBoard.Fault>])
  func wholeCommand(faults: Set<FakeSecureBoard.Fault>) {
    var performer = Self.performer(faults) { $0.command = Self.kept }
    performer.run()
    #expect(performer.controls.prefix(4) == ["W 06 01", "W 04", "W 02 00 00", "W 06 02"])
    #expect(performer.packets.flatMap { $0 } == synthetic(Self.length))
    #expect(performer.end == .finished)
  }

  @Test(
    "The init packet's beginning is there: only the rest is sent; a wrong beginning is thrown away",
    arguments: [(40, false), (40, true), (101, false), (200, false)])
  func partOfCommand(received: Int, isWrong: Bool) {
    var performer = Self.performer { $0.command = FakeSecureBoard.Store(received: received, created: Self.commandLength, isWrong: isWrong) }
    performer.run()
    let isKept = received == 40 && !isWrong
    #expect(performer.controls.prefix(4) == (isKept ? ["W 06 01", "W 02 00 00", "W 03", "W 04"] : ["W 06 01", "W 02 00 00", "W 01 01 64 00 00 00", "W 03"]))
    #expect(performer.packets[0] == (isKept ? [UInt8](synthetic(100)[40...]) : synthetic(100)))
    #expect(performer.end == .finished)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var received: Int
    var executed: Int
    var created = 0
    var faults: Set<FakeSecureBoard.Fault> = []
    /// What follows `06 02`.
    var next: [String]
    /// Image bytes that are sent after all.
    var sent: Int
    var testDescription: String { name }
  }

  @Test(
    "With a good checksum the image goes on where it was",
    arguments: [
      Row(
        name: "inside the second object", received: 5000, executed: 4096, created: 4096, next: ["W 03", "W 04", "W 01 02 10 07 00 00", "W 03", "W 04"],
        sent: 5000),
      Row(
        name: "at the end of an object, executed or not", received: 8192, executed: 4096, created: 4096, next: ["W 04", "W 01 02 10 07 00 00", "W 03", "W 04"],
        sent: 1808),
      Row(
        name: "executed before", received: 8192, executed: 8192, faults: [.executedBefore], next: ["W 04", "W 01 02 10 07 00 00", "W 03", "W 04"], sent: 1808),
      Row(name: "the whole image", received: 10_000, executed: 8192, created: 1808, next: ["W 04"], sent: 0),
      Row(name: "the whole image, executed before", received: 10_000, executed: 10_000, faults: [.executedBefore], next: ["W 04"], sent: 0),
      Row(name: "nothing", received: 0, executed: 0, next: ["W 01 02 00 10 00 00", "W 03", "W 04"], sent: 10_000),
    ])
  func goodData(row: Row) {
    var performer = Self.performer(row.faults) {
      $0.command = Self.kept
      $0.data = FakeSecureBoard.Store(received: row.received, executed: row.executed, created: row.created)
    }
    performer.run()
    #expect(performer.controls.dropFirst(4).prefix(row.next.count) == row.next[...])
    #expect(performer.packets.flatMap { $0 } == [UInt8](synthetic(Self.length).suffix(row.sent)))
    #expect(performer.transfer.resumedFrom == (row.received == 0 ? nil : row.received))
    #expect(performer.end == .finished)
  }

  @Test("With a bad checksum inside an object that object is sent again")
  func badData() {
    var performer = Self.performer {
      $0.command = Self.kept
      $0.data = FakeSecureBoard.Store(received: 5000, executed: 4096, created: 4096, isWrong: true)
    }
    performer.run()
    #expect(performer.controls.dropFirst(4).first == "W 01 02 00 10 00 00")
    #expect(performer.packets.flatMap { $0 } == [UInt8](synthetic(Self.length)[4096...]))
    #expect(performer.transfer.resumedFrom == nil)
    #expect(performer.end == .finished)
  }

  @Test(
    "Data that was executed and is wrong, or that belongs to another image, is wiped by a new init packet",
    arguments: [(8192, 8192), (4096, 4096), (12_288, 8192)])
  func badBeyondRepair(received: Int, executed: Int) {
    var performer = Self.performer {
      $0.command = Self.kept
      $0.data = FakeSecureBoard.Store(received: received, executed: executed, isWrong: true)
    }
    performer.run()
    #expect(performer.controls.filter { $0.hasPrefix("W 01 01") } == ["W 01 01 64 00 00 00"])
    #expect(performer.packets.suffix(42).flatMap { $0 } == synthetic(Self.length), "from the first byte")
    #expect(performer.end == .finished)
  }

  /// nordic-dfu.md §7, 10.
  @Test("A kept init packet that is no longer in force is sent anew, once")
  func initNotInForce() {
    var performer = Self.performer([.initNotInForce, .executedBefore]) { $0.command = Self.kept }
    performer.run()
    #expect(performer.controls.prefix(6) == ["W 06 01", "W 04", "W 02 00 00", "W 06 02", "W 01 02 00 10 00 00", "W 01 01 64 00 00 00"])
    #expect(performer.end == .finished)

    var never = Self.performer([.refuses(.create, .data, [0x08])]) { $0.command = Self.kept }
    never.run()
    #expect(never.end == .restart(.secureRefused(.create, .data, .result(.operationNotPermitted))))
    #expect(never.controls.filter { $0.hasPrefix("W 01 02") }.count == 2)
  }

  @Test("Without resuming everything is sent")
  func noResume() {
    var performer = Self.performer(resumes: false) {
      $0.command = Self.kept
      $0.data = FakeSecureBoard.Store(received: 8192, executed: 8192)
    }
    performer.run()
    #expect(performer.controls.prefix(3) == ["W 06 01", "W 02 00 00", "W 01 01 64 00 00 00"])
    #expect(performer.packets.dropFirst().flatMap { $0 } == synthetic(Self.length))
    #expect(performer.end == .finished)
  }
}
