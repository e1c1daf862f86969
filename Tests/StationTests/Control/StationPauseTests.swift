import Bluetooth
import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// A whole job that is paused, goes on, or is given up meanwhile.
@Suite struct StationPauseTests {
  private func wait(_ bench: StationBench, _ length: Duration) async throws {
    let end = bench.clock.now.sinceStart + length
    try await bench.pump.turn(within: length + .seconds(1)) { bench.clock.now.sinceStart >= end }
  }

  private func requests(_ bench: StationBench) -> Int { bench.boards.map(\.requests.count).reduce(0, +) }

  private func pauses(_ bench: StationBench) -> [String] { bench.events.names.filter { $0 == "station.paused" || $0 == "station.resumed" } }

  /// Four boards, two adapters, `--idle 40s`, and a pause of an hour that no limit and no bound counts.
  @Test func boardsInHandStandStillAndNoOtherIsBegun() async throws {
    let bench = StationBench(adapters: 2)
    bench.limits += "pause_timeout = 2h\n"
    for number in 1...4 { bench.add(number) }
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.boards.count { $0.uploads >= 5 } == 2 }
    controller.pause()
    try await wait(bench, .seconds(10))
    let (before, begun) = (requests(bench), bench.store.begun.count)
    try await wait(bench, .seconds(3600))
    #expect(requests(bench) == before)
    #expect(bench.store.begun.count == begun)
    #expect(bench.boards.count(where: \.isConnected) == 2, "their links stay")
    controller.resume()
    #expect(try await bench.pump.finish(work, within: .seconds(300)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed, .passed, .passed, .passed])
    #expect(bench.store.finished.allSatisfy { $0.retries == 0 && $0.attempt == 1 })
    #expect(pauses(bench) == ["station.paused", "station.resumed"])
    #expect(bench.store.ended?.reason == .idle)
    #expect(bench.central.violations.isEmpty)
  }

  /// A pause is no idle time, neither before the first board nor after the last one.
  @Test func idleDoesNotRunInAPause() async throws {
    let bench = StationBench()
    bench.bounds = BatchBounds(idle: .seconds(40))
    let controller = try bench.controller()
    controller.pause()
    let work = bench.begin(controller)
    try await wait(bench, .seconds(600))
    #expect(bench.store.ended == nil)
    bench.add(1)
    try await wait(bench, .seconds(60))
    #expect(bench.store.begun.isEmpty)
    controller.resume()
    #expect(try await bench.pump.finish(work, within: .seconds(120)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed])
  }

  /// `--until` is an hour of the day: it comes in a pause, too.
  @Test func untilComesInAPause() async throws {
    let bench = StationBench()
    for number in 1...2 { bench.add(number) }
    bench.bounds = BatchBounds(until: .seconds(5))
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(5)) { bench.boards.contains { $0.uploads >= 5 } }
    controller.pause()
    try await wait(bench, .seconds(100))
    #expect(bench.store.ended == nil, "the board in hand waits")
    controller.resume()
    #expect(try await bench.pump.finish(work, within: .seconds(60)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed])
    #expect(bench.store.ended?.reason == .until)
  }

  @Test func aStopInAPauseWorksAtOnce() async throws {
    let bench = StationBench(adapters: 2)
    for number in 1...3 { bench.add(number) }
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.boards.count { $0.uploads >= 5 } == 2 }
    controller.pause()
    try await wait(bench, .seconds(100))
    let began = bench.clock.now.sinceStart
    try await bench.ask { await controller.stop() }
    #expect(try await bench.pump.finish(work, within: .seconds(5)) == 130)
    #expect(bench.clock.now.sinceStart - began < .seconds(2))
    #expect(bench.store.finished.map(\.outcome) == [.aborted, .aborted])
    #expect(bench.store.finished.allSatisfy { $0.failureCode == .operatorStopped })
    #expect(bench.boards.allSatisfy { !$0.isConnected })
  }

  @Test func aDrainEndsThePause() async throws {
    let bench = StationBench(adapters: 2)
    for number in 1...4 { bench.add(number) }
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.boards.count { $0.uploads >= 5 } == 2 }
    controller.pause()
    try await wait(bench, .seconds(100))
    try await bench.ask { await controller.drain() }
    #expect(try await bench.pump.finish(work, within: .seconds(60)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed, .passed])
    #expect(pauses(bench) == ["station.paused", "station.resumed"])
  }

  /// A pause has a limit: the job ends as the operator's stop does, and the same job goes on with the boards.
  @Test func aPauseThatIsTooLongEndsTheJob() async throws {
    let bench = StationBench(adapters: 2)
    bench.limits += "pause_timeout = 90s\n"
    for number in 1...3 { bench.add(number) }
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.boards.count { $0.uploads >= 5 } == 2 }
    controller.pause()
    #expect(try await bench.pump.finish(work, within: .seconds(100)) == 130)
    #expect(bench.store.finished.map(\.outcome) == [.aborted, .aborted])
    #expect(bench.store.finished.allSatisfy { $0.failureCode == .operatorPaused && !$0.isFinal })
    #expect(bench.store.finished.allSatisfy { $0.failureMessage?.hasPrefix("paused for longer than ") == true })
    #expect(bench.store.ended?.reason == .operator)
    #expect(bench.boards.allSatisfy { !$0.isConnected })
    guard case .stationResumed(_, isOverdue: true)? = bench.events.all.map(\.event).first(where: { $0.name == "station.resumed" }) else {
      Issue.record("the end of the pause is not told")
      return
    }
    bench.store.setEarlier(bench.store.finished)
    #expect(try await bench.run() == 0)
    #expect(bench.boards.allSatisfy { $0.version == "1.1.0" })
  }

  /// The last of several quick wishes holds, in whatever order tasks are run, and nothing is told twice.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func quickWishes(_ seed: UInt64) async throws {
    let bench = StationBench(adapters: 2, seed: seed)
    for number in 1...4 { bench.add(number) }
    bench.bounds = BatchBounds(count: 4)
    let controller = try bench.controller()
    let work = bench.begin(controller)
    for _ in 0..<20 {
      try await wait(bench, .milliseconds(100))
      for _ in 0..<3 {
        controller.pause()
        controller.resume()
      }
      controller.pause()
      try await wait(bench, .seconds(20))
      controller.resume()
    }
    #expect(try await bench.pump.finish(work, within: .seconds(120)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed, .passed, .passed, .passed])
    let told = pauses(bench)
    #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
    #expect(told.first == "station.paused")
  }

  /// The proof of issue 5 on a turned clock: 30 s at many moments of a job, nothing lost, nothing counted against a board.
  @Test(arguments: StationMomentTests.moments) func aPauseAtAnyMoment(_ moment: Int) async throws {
    let bench = StationBench(adapters: 2, seed: UInt64(moment))
    for number in 1...4 { bench.add(number) }
    bench.bounds = BatchBounds(count: 4)
    bench.limits = "stall_timeout = 5s\nboard_timeout = 25s\nswap_timeout = 20s\n"
    let controller = try bench.controller()
    let work = bench.begin(controller)
    try await bench.pump.turn(within: .seconds(60)) { bench.clock.now.sinceStart >= .milliseconds(moment) }
    controller.pause()
    try await wait(bench, .seconds(30))
    controller.resume()
    #expect(try await bench.pump.finish(work, within: .seconds(120)) == 0)
    #expect(bench.store.finished.map(\.outcome) == [.passed, .passed, .passed, .passed])
    #expect(bench.store.finished.allSatisfy { $0.retries == 0 })
    #expect(bench.boards.allSatisfy { $0.version == "1.1.0" && !$0.isConnected })
    #expect(bench.central.violations.isEmpty)
  }
}
