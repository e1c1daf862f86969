import Bluetooth
import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// Boards that are refused, lines that are halted, and records that cannot be kept.
@Suite struct StationRefusalTests {
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
