import Bluetooth
import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// How a job ends: by the operator, or by its bounds (contract §§1, 2).
@Suite struct StationBoundTests {
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
}
