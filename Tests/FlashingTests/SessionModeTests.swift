import Firmware
import LineFixture
import Testing
import VirtualLine

@testable import Flashing

/// What contract §4 promises for each upgrade mode, on the two kinds of bootloader.
@Suite struct SessionModeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var mode: UpgradeMode
    var boot: BootMode
    var outcome: Outcome
    var state: ImageState?
    var good: Bool
    var leftAs: LeftAs
    var version: String
    var code: FailureCode?
    var testDescription: String { "\(mode) on \(boot)" }
  }

  static let rows = [
    Row(mode: .testAndConfirm, boot: .swapMove, outcome: .passed, state: .confirmed, good: true, leftAs: .application, version: "1.1.0"),
    Row(mode: .testAndConfirm, boot: .swapScratch, outcome: .passed, state: .confirmed, good: true, leftAs: .application, version: "1.1.0"),
    Row(mode: .testAndConfirm, boot: .swapOffset, outcome: .passed, state: .confirmed, good: true, leftAs: .application, version: "1.1.0"),
    Row(mode: .testAndConfirm, boot: .overwrite, outcome: .passed, state: .confirmed, good: true, leftAs: .application, version: "1.1.0"),
    Row(mode: .confirmOnly, boot: .swapMove, outcome: .passed, state: .confirmed, good: true, leftAs: .application, version: "1.1.0"),
    Row(mode: .confirmOnly, boot: .overwrite, outcome: .passed, state: .confirmed, good: true, leftAs: .application, version: "1.1.0"),
    Row(mode: .testOnly, boot: .swapMove, outcome: .passed, state: .testing, good: false, leftAs: .unconfirmed, version: "1.1.0"),
    Row(
      mode: .testOnly, boot: .overwrite, outcome: .refused, state: .unknown, good: false, leftAs: .untouched, version: "1.0.0", code: .policyNoRevert),
    Row(mode: .uploadOnly, boot: .swapMove, outcome: .passed, state: .stored, good: false, leftAs: .application, version: "1.0.0"),
    Row(mode: .uploadOnly, boot: .overwrite, outcome: .passed, state: .stored, good: false, leftAs: .application, version: "1.0.0"),
  ]

  @Test(arguments: rows) func mode(_ row: Row) async throws {
    let bench = SessionBench(mode: row.mode) { $0.bootMode = row.boot }
    let record = try await bench.run()
    #expect(record.outcome == row.outcome, "\(record.failureMessage ?? "")")
    #expect(record.failureCode == row.code)
    #expect(record.imageState == row.state)
    #expect(record.good == row.good)
    #expect(record.leftAs == row.leftAs)
    #expect(bench.board.version == row.version)
    #expect(record.firmwareBefore == "1.0.0")
    #expect(record.firmwareAfter == row.version)
    #expect(record.imageHashBefore == LineImages.hash(LineImages.old).hex)
    #expect(record.retries == 0)
    #expect(record.resumedFrom == nil)
    #expect(!bench.board.isConnected)
    #expect(bench.central.violations.isEmpty)
    if row.outcome == .passed {
      #expect(record.verifiedBy == .imageHash)
      #expect(record.uploadBytes == LineImages.new.count)
      #expect(bench.board.resets.count == (row.mode == .uploadOnly ? 0 : 1))
      #expect(bench.observer.progress.last == LineImages.new.count)
      #expect((record.uploadSeconds ?? 0) > 0)
      #expect((record.uploadSpeed ?? 0) > 0)
    } else {
      #expect(bench.board.writes.isEmpty)
    }
    #expect((record.duration ?? 0) > 0)
    #expect(record.finishedAt.map { $0 > record.startedAt } == true)
  }

  @Test func phasesOfAPlainRun() async throws {
    let bench = SessionBench()
    _ = try await bench.run()
    #expect(
      bench.observer.phases == [
        .connect, .identify, .prepare, .upload, .test, .reset, .reconnect, .verify, .prepare, .confirm, .verify, .detach,
      ])
  }

  @Test(arguments: UpgradeMode.allCases) func wantedImageRunsForGoodIsSkipped(_ mode: UpgradeMode) async throws {
    let bench = SessionBench(mode: mode, running: LineImages.new)
    let record = try await bench.run()
    #expect(record.outcome == .skipped)
    #expect(record.good)
    #expect(record.imageState == .confirmed)
    #expect(record.verifiedBy == .imageHash)
    #expect(record.uploadBytes == nil)
    #expect(bench.board.writes.isEmpty)
  }

  @Test func wantedImageOfAnEarlierAttemptOfTheBatchIsPassed() async throws {
    let bench = SessionBench(running: LineImages.new)
    bench.wasWrittenBefore = true
    let record = try await bench.run()
    #expect(record.outcome == .passed)
    #expect(record.good)
    #expect(bench.board.writes.isEmpty)
  }

  /// After a trial the same board gets the other modes: what is pending or unconfirmed is dealt with first (facts/device-manager.md §1.12).
  @Test func anImageOnTrialIsConfirmedWithoutAnUpload() async throws {
    let bench = SessionBench(mode: .testOnly)
    _ = try await bench.run()
    let before = bench.board.uploads
    bench.order.mode = .testAndConfirm
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed)
    #expect(record.imageState == .confirmed)
    #expect(record.good)
    #expect(bench.board.uploads == before)
    #expect(bench.board.resets.count == 1)
  }

  @Test func aForeignImageOnTrialIsResetAwayFirst() async throws {
    let bench = SessionBench(mode: .testOnly, image: LineImages.make(1, 5))
    bench.order.images[0].version = "1.5.0"
    let first = try await bench.run()
    #expect(first.imageState == .testing)
    bench.order = SessionBench.order(LineImages.make(1, 6), version: "1.6.0", mode: .testAndConfirm)
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(bench.board.version == "1.6.0")
    #expect(bench.board.boots == [.testSwap, .reverted, .testSwap])
  }

  @Test func aForeignPendingImageIsErasedFirst() async throws {
    // The reset is refused for ever, so that the foreign image stays pending.
    let bench = SessionBench([BoardFault(.refuse, times: 4, group: 0, command: 5)], mode: .confirmOnly, image: LineImages.make(1, 5))
    bench.order.images[0].version = "1.5.0"
    let first = try await bench.run()
    #expect(first.outcome == .failed)
    #expect(first.imageState == .pending)
    bench.order = SessionBench.order(LineImages.make(1, 6), version: "1.6.0", mode: .testAndConfirm)
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.version == "1.6.0")
    #expect(bench.board.writes.contains { $0.group == 1 && $0.command == 5 })
  }

  @Test func aNewerBoardIsRefusedUnlessAllowed() async throws {
    let bench = SessionBench(running: LineImages.make(2, 0))
    let refused = try await bench.run()
    #expect(refused.outcome == .refused)
    #expect(refused.failureCode == .policyDowngrade)
    #expect(refused.leftAs == .untouched)
    #expect(bench.board.writes.isEmpty)
    bench.order.allowsDowngrade = true
    let record = try await bench.run(attempt: 2)
    #expect(record.outcome == .passed)
    #expect(bench.board.version == "1.1.0")
  }

  @Test(arguments: [UInt8(0), 4, 5, 8, 17]) func bootloadersThatNeedAnotherWayAreRefused(_ mode: UInt8) async throws {
    var quirks = LineBoard.Quirks()
    quirks.reportedMode = mode
    let bench = SessionBench(quirks: quirks)
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .policyBootloader)
    #expect(record.leftAs == .untouched)
    #expect(!record.good)
    #expect(bench.board.writes.isEmpty)
  }

  /// The board does not know the command, and the profile says what it is.
  @Test func aBootloaderModeOfTheProfileIsRefusedToo() async throws {
    let bench = SessionBench { $0.bootloaderInfo = false }
    bench.order.assumedBootloaderMode = 4
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .policyBootloader)
    #expect(bench.board.writes.isEmpty)
  }

  @Test(arguments: [true, false]) func settingsAreErasedBeforeTheResetOrRefused(_ isBuilt: Bool) async throws {
    let bench = SessionBench { $0.eraseStorage = isBuilt }
    bench.order.erasesSettings = true
    let record = try await bench.run()
    #expect(record.settingsErased == (isBuilt ? .yes : .refused))
    #expect(record.outcome == .passed)
    #expect(bench.board.truth.storage?.erased == (isBuilt ? 1 : 0))
    // Last before the reset, which it would otherwise have to outlive.
    let changes = bench.board.writes.filter { $0.group == 63 || $0.group == 0 && $0.command == 5 || $0.group == 1 && $0.command == 0 }
    #expect(changes.map(\.group) == [1, 63, 0, 1])
  }
}
