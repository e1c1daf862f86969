import Bluetooth
import Flashing
import LineFixture
import Testing
import VirtualLine

@testable import Station

/// Whole jobs of a station: which board goes where, and what follows an attempt (contract §2).
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
}
