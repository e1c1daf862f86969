import LineFixture
import Testing
import VirtualLine

@testable import Flashing

/// What goes wrong with one board, and what the record says of it.
@Suite struct SessionFaultTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var faults: [BoardFault] = []
    var settings: @Sendable (inout BoardSettings) -> Void = { _ in }
    var quirks: @Sendable (inout LineBoard.Quirks) -> Void = { _ in }
    var outcome = Outcome.failed
    var code: FailureCode
    var phase: Phase
    var leftAs: LeftAs
    var state: ImageState?
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(
      name: "never returns", faults: [BoardFault(.neverReturn)], outcome: .timeout, code: .verifyNeverReturned, phase: .reconnect, leftAs: .unknown,
      state: .pending),
    Row(name: "reverts", faults: [BoardFault(.imageReverts)], code: .verifyReverted, phase: .prepare, leftAs: .application, state: .stored),
    Row(
      name: "not swapped", faults: [BoardFault(.spoilImage)], settings: { $0.imageCheck = false }, code: .verifyNotSwapped, phase: .prepare,
      leftAs: .application, state: .unknown),
    Row(
      name: "other firmware", faults: [BoardFault(.otherFirmware)], code: .verifyOtherFirmware, phase: .prepare, leftAs: .application, state: .unknown),
    Row(
      name: "other board", quirks: { $0.serialAfterReset = "SN-other" }, code: .verifyOtherBoard, phase: .verify, leftAs: .unknown, state: .pending),
    Row(name: "no SMP service", quirks: { $0.lacksSMP = true }, code: .linkNoSMP, phase: .prepare, leftAs: .untouched),
    Row(name: "encryption demanded", quirks: { $0.demandsEncryption = true }, code: .linkNotPermitted, phase: .prepare, leftAs: .untouched),
    Row(
      name: "MTU 23 without reassembly",
      settings: {
        $0.mtu = 23
        $0.reassembly = false
      }, code: .linkMTU, phase: .upload, leftAs: .untouched, state: .unknown),
    Row(
      name: "wrong bytes stored", faults: [BoardFault(.spoilImage)], code: .imageMismatch, phase: .upload, leftAs: .application, state: .unknown),
    Row(
      name: "image too large", settings: { $0.slotSize = 16_384 }, code: .imageTooLarge, phase: .upload, leftAs: .application, state: .unknown),
    Row(
      name: "stays busy", faults: [BoardFault(.busy, times: 0, group: 1, command: 1)], code: .smpBusy, phase: .upload, leftAs: .application,
      state: .unknown),
    Row(
      name: "stays without memory", faults: [BoardFault(.noMemory, times: 0, group: 1, command: 1)], code: .smpNoMemory, phase: .upload,
      leftAs: .application, state: .unknown),
    Row(
      name: "flash write fails", faults: [BoardFault(.refuse, count: 4, group: 1, command: 1).with { $0.groupCode = 12 }], code: .imageFlash,
      phase: .upload, leftAs: .application, state: .unknown),
    Row(
      name: "silent in the upload", faults: [BoardFault(.silent, count: 5, group: 1, command: 1)], outcome: .timeout, code: .imageStalled,
      phase: .upload, leftAs: .application, state: .unknown),
    Row(
      name: "answers nothing", faults: [BoardFault(.silent, times: 0)], outcome: .timeout, code: .smpTimeout, phase: .prepare, leftAs: .untouched),
    Row(
      name: "reset refused", faults: [BoardFault(.busy, times: 0, group: 0, command: 5)], code: .smpBusy, phase: .reset, leftAs: .unknown,
      state: .pending),
    Row(name: "refuses connections", faults: [BoardFault(.refuseConnect, times: 0)], code: .linkConnect, phase: .connect, leftAs: .untouched),
    Row(
      name: "link lost for ever", faults: [BoardFault(.dropLink, offset: 5000, times: 0)], code: .linkLost, phase: .upload, leftAs: .application,
      state: .unknown),
  ]

  @Test(arguments: rows) func fault(_ row: Row) async throws {
    var quirks = LineBoard.Quirks()
    row.quirks(&quirks)
    let bench = SessionBench(row.faults, quirks: quirks, settings: row.settings)
    let record = try await bench.run()
    #expect(record.outcome == row.outcome)
    #expect(record.failureCode == row.code, "\(record.failureMessage ?? "")")
    #expect(record.failurePhase == row.phase)
    #expect(record.leftAs == row.leftAs)
    #expect(record.imageState == row.state)
    #expect(!record.good)
    #expect(record.failureMessage?.isEmpty == false)
    #expect(!bench.board.isConnected)
    #expect(bench.central.violations.isEmpty)
    #expect(FailureRule.of(row.code).outcome == row.outcome)
    if row.leftAs == .untouched { #expect(bench.board.writes.isEmpty) }
    // What was read before a reset says nothing about what came after it.
    if row.leftAs == .unknown { #expect(record.firmwareAfter == nil && record.imageHashAfter == nil) }
  }

  // MARK: got over

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
    // What was stored although its answer went with the link is not counted: at most a window of three requests.
    let whole = LineImages.new.count
    if row.resumes { #expect((whole - 3 * 1024...whole).contains(record.uploadBytes ?? 0)) }
    #expect(bench.central.violations.isEmpty)
    #expect(!bench.board.isConnected)
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

  // MARK: identity

  struct Stranger: Sendable, CustomTestStringConvertible {
    var rule: IdentityRule
    var code: FailureCode
    var serial: String? = nil
    var testDescription: String { code.rawValue }
  }

  static let strangers = [
    Stranger(rule: IdentityRule(model: "VB-2"), code: .identityModel),
    Stranger(rule: IdentityRule(hardware: "rev C"), code: .identityHardware),
    Stranger(rule: IdentityRule(manufacturer: "Somebody"), code: .identityManufacturer),
    Stranger(rule: IdentityRule(needsSerial: true), code: .identitySerialMissing, serial: ""),
  ]

  @Test(arguments: strangers) func anotherIdentityIsRefusedBeforeAnythingIsWritten(_ row: Stranger) async throws {
    let bench = SessionBench { $0.serial = row.serial }
    bench.order.identity = row.rule
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == row.code)
    #expect(record.failurePhase == .identify)
    #expect(record.leftAs == .untouched)
    #expect(!record.good)
    #expect(record.modelNumber == "VB-1")
    #expect(record.hardwareRevision == "rev B")
    #expect(bench.board.requests.isEmpty)
    #expect(!bench.board.isConnected)
  }

  @Test func theStationMayRefuseTheIdentity() async throws {
    let bench = SessionBench()
    bench.examine = { identity in throw BoardFailure(.identitySerialTwice, in: .identify, "twice: \(identity.serial ?? "")") }
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .identitySerialTwice)
    #expect(bench.board.requests.isEmpty)
  }

  // MARK: limits, station, operator

  @Test func theWholeAttemptHasALimit() async throws {
    let bench = SessionBench([BoardFault(.slowBoot).with { $0.milliseconds = 60_000 }])
    bench.limits.board = .seconds(40)
    bench.limits.swap = .seconds(120)
    let record = try await bench.run()
    #expect(record.outcome == .timeout)
    #expect(record.failureCode == .boardTimeout)
    #expect(record.failurePhase == .reconnect)
    #expect(record.leftAs == .unknown)
    #expect(record.duration.map { $0 >= 40 && $0 < 45 } == true)
  }

  @Test func aBoardThatIsGoneIsAbsent() async throws {
    var quirks = LineBoard.Quirks()
    quirks.vanishesAfterLinks = 0
    let bench = SessionBench(quirks: quirks)
    let record = try await bench.run()
    #expect(record.outcome == .timeout)
    #expect(record.failureCode == .boardAbsent)
    #expect(record.leftAs == .untouched)
  }

  @Test func anAdapterThatGoesIsTheStationsFault() async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.board.uploads >= 5 }
    bench.central.unplug(0)
    let record = try await bench.pump.finish(work, within: .seconds(60))
    #expect(record.outcome == .error)
    #expect(record.failureCode == .adapterRemoved)
    #expect(record.leftAs == .application)
    #expect(FailureRule.of(.adapterRemoved).blames == .station)
  }

  @Test func aStackThatGoesIsTheStationsFault() async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.board.uploads >= 5 }
    bench.central.setAway(true)
    let record = try await bench.pump.finish(work, within: .seconds(60))
    #expect(record.outcome == .error)
    #expect(record.failureCode == .busGone)
  }

  @Test(arguments: Phase.allCases.filter { ![.discover, .rescue, .detach].contains($0) })
  func aStopInAnyPhaseIsRecordedAndClosesTheLink(_ phase: Phase) async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(120)) { bench.observer.phases.contains(phase) }
    let stopped = bench.clock.now.sinceStart
    work.cancel()
    let record = try await bench.pump.finish(work, within: .seconds(5))
    #expect(bench.clock.now.sinceStart - stopped < .seconds(5))
    #expect(record.outcome == .aborted)
    #expect(record.failureCode == .operatorStopped)
    #expect(record.failurePhase == bench.observer.phases.last)
    #expect(!record.good)
    #expect(!bench.board.isConnected)
  }

  @Test func aPhaseThatCannotBeRecordedIsTheStationsFault() async throws {
    let bench = SessionBench()
    bench.observer.refuse(at: .upload)
    let record = try await bench.run()
    #expect(record.outcome == .error)
    #expect(record.failureCode == .diskFailed)
    #expect(bench.board.writes.isEmpty)
    #expect(!bench.board.isConnected)
  }
}
