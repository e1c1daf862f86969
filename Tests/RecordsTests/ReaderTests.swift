import SQLite
import Bluetooth
import Flashing
import Foundation
import Locks
import Synchronization
import Testing

@testable import Records

@Suite("Reading beside a writer, filters, and questions of the station")
struct ReaderTests {
  @Test("A reader needs no lock, sees what is committed while the job goes on, and cannot write")
  func besideWriter() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let reader = try await RecordReader.open(bench.database)
    #expect(try await reader.rows(Filter()) { _ in } == 0)
    try await book.record(batch, board: 1, .passed)
    _ = try await book.begin(Sample.attempt(batch, board: 2))
    #expect(try await reader.rows(Filter()) { _ in } == 1)
    #expect(try await reader.audit().isSound)
    #expect {
      try Database(bench.database, .readOnly).execute("DELETE FROM attempts")
    } throws: { error in
      guard case RecordError.notWritable = error else { return false }
      return true
    }
    try await book.close()
    #expect(try await reader.rows(Filter()) { _ in } == 1, "and after the job, too")
  }

  @Test("Reading while 4 workers write: every answer is a whole state, with records from 1 without a gap")
  func wholeStates() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let reader = try await RecordReader.open(bench.database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask { for board in 0..<25 { try await book.record(batch, board: worker * 25 + board, .passed) } }
      }
      group.addTask {
        for _ in 0..<20 {
          let records = Locked<[Int64]>([])
          let count = try await reader.rows(Filter()) { row in records.withLock { $0.append(row[0].integer ?? -1) } }
          #expect(records.withLock(\.self) == (0..<count).map { Int64($0) + 1 })
          #expect(try await reader.audit().fault == nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await reader.rows(Filter()) { _ in } == 100)
    try await book.close()
  }

  @Test("Where there is no database the reader says so, and makes none")
  func missing() async throws {
    let bench = try Workbench()
    await #expect { _ = try await RecordReader.open(bench.database) } throws: { "\($0)".contains("there is no database yet") }
    #expect(!FileManager.default.fileExists(atPath: bench.database))
  }

  /// A filter, and the records that it lets through of those that `filters` makes.
  static let filters: [(Filter, [Int64])] = [
    (Filter(), [1, 2, 3, 4]), (Filter(since: Sample.morning + 2000), [1, 2, 3, 4]), (Filter(since: Sample.morning + 2001), [2, 3, 4]),
    (Filter(until: Sample.morning + 2000), []), (Filter(until: Sample.morning + 2001), [1]),
    (Filter(since: Sample.morning + 3000, until: Sample.morning + 5000), [2, 3]), (Filter(after: 2), [3, 4]), (Filter(after: 4), []),
    (Filter(lot: "B"), [2, 4]), (Filter(lot: "B' OR 1=1 --"), []), (Filter(profile: "p3"), [3]), (Filter(job: .rescue), [4]), (Filter(batch: 2), [3, 4]),
    (Filter(lot: "B", job: .update), [2]), (Filter(reportDay: "2026-11-30"), [1, 2, 3, 4]), (Filter(reportDay: "2026-12-01"), []),
  ]

  @Test("Filters are half-open in time and combine")
  func filters() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batches = [try await book.newBatch().id, try await book.newBatch().id]
    for number in 1...4 {
      try await book.record(batches[(number - 1) / 2], board: number, .passed, at: Sample.morning + Int64(number - 1) * 1000) {
        $0.lot = number % 2 == 0 ? "B" : "A"
        $0.profile = "p\(number)"
        $0.job = number == 4 ? .rescue : .update
      }
    }
    try await book.close()
    let reader = try await RecordReader.open(bench.database)
    for (filter, expected) in Self.filters {
      let records = Locked<[Int64]>([])
      try await reader.rows(filter) { row in records.withLock { $0.append(row[0].integer ?? -1) } }
      #expect(records.withLock(\.self) == expected, "\(filter)")
    }
  }

  /// Final results of one board, oldest first, and how many failures in a row they make.
  static let rows: [([Outcome], Int)] = [
    ([], 0), ([.passed], 0), ([.failed], 1), ([.failed, .timeout, .failed], 3), ([.failed, .passed], 0), ([.failed, .passed, .timeout], 1),
    ([.failed, .skipped], 0), ([.failed, .refused, .error, .aborted, .timeout], 2), ([.passed, .refused], 0),
  ]

  @Test("Failures in a row: newest first, ended by a good result, not touched by what is not judged", arguments: rows)
  func failuresInARow(outcomes: [Outcome], failures: Int) async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    for outcome in outcomes {
      let batch = try await book.newBatch().id
      try await book.record(batch, board: 1, .failed, final: false)
      // The last one of a batch counts, also when the batch ended before another attempt could be made.
      try await book.record(batch, board: 1, outcome, count: 2, final: outcome != .failed)
      try await book.record(batch, board: 2, .failed)
    }
    #expect(try await book.failuresInARow(Sample.board(1)) == failures)
    #expect(try await book.failuresInARow(Sample.board(9)) == 0)
    try await book.close()
  }

  @Test("Addresses of a serial number: each once, the oldest first; a copy that was refused does not take the number")
  func addresses() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    try await book.record(batch, board: 3, .failed) { $0.serialNumber = "S" }
    try await book.record(batch, board: 1, .passed) { $0.serialNumber = "S" }
    try await book.record(batch, board: 3, .passed, count: 2) { $0.serialNumber = "S" }
    try await book.record(batch, board: 4, .passed) { $0.serialNumber = "T" }
    try await book.record(batch, board: 5, .refused) {
      $0.serialNumber = "S"
      $0.failureCode = .identitySerialTwice
    }
    #expect(try await book.addresses(withSerial: "S") == [Sample.board(3), Sample.board(1)])
    #expect(try await book.addresses(withSerial: "none").isEmpty)
    try await book.close()
  }

  @Test("The station's questions and the daily report are answered by index, however many results there are")
  func indexes() async throws {
    let bench = try Workbench()
    try await bench.open().close()
    let questions = [
      "SELECT max(record) FROM attempts WHERE mac = 'x' AND record IS NOT NULL GROUP BY batch_id", "SELECT mac FROM attempts WHERE serial_number = 'x'",
      "SELECT * FROM results WHERE report_day = 'x' ORDER BY record", "SELECT * FROM results WHERE record > 5 ORDER BY record",
      "SELECT * FROM attempts WHERE record IS NULL", "SELECT max(record) FROM attempts", "SELECT phase FROM phases WHERE attempt_id = 1",
    ]
    for question in questions {
      let plan = try bench.query("EXPLAIN QUERY PLAN " + question).compactMap { $0.last?.text }
      #expect(plan.contains { $0.contains("INDEX") }, "\(question): \(plan)")
      #expect(!plan.contains { $0.hasPrefix("SCAN") && !$0.contains("INDEX") }, "\(question): \(plan)")
    }
  }
}
