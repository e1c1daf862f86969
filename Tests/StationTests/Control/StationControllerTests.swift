import Bluetooth
import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// Whole jobs of a station: which board goes where, what follows an attempt, and how a job ends (contract §§1, 2).
@Suite struct StationControllerTests {
  /// Whatever the order in which tasks are run.
  @Test(arguments: [nil, 1, 2, 3, 4] as [UInt64?]) func fourAdaptersFlashEightBoardsOnceEach(_ seed: UInt64?) async throws {
    let bench = StationBench(adapters: 4, seed: seed)
    for number in 1...8 { bench.add(number) }
    bench.bounds = BatchBounds(count: 8)
    #expect(try await bench.run() == 0)
    #expect(bench.store.finished.count == 8)
    #expect(Set(bench.store.finished.map(\.mac)).count == 8)
    #expect(bench.store.finished.allSatisfy { $0.good && $0.outcome == .passed && $0.isFinal && $0.attempt == 1 })
    // Spread: no adapter did more than twice its share, none stood idle.
    let shares = Dictionary(grouping: bench.store.finished, by: \.adapterPath).mapValues(\.count)
    #expect(shares.count == 4)
    #expect(shares.values.allSatisfy { (1...4).contains($0) })
    for board in bench.boards {
      #expect(board.version == "1.1.0")
      #expect(board.links == 2)
      #expect(board.resets.count == 1)
    }
    #expect(bench.store.ended?.reason == .count)
    #expect(bench.central.violations.isEmpty)
  }

  @Test func theRecordSaysWhoDidWhat() async throws {
    let bench = StationBench()
    let board = bench.add(1)
    bench.bounds = BatchBounds(count: 1)
    _ = try await bench.run()
    let record = try #require(bench.finished(board).first)
    #expect(record.batchID == 7)
    #expect(record.stationID == "S1")
    #expect(record.lot == "L1")
    #expect(record.workOrder == "W1")
    #expect(record.operator == "op")
    #expect(record.profile == "line")
    #expect(record.upgradeMode == .testAndConfirm)
    #expect(record.package == "new.bin")
    #expect(record.imageHash == LineImages.hash(LineImages.new).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    #expect(record.adapterPath == "1-1")
    #expect(record.adapterMAC == LineCentral.handle(0).address)
    #expect(record.rssi == -50)
    #expect(record.serialNumber == "SN-1")
    #expect(bench.store.phases(of: 1).first == .connect)
    #expect(bench.store.phases(of: 1).last == .detach)
    #expect(bench.store.key?.profiles == ["line"])
  }

  @Test func theAdapterThatHearsABoardBestGetsIt() async throws {
    let bench = StationBench(adapters: 2)
    let near = bench.add(1, quirks: { $0.strengths = ["1-1": -75, "1-2": -40] })
    let far = bench.add(2, quirks: { $0.strengths = ["1-1": -60, "1-2": -70] })
    bench.bounds = BatchBounds(count: 2)
    #expect(try await bench.run() == 0)
    #expect(bench.finished(near).map(\.adapterPath) == ["1-2"])
    #expect(bench.finished(far).map(\.adapterPath) == ["1-1"])
  }

  @Test func weakAndForeignBoardsAreLeftAlone() async throws {
    let bench = StationBench()
    let weak = bench.add(1, quirks: { $0.rssi = -90 })
    let foreign = bench.add(2, quirks: { $0.advertisedName = "Other" })
    bench.bounds = BatchBounds(idle: .seconds(20))
    #expect(try await bench.run() == 0)
    #expect(weak.links == 0)
    #expect(foreign.links == 0)
    #expect(bench.store.begun.isEmpty)
    #expect(bench.store.ended?.reason == .idle)
  }

  @Test func aSecondRunSkipsWhatTheFirstDid() async throws {
    let bench = StationBench(adapters: 2)
    for number in 1...4 { bench.add(number, running: LineImages.new) }
    #expect(try await bench.run() == 0)
    #expect(bench.store.finished.map(\.outcome) == [Outcome](repeating: .skipped, count: 4))
    #expect(bench.boards.allSatisfy { $0.writes.isEmpty && $0.links == 1 })
    // Skipped boards fill no count.
    #expect(bench.events.end?.counts[.skipped] == 4)
  }

  // MARK: retries

  @Test func aBoardThatFailsIsTriedElsewhereAndNotForEver() async throws {
    let bench = StationBench(adapters: 2)
    let board = bench.add(1, [BoardFault(.refuseConnect, times: 0)])
    #expect(try await bench.run() == 1)
    let records = bench.finished(board)
    #expect(records.map(\.attempt) == [1, 2, 3])
    #expect(records.map(\.failureCode) == [.linkConnect, .linkConnect, .linkConnect])
    #expect(records.map(\.isFinal) == [false, false, true])
    #expect(records.count == 3 && records[0].adapterPath != records[1].adapterPath)
    #expect(records.count == 3 && records[1].adapterPath != records[2].adapterPath)
    #expect(bench.events.done.map(\.mac) == [board.address])
  }

  @Test func aRevertedImageIsUploadedAgainAndLimited() async throws {
    let bench = StationBench()
    let board = bench.add(1, [BoardFault(.imageReverts, times: 0)])
    #expect(try await bench.run() == 1)
    #expect(bench.finished(board).map(\.failureCode) == [.verifyReverted, .verifyReverted, .verifyReverted])
    #expect(bench.finished(board).allSatisfy { !$0.good && $0.leftAs == .application })
  }

  @Test func aBoardThatHealsIsPassedByItsSecondAttempt() async throws {
    let bench = StationBench()
    let board = bench.add(1, [BoardFault(.spoilImage)])
    #expect(try await bench.run() == 0)
    #expect(bench.finished(board).map(\.outcome) == [.failed, .passed])
    #expect(bench.finished(board).last?.good == true)
    #expect(bench.events.done.map(\.outcome) == [.passed])
  }

  @Test func aBoardThatNeverReturnsIsGivenUp() async throws {
    let bench = StationBench()
    let dead = bench.add(1, [BoardFault(.neverReturn)])
    let other = bench.add(2)
    #expect(try await bench.run() == 1)
    #expect(bench.finished(dead).map(\.failureCode) == [.verifyNeverReturned])
    #expect(bench.finished(dead).last?.leftAs == .unknown)
    #expect(bench.finished(other).last?.good == true)
    #expect(bench.events.done.count == 2)
    #expect(bench.events.end?.leftElsewhere.map(\.mac) == [dead.address])
  }

  // MARK: adapters and the stack

  @Test func anAdapterThatGoesCostsNoAttemptAndTheBoardPassesElsewhere() async throws {
    let bench = StationBench(adapters: 2)
    let board = bench.add(1, quirks: { $0.strengths = ["1-1": -40, "1-2": -60] })
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { board.uploads >= 5 }
    bench.central.unplug(0)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    let records = bench.finished(board)
    #expect(records.map(\.outcome) == [.error, .passed])
    #expect(records.first?.failureCode == .adapterRemoved)
    #expect(records.map(\.adapterPath) == ["1-1", "1-2"])
    #expect(records.last?.good == true)
    #expect(bench.events.count("adapter.removed") == 1)
  }

  @Test func anAdapterThatComesDuringAJobGetsAWorker() async throws {
    let bench = StationBench(adapters: 1)
    for number in 1...6 { bench.add(number) }
    bench.bounds = BatchBounds(count: 6)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { bench.store.begun.count == 1 }
    bench.central.plug(1)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    #expect(Set(bench.store.finished.map(\.adapterPath)) == ["1-1", "1-2"])
  }

  /// The same USB socket, the same number and address: it was without power meanwhile and has to be made ready again.
  @Test func anAdapterThatIsPluggedInAgainIsMadeReadyAgain() async throws {
    let bench = StationBench(adapters: 1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(10)) { bench.central.listeningTimes >= 1 }
    #expect(bench.central.prepared(0) == 1)
    bench.central.unplug(0)
    try await bench.pump.turn(within: .seconds(10)) { bench.events.count("adapter.removed") == 1 }
    bench.central.plug(0)
    let board = bench.add(1)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    #expect(bench.finished(board).last?.good == true)
    #expect(bench.central.prepared(0) == 1)
  }

  @Test func noAdapterIsAFaultOfTheStation() async throws {
    let bench = StationBench(adapters: 0)
    bench.add(1)
    #expect(try await bench.run(within: .seconds(30)) == 3)
    #expect(bench.events.count("station.fault") == 1)
    #expect(bench.store.ended?.reason == .fault)
  }

  @Test func adaptersThatAreAllGoneAreWaitedForWithinALimit() async throws {
    let bench = StationBench(adapters: 1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(10)) { bench.central.listeningTimes >= 1 }
    bench.central.unplug(0)
    let gone = bench.clock.now.sinceStart
    #expect(try await bench.pump.finish(work, within: .seconds(120)) == 3)
    #expect((.seconds(30)...(.seconds(32))).contains(bench.clock.now.sinceStart - gone))
    #expect(bench.events.faults == [.adapterRemoved])
  }

  @Test func aBusThatStaysAwayIsAFault() async throws {
    let bench = StationBench(adapters: 2)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(10)) { bench.central.listeningTimes >= 2 }
    bench.central.setAway(true)
    let gone = bench.clock.now.sinceStart
    #expect(try await bench.pump.finish(work, within: .seconds(120)) == 3)
    #expect((.seconds(20)...(.seconds(22))).contains(bench.clock.now.sinceStart - gone))
    #expect(bench.events.faults == [.busGone])
  }

  @Test func aBusThatComesBackInTimeIsWaitedFor() async throws {
    let bench = StationBench(adapters: 2)
    let board = bench.add(1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { board.uploads >= 5 }
    bench.central.setAway(true)
    try await bench.pump.turn(within: .seconds(60)) { bench.finished(board).count == 1 }
    #expect(bench.finished(board).map(\.failureCode) == [.busGone])
    try await bench.pump.turn(within: .seconds(60)) { bench.clock.now.sinceStart > .seconds(15) }
    bench.central.setAway(false)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    #expect(bench.finished(board).last?.good == true)
    #expect(bench.events.faults.isEmpty)
  }

  @Test func anAdapterThatCannotListenIsLeftAlone() async throws {
    let bench = StationBench(adapters: 2)
    bench.central.failDiscovery(on: 0)
    for number in 1...2 { bench.add(number) }
    #expect(try await bench.run() == 0)
    #expect(Set(bench.store.finished.map(\.adapterPath)) == ["1-2"])
    #expect(bench.events.faults == [.adapterFailed])
    #expect(bench.events.count("adapter.excluded") == 1)
  }

  @Test func anAdapterWhoseListeningEndsByItselfIsLeftAlone() async throws {
    let bench = StationBench(adapters: 2)
    bench.central.endDiscovery(on: 0)
    bench.add(1)
    #expect(try await bench.run() == 0)
    #expect(bench.events.faults == [.adapterFailed])
    #expect(bench.central.listeningTimes < 20)
  }

  /// Five failures in a row spoil an adapter, five in a night do not.
  @Test func anAdapterThatFailsNowAndThenGoesOn() async throws {
    let bench = StationBench()
    bench.bounds = BatchBounds(idle: .seconds(1000))
    let work = try bench.begin(bench.controller())
    for round in 1...8 {
      try await bench.pump.turn(within: .seconds(200)) { bench.clock.now.sinceStart >= .seconds(70 * round) }
      bench.central.breakDiscovery(on: 0)
    }
    let board = bench.add(1)
    #expect(try await bench.pump.finish(work, within: .seconds(3000)) == 0)
    #expect(bench.events.faults.isEmpty)
    #expect(bench.finished(board).last?.good == true)
  }

  // MARK: the operator

  @Test func aStopAbortsTheBoardsInHand() async throws {
    let bench = StationBench(adapters: 2)
    for number in 1...3 { bench.add(number) }
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.boards.count { $0.uploads >= 5 } == 2 }
    let stopped = bench.clock.now.sinceStart
    try await bench.ask { await controller.stop() }
    #expect(try await bench.pump.finish(work, within: .seconds(5)) == 130)
    #expect(bench.clock.now.sinceStart - stopped < .seconds(5))
    #expect(bench.store.finished.map(\.outcome) == [.aborted, .aborted])
    #expect(bench.store.finished.allSatisfy { $0.failureCode == .operatorStopped && !$0.isFinal })
    #expect(bench.store.begun.count == 2)
    #expect(bench.boards.allSatisfy { !$0.isConnected })
    #expect(bench.store.ended?.reason == .operator)
    #expect(bench.events.done.isEmpty)
  }

  @Test func aStopBeforeTheBatchIsOpenStopsTheJob() async throws {
    let bench = StationBench()
    bench.add(1)
    let controller = try bench.controller()
    try await bench.ask { await controller.stop() }
    #expect(try await bench.pump.finish(bench.begin(controller), within: .seconds(5)) == 130)
    #expect(bench.store.begun.isEmpty)
  }

  @Test func aDrainBeforeTheBatchIsOpenIsKept() async throws {
    let bench = StationBench()
    bench.add(1)
    let controller = try bench.controller()
    try await bench.ask { await controller.drain() }
    #expect(try await bench.pump.finish(bench.begin(controller), within: .seconds(10)) == 0)
    #expect(bench.store.begun.isEmpty)
  }

  @Test func aDrainFinishesTheBoardsInHandAndStartsNoOther() async throws {
    let bench = StationBench(adapters: 2)
    for number in 1...4 { bench.add(number) }
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.boards.count { $0.uploads >= 5 } == 2 }
    let listened = bench.central.listeningTimes
    try await bench.ask { await controller.drain() }
    #expect(try await bench.pump.finish(work, within: .seconds(120)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed, .passed])
    #expect(bench.store.begun.count == 2)
    #expect(bench.store.ended?.reason == .operator)
    // Two boards are heard again after their reset; no worker listens for others.
    #expect(bench.central.listeningTimes == listened + 2)
  }

  // MARK: bounds

  @Test func neverMoreThanCountAreWrittenTo() async throws {
    let bench = StationBench(adapters: 4)
    for number in 1...8 { bench.add(number) }
    bench.bounds = BatchBounds(count: 3)
    #expect(try await bench.run() == 0)
    #expect(bench.boards.count { !$0.writes.isEmpty } == 3)
    #expect(bench.store.ended?.reason == .count)
  }

  @Test func countThatIsNotMetIsNotGood() async throws {
    let bench = StationBench()
    bench.add(1)
    bench.bounds = BatchBounds(count: 2, idle: .seconds(30))
    #expect(try await bench.run() == 1)
    #expect(bench.store.ended?.reason == .idle)
  }

  @Test func noBoardStartsAfterUntil() async throws {
    let bench = StationBench()
    for number in 1...8 { bench.add(number) }
    bench.bounds = BatchBounds(until: .seconds(5))
    #expect(try await bench.run() == 0)
    #expect(bench.store.ended?.reason == .until)
    #expect((1..<8).contains(bench.store.finished.count))
    #expect(bench.store.finished.allSatisfy { $0.good && $0.startedAt < 1_796_000_005_000 })
  }

  @Test func listedBoardsAndTheMissingOne() async throws {
    let bench = StationBench(adapters: 2)
    let first = bench.add(1)
    let second = bench.add(2)
    let stranger = bench.add(3)
    let absent = StationBench.address(9)
    bench.bounds = BatchBounds(
      idle: .seconds(30),
      boards: BoardList(entries: [
        BoardList.Entry(unitID: "U1", mac: first.address, serialNumber: nil, line: 2),
        BoardList.Entry(unitID: "U2", mac: second.address, serialNumber: "SN-other", line: 3),
        BoardList.Entry(unitID: "U9", mac: absent, serialNumber: nil, line: 4),
      ]))
    #expect(try await bench.run() == 1)
    #expect(bench.finished(first).map(\.unitID) == ["U1"])
    #expect(bench.finished(first).last?.good == true)
    #expect(bench.finished(second).map(\.failureCode) == [.identitySerialOther])
    #expect(stranger.links == 0)
    #expect(bench.store.ended?.missing == ["U9"])
    #expect(bench.events.end?.missing == ["U9"])
  }

  @Test func aListThatIsDoneEndsTheJob() async throws {
    let bench = StationBench()
    let board = bench.add(1)
    bench.bounds = BatchBounds(boards: BoardList(entries: [BoardList.Entry(unitID: nil, mac: nil, serialNumber: "SN-1", line: 2)]))
    #expect(try await bench.run() == 0)
    #expect(bench.finished(board).last?.good == true)
    #expect(bench.store.ended?.reason == .boards)
  }

  // MARK: refusals, quarantine, halts

  @Test func twoProfilesAreRefusedWithoutAConnection() async throws {
    let bench = StationBench()
    bench.profiles.append(StationBench.profile.replacingLine("name = line", "name = other"))
    let board = bench.add(1)
    #expect(try await bench.run() == 1)
    #expect(bench.finished(board).map(\.failureCode) == [.policyTwoProfiles])
    #expect(bench.finished(board).map(\.outcome) == [.refused])
    #expect(board.links == 0)
  }

  @Test func aPrivateAddressIsRefusedWithoutAConnection() async throws {
    let bench = StationBench()
    let board = bench.add(1, address: BluetoothAddress(bits: 0x4A00_0000_0001))
    #expect(try await bench.run() == 1)
    #expect(bench.finished(board).map(\.failureCode) == [.identityPrivateAddress])
    #expect(board.links == 0)
  }

  @Test(arguments: [1, 2]) func theSameSerialTwiceIsRefused(_ adapters: Int) async throws {
    let bench = StationBench(adapters: adapters)
    bench.profiles = [StationBench.profile + "[identity]\nserial = unique\n"]
    for number in 1...2 { bench.add(number, settings: { $0.serial = "SN-same" }) }
    #expect(try await bench.run() == 1)
    let outcomes = bench.store.finished.map(\.outcome)
    #expect(outcomes.count { $0 == .passed } == 1)
    #expect(bench.store.finished.compactMap(\.failureCode) == [.identitySerialTwice])
    #expect(bench.boards.count { $0.writes.isEmpty } == 1)
  }

  @Test func aBoardInQuarantineIsRefusedUntilItIsLifted() async throws {
    let bench = StationBench()
    let board = bench.add(1)
    bench.store.setFailures(3, of: board.address)
    #expect(try await bench.run() == 1)
    #expect(bench.finished(board).map(\.failureCode) == [.policyQuarantined])
    #expect(board.links == 0)

    let lifting = StationBench()
    let lifted = lifting.add(1)
    lifting.store.setFailures(3, of: lifted.address)
    lifting.liftsQuarantine = true
    #expect(try await lifting.run() == 0)
    #expect(lifting.finished(lifted).last?.good == true)
  }

  /// Whether a board is in quarantine must be known before it is flashed.
  @Test func aHistoryThatCannotBeReadFlashesNothing() async throws {
    let bench = StationBench()
    let board = bench.add(1)
    bench.store.failReading()
    #expect(try await bench.run() == 3)
    #expect(board.links == 0)
    #expect(bench.events.faults == [.diskFailed])
  }

  @Test func theSameFailureInARowHaltsTheLine() async throws {
    let bench = StationBench()
    bench.limits += "attempts = 1\n"
    bench.limits = bench.limits.replacingLine("stop_after_same_failures = 0", "stop_after_same_failures = 2")
    for number in 1...5 { bench.add(number, [BoardFault(.imageReverts, times: 0)]) }
    #expect(try await bench.run() == 1)
    #expect(bench.store.finished.map(\.failureCode) == [.verifyReverted, .verifyReverted])
    #expect(bench.store.ended?.reason == .sameFailures)
    #expect(bench.boards.count { $0.links > 0 } == 2)
  }

  // MARK: records

  @Test func aDatabaseThatIsHeldElsewhereIsAFault() async throws {
    let bench = StationBench()
    bench.store.failOpening()
    #expect(try await bench.run() == 3)
    #expect(bench.events.names == ["station.started", "station.fault"])
    #expect(bench.events.faults == [.stationBusy])
  }

  @Test func aFullDiskTouchesNoFurtherBoard() async throws {
    let bench = StationBench()
    for number in 1...4 { bench.add(number) }
    bench.store.failCommits(after: 1)
    #expect(try await bench.run() == 3)
    #expect(bench.store.begun.count == 2)
    #expect(bench.events.done.count == 1)
    #expect(bench.events.faults == [.diskFailed])
    #expect(bench.store.ended?.reason == .fault)
  }

  /// The board in hand on another adapter is given up because of the station, not of the operator; it is not at its end in this batch.
  @Test func aFaultGivesUpTheOtherBoardAsTheStationsFault() async throws {
    let bench = StationBench(adapters: 2)
    let inHand = bench.add(1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { inHand.uploads >= 5 }
    bench.store.failReading()
    let next = bench.add(2)
    #expect(try await bench.pump.finish(work, within: .seconds(60)) == 3)
    #expect(next.links == 0)
    #expect(!inHand.isConnected)
    #expect(bench.finished(inHand).map(\.outcome) == [.error])
    #expect(bench.finished(inHand).map(\.failureCode) == [.diskFailed])
    #expect(bench.finished(inHand).map(\.isFinal) == [false])
    #expect(bench.events.done.isEmpty)
  }

  @Test func anEndThatCannotBeKeptIsAFault() async throws {
    let bench = StationBench()
    bench.add(1)
    bench.store.failEnding()
    #expect(try await bench.run() == 3)
    #expect(bench.events.faults == [.diskFailed])
  }

  @Test func aBatchGoesOnWhereItWas() async throws {
    let bench = StationBench()
    let done = bench.add(1, running: LineImages.new)
    let crashed = bench.add(2, running: LineImages.new)
    let open = bench.add(3)
    func earlier(_ board: LineBoard, _ outcome: Outcome, _ code: FailureCode?, _ leftAs: LeftAs) -> AttemptRecord {
      var record = AttemptRecord(
        batchID: 7, stationID: "S1", profile: "line", job: .update, mac: board.address, addressType: .random, attempt: 1, startedAt: 0,
        toolVersion: "test")
      record.outcome = outcome
      record.failureCode = code
      record.leftAs = leftAs
      record.good = outcome == .passed
      record.isFinal = outcome == .passed
      return record
    }
    bench.store.setEarlier([earlier(done, .passed, nil, .application), earlier(crashed, .aborted, .stationCrashed, .unknown)])
    bench.bounds = BatchBounds(count: 3)
    #expect(try await bench.run() == 0)
    #expect(done.links == 0)
    // What the crashed attempt had flashed is passed, and its second attempt.
    #expect(bench.finished(crashed).map(\.outcome) == [.passed])
    #expect(bench.finished(crashed).map(\.attempt) == [2])
    #expect(crashed.writes.isEmpty)
    #expect(bench.finished(open).map(\.outcome) == [.passed])
    #expect(bench.events.end?.good == 3)
  }
}

extension String {
  func replacingLine(_ old: String, _ new: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0 == old ? new : String($0) }.joined(separator: "\n")
  }
}
