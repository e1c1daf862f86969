import Bluetooth
import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// Adapters and a Bluetooth stack that come and go during a job.
@Suite struct StationAdapterTests {
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

  @Test func aBusThatIsAwayAtTheStartIsWaitedForToo() async throws {
    let bench = StationBench(adapters: 2)
    bench.central.setAway(true)
    let board = bench.add(1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { bench.clock.now.sinceStart > .seconds(15) }
    #expect(bench.events.count("adapter.excluded") == 2)
    bench.central.setAway(false)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    #expect(bench.finished(board).last?.good == true)
    #expect(bench.events.faults.isEmpty)
  }

  @Test func aBusThatNeverComesIsAFault() async throws {
    let bench = StationBench(adapters: 2)
    bench.central.setAway(true)
    #expect(try await bench.run(within: .seconds(60)) == 3)
    #expect((.seconds(20)...(.seconds(22))).contains(bench.clock.now.sinceStart))
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

  /// The board was not silent: there was nobody to hear it.
  @Test func aBoardIsNotGivenUpWhileNoAdapterListens() async throws {
    let bench = StationBench(adapters: 2)
    bench.limits = "board_timeout = 5m\nswap_timeout = 5s\nbus_timeout = 20s\nstop_after_same_failures = 0\n"
    let board = bench.add(1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { board.uploads >= 5 }
    bench.central.setAway(true)
    let gone = bench.clock.now.sinceStart
    try await bench.pump.turn(within: .seconds(60)) { bench.clock.now.sinceStart - gone > .seconds(15) }
    bench.central.setAway(false)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    #expect(bench.finished(board).map(\.outcome) == [.error, .passed])
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
}
