import Bluetooth
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
    var pairing: PairingMethod?
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
      name: "pairing refused", quirks: { $0.demandsEncryption = true }, pairing: .justWorks, code: .linkPairing, phase: .connect, leftAs: .untouched),
    Row(
      name: "wrong passkey",
      quirks: {
        $0.demandsEncryption = true
        $0.acceptsPairing = .passkey(1)
      }, pairing: .passkey(2), code: .linkPairing, phase: .connect, leftAs: .untouched),
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
    bench.order.pairing = row.pairing
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

  /// The waits for a busy board are longer than the shipped `stall_timeout`; they have their own limit, and the operator is told what the board said.
  @Test(arguments: [(BoardFault.Action.busy, FailureCode.smpBusy), (.noMemory, .smpNoMemory)])
  func staysBusyInMidUpload(_ action: BoardFault.Action, _ code: FailureCode) async throws {
    let bench = SessionBench([BoardFault(action, count: 5, times: 0, group: 1, command: 1)])
    bench.limits.stall = .seconds(15)
    let record = try await bench.run()
    #expect(record.failureCode == code, "\(record.failureMessage ?? "")")
    #expect(record.outcome == .failed)
    #expect(record.failurePhase == .upload)
    #expect(record.leftAs == .application)
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

  @Test(arguments: [true, false]) func anAdapterThatDoesNotListenForTheReturnIsTheStationsFault(_ refuses: Bool) async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.observer.phases.contains(.reset) }
    if refuses { bench.central.failDiscovery(on: 0) } else { bench.central.endDiscovery(on: 0) }
    let record = try await bench.pump.finish(work, within: .seconds(60))
    #expect(record.outcome == .error)
    #expect(record.failureCode == .adapterFailed)
    #expect(record.failurePhase == .reconnect)
    #expect(record.leftAs == .unknown)
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
