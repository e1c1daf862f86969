import Flashing
import LineFixture
import Testing

@testable import Station

/// The same three disturbances at many moments of a job, with tasks run in many orders: no attempt is lost, and no job hangs.
@Suite struct StationMomentTests {
  /// Milliseconds since the start: from before the first advertisement to after the last reset.
  static let moments = stride(from: 50, through: 6000, by: 350).map { $0 }

  private func bench(_ moment: Int) -> StationBench {
    let bench = StationBench(adapters: 2, seed: UInt64(moment))
    for number in 1...4 { bench.add(number) }
    bench.bounds = BatchBounds(count: 4)
    return bench
  }

  private func turn(_ bench: StationBench, to moment: Int) async throws {
    try await bench.pump.turn(within: .seconds(60)) { bench.clock.now.sinceStart >= .milliseconds(moment) }
  }

  private func everythingIsRecorded(_ bench: StationBench) {
    #expect(bench.store.begun.count == bench.store.finished.count)
    #expect(bench.boards.allSatisfy { !$0.isConnected })
    #expect(bench.central.violations.isEmpty)
    #expect(bench.store.ended != nil)
    #expect(bench.events.names.last == "batch.finished")
  }

  @Test(arguments: moments) func aStop(_ moment: Int) async throws {
    let bench = bench(moment)
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await turn(bench, to: moment)
    let wasOver = bench.store.ended != nil
    try await bench.ask { await controller.stop() }
    let exit = try await bench.pump.finish(work, within: .seconds(5))
    #expect(exit == (wasOver ? 0 : 130))
    everythingIsRecorded(bench)
    #expect(bench.store.finished.allSatisfy { $0.outcome == .passed || $0.outcome == .aborted })
  }

  @Test(arguments: moments) func aDrain(_ moment: Int) async throws {
    let bench = bench(moment)
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await turn(bench, to: moment)
    try await bench.ask { await controller.drain() }
    let begun = bench.store.begun.count
    _ = try await bench.pump.finish(work, within: .seconds(60))
    everythingIsRecorded(bench)
    #expect(bench.store.finished.allSatisfy { $0.outcome == .passed })
    // At most the boards that were being handed over at that moment.
    #expect(bench.store.begun.count <= begun + 2)
  }

  @Test(arguments: moments) func anAdapterThatGoesAndComesBack(_ moment: Int) async throws {
    let bench = bench(moment)
    let work = try bench.begin(bench.controller())
    try await turn(bench, to: moment)
    bench.central.unplug(0)
    try await turn(bench, to: moment + 2000)
    // The kernel gives it another number; the socket is the same.
    bench.central.plug(5, path: "1-1")
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    everythingIsRecorded(bench)
    #expect(bench.boards.allSatisfy { $0.version == "1.1.0" })
    #expect(bench.store.finished.allSatisfy { $0.outcome == .passed || $0.outcome == .error })
    #expect(bench.events.end?.good == 4)
  }

  @Test(arguments: moments) func aStackThatRestarts(_ moment: Int) async throws {
    let bench = bench(moment)
    let work = try bench.begin(bench.controller())
    try await turn(bench, to: moment)
    bench.central.setAway(true)
    try await turn(bench, to: moment + 3000)
    bench.central.setAway(false)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    everythingIsRecorded(bench)
    #expect(bench.events.end?.good == 4)
  }

  /// A disk that fills up at some commit: the station stops, boards are let go, and nothing more is begun.
  @Test(arguments: 0...4) func aDiskThatFills(_ commits: Int) async throws {
    let bench = bench(commits)
    bench.store.failCommits(after: commits)
    let exit = try await bench.run(within: .seconds(120))
    #expect(exit == (commits == 4 ? 0 : 3))
    #expect(bench.boards.allSatisfy { !$0.isConnected })
    #expect(bench.store.finished.count <= commits)
    #expect(bench.store.begun.count <= commits + 2)
  }
}
