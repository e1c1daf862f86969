import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// Boards that an attempt leaves in their firmware loader, where they have another name and another address.
struct StationLoaderTests {
  @Test("The next attempt finds the board in its loader and finishes there")
  func foundAgain() async throws {
    let bench = StationBench()
    // One more than one attempt gets over.
    let board = bench.add(1, [BoardFault(.dropLink, offset: 5000, times: 6)], settings: { $0.bootMode = .firmwareLoader })
    _ = try await bench.run()
    let attempts = bench.finished(board)
    #expect(attempts.map(\.outcome) == [.failed, .passed], "\(attempts.map { $0.failureMessage ?? "" })")
    #expect(attempts.map(\.leftAs) == [.bootloader, .application])
    #expect(attempts.last?.good == true)
    #expect(board.version == "1.1.0")
    #expect(bench.central.violations.isEmpty)
  }

  @Test("A stranger of that name is not taken: nobody of this job has been given it")
  func strangers() async throws {
    let bench = StationBench()
    let board = bench.add(1)
    let stranger = bench.add(2, settings: { $0.name = StationBench.address(7).loaderName })
    _ = try await bench.run()
    #expect(bench.finished(board).map(\.outcome) == [.passed])
    #expect(bench.finished(stranger).isEmpty)
  }
}
