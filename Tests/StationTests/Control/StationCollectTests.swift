import Bluetooth
import Flashing
import LineFixture
import Locks
import Synchronization
import Testing
import VirtualLine

@testable import Station

/// `[observe] after_pass`: what a job does with a board that has passed changes nothing about its result.
@Suite struct StationCollectTests {
  private static func bench(_ length: String, _ collector: Collector) -> StationBench {
    let bench = StationBench()
    bench.profiles = [StationBench.profile + "[observe]\nafter_pass = \(length)\n"]
    bench.bounds = BatchBounds(count: 1)
    bench.collector = collector
    return bench
  }

  @Test func aPassedBoardIsCollectedOnceItsResultIsKept() async throws {
    let collector = Collector(DiagnosticCollection(chunks: 3, lost: 1, trouble: "x"))
    let bench = Self.bench("30s", collector)
    let board = bench.add(1)
    let store = bench.store
    collector.look { store.finished.count }
    #expect(try await bench.run() == 0)
    #expect(collector.asked == ["\(board.address) for 30.0 s, 1 kept"])
    #expect(bench.store.finished.count == 1 && bench.store.finished[0].good)
    #expect(bench.store.ended?.reason == .count, "the job ends after it")
  }

  @Test func notWithoutTheKeyNorAfterAFailure() async throws {
    let off = Collector(DiagnosticCollection())
    let without = Self.bench("0s", off)
    without.add(1)
    #expect(try await without.run() == 0 && off.asked == [])

    let failing = Collector(DiagnosticCollection())
    let bench = Self.bench("30s", failing)
    bench.add(1, [BoardFault(.neverReturn)])
    #expect(try await bench.run() == 1 && failing.asked == [])
  }

  @Test func theKeyHasLimits() throws {
    for (text, isGood) in [("0s", true), ("10m", true), ("601s", false), ("-1s", false), ("yes", false)] {
      let profile = try? BoardProfile(iniFile(StationBench.profile + "[observe]\nafter_pass = \(text)\n", file: "p.profile"))
      #expect((profile != nil) == isGood, "\(text)")
    }
    #expect(try BoardProfile(iniFile(StationBench.profile, file: "p.profile")).observe.afterPass == .zero)
  }
}

/// Notes what it is asked for.
private final class Collector: DiagnosticCollector {
  private struct State {
    var asked: [String] = []
    var kept: (@Sendable () -> Int)?
  }

  private let answer: DiagnosticCollection
  private let state = Locked(State())

  init(_ answer: DiagnosticCollection) {
    self.answer = answer
  }

  var asked: [String] { state.withLock { $0.asked } }
  func look(_ kept: @escaping @Sendable () -> Int) { state.withLock { $0.kept = kept } }

  func collect(
    from board: BluetoothAddress, on adapter: LineAdapter, _ handle: AdapterHandle, pairing: PairingMethod?, for length: Duration
  ) async -> DiagnosticCollection {
    state.withLock { $0.asked.append("\(board) for \(length.seconds) s, \($0.kept?() ?? 0) kept") }
    return answer
  }
}
