import LineFixture
import Testing
import VirtualLine

@testable import Flashing

/// What goes wrong with one board and is got over within the attempt.
@Suite struct SessionHealingTests {
  struct Healed: Sendable, CustomTestStringConvertible {
    var name: String
    var faults: [BoardFault] = []
    var settings: @Sendable (inout BoardSettings) -> Void = { _ in }
    var quirks: @Sendable (inout LineBoard.Quirks) -> Void = { _ in }
    var retries: ClosedRange<Int>
    var resumes = false
    var testDescription: String { name }
  }

  static let healed: [Healed] = [
    Healed(name: "link lost in the upload", faults: [BoardFault(.dropLink, offset: 9000)], retries: 1...1, resumes: true),
    Healed(name: "link closed in the upload", faults: [BoardFault(.closeLink, offset: 9000)], retries: 1...1, resumes: true),
    Healed(name: "link lost three times", faults: [4000, 9000, 15_000].map { BoardFault(.dropLink, offset: $0) }, retries: 3...3, resumes: true),
    Healed(name: "board resets in the upload", faults: [BoardFault(.reboot, offset: 9000)], retries: 1...3),
    Healed(
      name: "last answer and link lost", faults: [BoardFault(.closeLink, offset: LineImages.new.count - 1).with { $0.stored = true }], retries: 1...1),
    Healed(
      name: "last answer lost", faults: [BoardFault(.loseAnswer, count: 21, group: 1, command: 1)], retries: 0...2),
    Healed(name: "first answer lost", faults: [BoardFault(.loseAnswer, group: 1, command: 1)], retries: 1...2),
    Healed(name: "answers lost in the window", faults: [BoardFault(.loseAnswer, count: 6, times: 2, group: 1, command: 1)], retries: 0...3),
    Healed(name: "answer doubled", faults: [BoardFault(.duplicateAnswer, count: 4, group: 1, command: 1)], retries: 0...0),
    Healed(name: "answers reordered", faults: [BoardFault(.reorderAnswer, count: 4, times: 3, group: 1, command: 1)], retries: 0...3),
    Healed(name: "answer late", faults: [BoardFault(.delayAnswer, count: 4, group: 1, command: 1)], retries: 0...1),
    Healed(name: "stray answer", faults: [BoardFault(.strayAnswer, count: 4, group: 1, command: 1)], retries: 0...0),
    Healed(name: "busy for a while", faults: [BoardFault(.busy, times: 3, group: 1, command: 1)], retries: 1...3),
    Healed(name: "no memory for a while", faults: [BoardFault(.noMemory, count: 5, times: 2, group: 1, command: 1)], retries: 1...3),
    Healed(name: "slow erase", faults: [BoardFault(.slowErase).with { $0.milliseconds = 35_000 }], retries: 0...0),
    Healed(name: "reset answer lost", faults: [BoardFault(.loseAnswer, group: 0, command: 5)], retries: 0...0),
    Healed(name: "reset request lost", faults: [BoardFault(.silent, group: 0, command: 5)], retries: 0...1),
    Healed(name: "reset busy", faults: [BoardFault(.busy, times: 3, group: 0, command: 5)], retries: 3...3),
    Healed(name: "mark answer lost", faults: [BoardFault(.loseAnswer, group: 1, command: 0).with { $0.count = 3 }], retries: 1...1),
    Healed(name: "params answer lost", faults: [BoardFault(.loseAnswer, group: 0, command: 6)], retries: 1...1),
    Healed(name: "list answer lost", faults: [BoardFault(.loseAnswer, group: 1, command: 0)], retries: 1...1),
    Healed(name: "connection refused twice", faults: [BoardFault(.refuseConnect, times: 2)], retries: 2...2),
    Healed(name: "slow boot", faults: [BoardFault(.slowBoot).with { $0.milliseconds = 20_000 }], retries: 0...0),
    Healed(name: "stale services", quirks: { $0.hasStaleServices = true }, retries: 1...1),
    Healed(name: "one buffer", settings: { $0.bufferCount = 1 }, retries: 0...0),
    Healed(
      name: "no params, no bootloader",
      settings: {
        $0.params = false
        $0.bootloaderInfo = false
      }, retries: 0...0),
    Healed(
      name: "SMP v1 without reassembly, MTU 185",
      settings: {
        $0.smpVersion = 1
        $0.reassembly = false
        $0.mtu = 185
      }, retries: 0...0),
    Healed(name: "MTU 23 with reassembly", settings: { $0.mtu = 23 }, retries: 0...0),
    Healed(name: "fragments of 7 bytes", settings: { $0.fragment = 7 }, retries: 0...0),
    Healed(
      name: "frugal, canonical, rc 0",
      settings: {
        $0.frugal = true
        $0.canonical = true
        $0.legacyRC = true
      }, retries: 0...0),
  ]

  @Test(arguments: healed) func gotOver(_ row: Healed) async throws {
    var quirks = LineBoard.Quirks()
    row.quirks(&quirks)
    let bench = SessionBench(row.faults, quirks: quirks, settings: row.settings)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureCode?.rawValue ?? ""): \(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(row.retries.contains(record.retries), "\(record.retries) retries")
    #expect(record.imageState == .confirmed)
    #expect(record.leftAs == .application)
    #expect(bench.board.version == "1.1.0")
    #expect((record.resumedFrom != nil) == row.resumes)
    // Every byte once, whatever was stored although its answer went with the link.
    if row.resumes { #expect(record.uploadBytes == LineImages.new.count) }
    #expect(bench.central.violations.isEmpty)
    #expect(!bench.board.isConnected)
  }

  /// The same, whatever the order in which tasks are run.
  @Test(arguments: healed, [UInt64(11), 12]) func gotOverInAnyOrder(_ row: Healed, _ seed: UInt64) async throws {
    var quirks = LineBoard.Quirks()
    row.quirks(&quirks)
    let bench = SessionBench(row.faults, quirks: quirks, settings: row.settings)
    bench.pump = LinePump(bench.clock, seed: seed)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureCode?.rawValue ?? ""): \(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.version == "1.1.0")
    #expect(bench.central.violations.isEmpty)
  }

  /// Sequence numbers are 8 bits (facts/smp.md §1.1): an upload of 300 requests uses each of them more than once.
  @Test func sequenceNumbersWrap() async throws {
    let bench = SessionBench(image: LineImages.make(1, 1, size: 60_000))
    bench.order.reassemblyBufferSize = 220
    let record = try await bench.run()
    #expect(record.outcome == .passed)
    #expect(record.retries == 0)
    #expect(bench.board.uploads > 300)
  }

  /// What an earlier attempt stored is taken up by the next one, and told apart in its record.
  @Test func theNextAttemptResumes() async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.board.uploads >= 12 }
    work.cancel()
    let first = try await bench.pump.finish(work, within: .seconds(5))
    #expect(first.outcome == .aborted)
    #expect(first.resumedFrom == nil)
    let second = try await bench.run(attempt: 2)
    #expect(second.outcome == .passed)
    let resumed = try #require(second.resumedFrom)
    #expect((5000..<20_000).contains(resumed))
    #expect(second.uploadBytes == LineImages.new.count - resumed)
  }

  /// The bootloader does not change while a board is updated: it is asked once, not after every restart.
  @Test func theBootloaderIsAskedOnce() async throws {
    let bench = SessionBench()
    _ = try await bench.run()
    #expect(bench.board.requests.count { $0.group == 0 && $0.command == 8 } == 2)
  }

  @Test func aBusyBoardIsForcedToResetAtLast() async throws {
    let bench = SessionBench([BoardFault(.busy, times: 3, group: 0, command: 5)])
    _ = try await bench.run()
    // CBOR text "force" (facts/smp.md §3.1).
    let force: [UInt8] = [0x65, 0x66, 0x6F, 0x72, 0x63, 0x65, 0xF5]
    let forced = bench.board.resets.map { reset in reset.bytes.indices.contains { Array(reset.bytes[$0...].prefix(force.count)) == force } }
    #expect(forced == [false, false, false, true])
  }

  /// A window that loses nothing must not be told that it lost something: requests leave in the order in which the window made them.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func aDeepWindowLosesNothing(_ seed: UInt64) async throws {
    let bench = SessionBench(image: LineImages.make(1, 1, size: 60_000)) { $0.bufferCount = 16 }
    bench.pump = LinePump(bench.clock, seed: seed)
    let record = try await bench.run()
    #expect(record.outcome == .passed)
    #expect(record.retries == 0)
  }
}
