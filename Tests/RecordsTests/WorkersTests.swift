import Bluetooth
import Flashing
import Testing

@testable import Records

@Suite("Many workers, one writer")
struct WorkersTests {
  @Test("8 workers record 50 attempts each: none is lost, and records are without a gap in the order of the audit")
  func nothingIsLost() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    try await withThrowingTaskGroup(of: [Int64].self) { group in
      for worker in 0..<8 {
        group.addTask {
          var records: [Int64] = []
          for board in 0..<50 {
            let begun = try await book.begin(Sample.attempt(batch, board: worker * 50 + board))
            for phase in [Phase.connect, .upload, .verify] {
              try await book.enter(phase, attemptID: try #require(begun.attemptID), at: Sample.morning)
            }
            records.append(try #require(try await book.finish(Sample.ended(begun, .passed)).record))
          }
          return records
        }
      }
      var all: [Int64] = []
      for try await records in group {
        #expect(records == records.sorted(), "a worker's records grow")
        all += records
      }
      #expect(all.sorted() == Array(1...400))
    }
    _ = try await book.endBatch(batch, reason: .idle, missing: [], at: Sample.morning + 10_000)
    try await book.close()

    #expect(
      try bench.query("SELECT count(*), count(DISTINCT mac), min(record), max(record) FROM results").first == [
        .integer(400), .integer(400), .integer(1), .integer(400),
      ])
    #expect(try bench.query("SELECT count(*) FROM phases").first == [.integer(1200)])
    #expect(try bench.query("SELECT count(*) FROM audit WHERE record = sequence").first == [.integer(400)])
    #expect(try bench.text(bench.reports + "/2026-11-30.csv").split(separator: "\r\n").count == 401)
  }

  @Test("A second job on the same database is refused while the first holds it, and taken after it")
  func lock() async throws {
    let bench = try Workbench()
    let first = try await bench.open()
    await #expect {
      _ = try await bench.open()
    } throws: { error in
      guard case RecordError.busy(let words) = error else { return false }
      return words.contains("another job holds it (process ")
    }
    try await first.close()
    try await bench.open().close()
  }
}
