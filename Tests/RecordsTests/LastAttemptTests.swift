import Bluetooth
import Flashing
import Testing

@testable import Records

/// What is remembered of a board that turns up in its bootloader.
@Suite("The last attempt at a board")
struct LastAttemptTests {
  @Test("It is the newest finished one, by the application's address or the bootloader's, in whichever batch")
  func newest() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let first = try await book.record(batch, board: 1, .failed)
    let neighbour = first.mac.bootloaderNeighbour
    #expect(try await book.lastAttempt(at: neighbour) == nil)
    #expect(try await book.lastAttempt(at: BluetoothAddress(bits: 7)) == nil)

    let second = try await book.record(try await book.newBatch().id, board: 1, .failed, count: 2) {
      $0.dfuMAC = neighbour
      $0.leftAs = .bootloader
    }
    #expect(try await book.lastAttempt(at: first.mac)?.record == second.record)
    #expect(try await book.lastAttempt(at: neighbour)?.record == second.record)
    #expect(try await book.lastAttempt(at: neighbour)?.leftAs == .bootloader)

    // A later one without the other address does not hide it there, and is the last one here.
    let third = try await book.record(batch, board: 1, .passed, count: 3)
    #expect(try await book.lastAttempt(at: first.mac)?.record == third.record)
    #expect(try await book.lastAttempt(at: neighbour)?.record == second.record)

    // One that is not finished says nothing yet.
    _ = try await book.begin(Sample.attempt(batch, board: 1, count: 4, at: Sample.morning))
    #expect(try await book.lastAttempt(at: first.mac)?.record == third.record)
    try await book.close()
  }

  @Test("An attempt that a crash cut off counts, with the board left nobody knows how")
  func crashed() async throws {
    let bench = try Workbench()
    var book = try await bench.open()
    let open = try await book.begin(Sample.attempt(try await book.newBatch().id, board: 1, count: 1, at: Sample.morning))
    try await book.close()
    book = try await bench.open()
    _ = try await book.newBatch()
    let last = try #require(try await book.lastAttempt(at: open.mac))
    #expect(last.failureCode == .stationCrashed)
    try await book.close()
  }

  @Test("Both addresses are found by an index, so that a night of boards does not read the whole history for each")
  func indexed() async throws {
    let bench = try Workbench()
    try await bench.open().close()
    let plan = try bench.query(
      "EXPLAIN QUERY PLAN SELECT max(record) FROM attempts WHERE dfu_mac = 'C0:DE:00:00:00:01' AND dfu_mac IS NOT NULL"
    ).flatMap { $0 }
    #expect(plan.contains { if case .text(let words) = $0 { words.contains("attempts_by_bootloader") } else { false } })
  }
}
