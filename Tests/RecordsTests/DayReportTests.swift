import SQLite
import Flashing
import Foundation
import Testing

@testable import Records

@Suite("Daily reports", .timeLimit(.minutes(1)))
struct DayReportTests {
  static func records(_ bench: Workbench, _ day: String = "2026-11-30") throws -> Int {
    try bench.text(bench.reports + "/\(day).csv").split(separator: "\r\n").count - 1
  }

  @Test("A file is written at once, then at most once a second, and what is left is written a second later or at the batch's end")
  func pace() async throws {
    let bench = try Workbench()
    let clock = HandClock()
    let book = try await bench.open(clock: clock)
    let batch = try await book.newBatch().id
    try await book.record(batch, board: 1, .passed)
    #expect(try Self.records(bench) == 1)
    try await book.record(batch, board: 2, .passed)
    try await book.record(batch, board: 3, .passed)
    #expect(try Self.records(bench) == 1, "within the second")

    await clock.untilSomebodySleeps()
    clock.turn(by: .seconds(1))
    // The later writing is a job on the book's own thread; this call comes after it or sees that it has yet to be done.
    while try await book.hasUnwrittenReports { await Task.yield() }
    #expect(try Self.records(bench) == 3)

    try await book.record(batch, board: 4, .passed)
    _ = try await book.endBatch(batch, reason: .idle, missing: [], at: Sample.morning)
    #expect(try Self.records(bench) == 4)
    try await book.record(try await book.newBatch().id, board: 5, .passed)
    try await book.close()
    #expect(try Self.records(bench) == 5)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.reports) == ["2026-11-30.csv"], "no temporary file is left")
  }

  @Test("A writing that takes long makes the next one wait ten times as long")
  func rest() throws {
    let bench = try Workbench()
    let database = try Database(bench.database, .readWrite)
    try Schema.prepare(database)
    var report = DayReport(folder: bench.reports)
    try report.prove()
    #expect(report.pause(now: .seconds(50)) == .zero)
    report.mark("2026-11-30")
    var hands = [Duration.seconds(50), .seconds(50.5)].makeIterator()
    var last = Duration.zero
    try report.write(from: database) {
      last = hands.next() ?? last
      return last
    }
    #expect(!report.isDirty)
    #expect(report.pause(now: .seconds(51)) == .seconds(4.5))
    #expect(report.pause(now: .seconds(60)) == .zero)
  }

  @Test("The file's day is the local day of the attempt's end; two days that end in one second are both written")
  func midnight() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    let midnight: Int64 = 1_796_079_600_000  // 2026-11-30T23:00:00Z, midnight in Berlin
    try await book.record(batch, board: 1, .passed, at: midnight - 2001)
    try await book.record(batch, board: 2, .passed, at: midnight - 2000)
    try await book.close()
    #expect(try bench.query("SELECT report_day FROM results ORDER BY record") == [[.text("2026-11-30")], [.text("2026-12-01")]])
    #expect(try Self.records(bench) == 1)
    #expect(try Self.records(bench, "2026-12-01") == 1)
  }

  @Test("A day's file can be made again from the database, byte for byte; the next job mends the last day by itself")
  func rebuilt() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    for board in 1...20 { try await book.record(batch, board: board, board % 3 == 0 ? .timeout : .passed) }
    try await book.close()
    let path = bench.reports + "/2026-11-30.csv"
    let written = try Data(contentsOf: URL(fileURLWithPath: path))

    try await RecordReader.open(bench.database).write(Filter(reportDay: "2026-11-30"), as: .csv(.standard), file: bench.folder + "/again.csv")
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.folder + "/again.csv")) == written)

    try Data("half a li".utf8).write(to: URL(fileURLWithPath: path))
    let next = try await bench.open()
    _ = try await next.newBatch()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == written)
    try await next.close()
  }

  @Test("A report folder that is no longer writable is named; the row stays committed, and the file is complete once the folder is back")
  func folderGone() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    try FileManager.default.removeItem(atPath: bench.reports)
    try Data().write(to: URL(fileURLWithPath: bench.reports))  // a file in the folder's place stops root too
    await #expect {
      try await book.record(batch, board: 1, .passed)
    } throws: { error in
      guard case RecordError.notWritable(let words) = error else { return false }
      return words.contains(bench.reports + "/2026-11-30.csv") && words.contains("Not a directory")
    }
    #expect(try bench.query("SELECT count(*) FROM results").first == [.integer(1)])
    await #expect(throws: RecordError.self) { _ = try await book.endBatch(batch, reason: .fault, missing: [], at: Sample.morning) }

    try FileManager.default.removeItem(atPath: bench.reports)
    try FileManager.default.createDirectory(atPath: bench.reports, withIntermediateDirectories: false)
    try await book.close()
    #expect(try Self.records(bench) == 1)
  }

  @Test("A failure while nobody waits is told to the next caller")
  func laterFailure() async throws {
    let bench = try Workbench()
    let clock = HandClock()
    let book = try await bench.open(clock: clock)
    let batch = try await book.newBatch().id
    try await book.record(batch, board: 1, .passed)
    try await book.record(batch, board: 2, .passed)
    try FileManager.default.removeItem(atPath: bench.reports)
    try Data().write(to: URL(fileURLWithPath: bench.reports))
    await clock.untilSomebodySleeps()
    clock.turn(by: .seconds(1))
    while await book.laterTrouble == nil { await Task.yield() }
    await #expect(throws: RecordError.self) { try await book.record(batch, board: 3, .passed) }
    #expect(try bench.query("SELECT count(*) FROM results").first == [.integer(3)])
  }

  @Test("Nobody waits to write for a book that is closed, or gone without that", arguments: [true, false])
  func nobodyWaits(closes: Bool) async throws {
    let bench = try Workbench()
    let clock = HandClock()
    var book: RecordBook? = try await bench.open(clock: clock)
    let batch = try #require(try await book?.newBatch().id)
    try await book?.record(batch, board: 1, .passed)
    try await book?.record(batch, board: 2, .passed)
    await clock.untilSomebodySleeps()
    if closes { try await book?.close() } else { book = nil }
    await clock.untilNobodySleeps()
  }

  @Test("A replaced file is the old one or the new one: a body that fails leaves the old")
  func replaced() throws {
    let bench = try Workbench()
    let path = bench.folder + "/file"
    try ReplacedFile.write(path) { sink throws(RecordError) in try sink(Array("old".utf8)) }
    #expect(throws: RecordError.busy("x")) {
      try ReplacedFile.write(path) { sink throws(RecordError) in
        try sink(Array("new".utf8))
        throw .busy("x")
      }
    }
    #expect(try bench.text(path) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder) == ["file"])
  }
}

extension RecordBook {
  var hasUnwrittenReports: Bool { get throws { report.isDirty } }
}
