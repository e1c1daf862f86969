import Bluetooth
import Flashing
import LineFixture
import Testing

@testable import Station

/// What is tried on an adapter that fails, as a value and in a whole job.
struct HealingLadderTests {
  private static let waits = [1, 2, 3, 5].map { HealingLadder.Step.wait(.seconds($0)) }

  @Test("It is waited first, for longer than a discovery of the kernel; then each remedy once, from the mildest on; then it is given up")
  func steps() {
    var ladder = HealingLadder()
    let steps = (0..<9).map { ladder.failed(at: .seconds($0)) }
    #expect(steps == Self.waits + [.remedy(.stopDiscovery), .remedy(.powerCycle), .remedy(.reauthorise), .giveUp, .giveUp])
  }

  @Test("An adapter that works begins anew, but is re-authorised only once in a while")
  func anew() {
    var ladder = HealingLadder()
    for second in 0..<7 { _ = ladder.failed(at: .seconds(second)) }
    ladder.works()
    #expect(!ladder.isFailing)
    let soon = (0..<7).map { ladder.failed(at: .seconds(100 + $0)) }
    #expect(soon == Self.waits + [.remedy(.stopDiscovery), .remedy(.powerCycle), .giveUp])
    ladder.works()
    let later = (0..<7).map { ladder.failed(at: .seconds(1000 + $0)) }
    #expect(later.last == .remedy(.reauthorise))
  }

  @Test("In a job: the remedies in order, each told as an event; what is not permitted is no end", arguments: [nil, AdapterRemedy.stopDiscovery, .powerCycle])
  func job(helps: AdapterRemedy?) async throws {
    let bench = StationBench(adapters: 1)
    bench.central.plug(1)
    bench.central.failDiscovery(on: 0)
    if let helps { bench.central.help(by: helps) }
    for number in 1...2 { bench.add(number) }
    #expect(try await bench.run() == 0)
    let all: [AdapterRemedy] = [.stopDiscovery, .powerCycle, .reauthorise]
    let tried = helps.flatMap { all.firstIndex(of: $0) }.map { Array(all[...$0]) } ?? all
    // A job may end before the last remedy is due; what was tried is in order, and told.
    #expect(bench.central.remedies == Array(tried.prefix(bench.central.remedies.count)))
    #expect(!bench.central.remedies.isEmpty)
    #expect(bench.events.count("adapter.healing") == bench.central.remedies.count)
    #expect(bench.events.count("adapter.excluded") == (bench.central.remedies.count == 3 ? 1 : 0))
  }

  @Test("In a job: a stack that just came back may be busy for as long as a discovery of the kernel lasts; that is waited out")
  func waits() async throws {
    let bench = StationBench(adapters: 1)
    bench.central.failDiscovery(on: 0)
    let board = bench.add(1)
    let work = try bench.begin(bench.controller())
    try await bench.pump.turn(within: .seconds(60)) { bench.clock.now.sinceStart > .milliseconds(10_240) }
    bench.central.mendDiscovery(on: 0)
    #expect(try await bench.pump.finish(work, within: .seconds(600)) == 0)
    #expect(bench.central.remedies.isEmpty)
    #expect(bench.events.count("adapter.healing") == 0)
    #expect(bench.finished(board).last?.good == true)
  }

  @Test("A re-authorised adapter comes back as if plugged in again, and its boards are flashed")
  func reauthorised() async throws {
    let bench = StationBench(adapters: 1)
    bench.central.failDiscovery(on: 0)
    bench.central.permitReauthorisation()
    bench.central.help(by: .reauthorise)
    let board = bench.add(1)
    #expect(try await bench.run() == 0)
    #expect(bench.central.remedies == [.stopDiscovery, .powerCycle, .reauthorise])
    #expect(bench.finished(board).last?.good == true)
    // The two views of the adapters change one after the other, so it may go twice.
    #expect((1...2).contains(bench.events.count("adapter.removed")))
  }
}
