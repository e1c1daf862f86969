import SQLite
import Flashing
import Foundation
import Testing

@testable import Records

@Suite("When records cannot be kept")
struct FailureTests {
  @Test("A full disk is told in SQLite's words; what was committed stays, what was not leaves no trace, and with room again the record goes on")
  func diskFull() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    try await book.record(batch, board: 1, .passed)
    try await book.limitPages()
    var failure: RecordError?
    var done: Int64 = 1
    for board in 2..<2000 where failure == nil {
      do {
        done = try await book.record(batch, board: board, .passed) { $0.failureMessage = String(repeating: "x", count: 500) }.record ?? 0
      } catch {
        failure = error
      }
    }
    guard case .notWritable(let words) = failure else {
      Issue.record("\(failure.map { "\($0)" } ?? "the disk was never full")")
      return
    }
    #expect(words.contains("database or disk is full") && words.contains(bench.database))
    #expect(try bench.query("SELECT count(*), max(record) FROM results").first == [.integer(done), .integer(done)])
    #expect(try bench.query("SELECT count(*) FROM audit").first == [.integer(done)])
    #expect(try await RecordReader.open(bench.database).audit().isSound)

    try await book.limitPages(1_000_000)
    #expect(try await book.record(batch, board: 3000, .passed).record == done + 1, "no number was lost")
    try await book.close()
  }

  @Test("A folder in which nothing can be made is told with its path before any board is touched")
  func noFolder() async throws {
    let bench = try Workbench()
    let calendar = try #require(LocalCalendar(timeZone: "UTC"))
    let time = Timekeeper(HandClock(), wall: { 0 })
    // /proc takes no files, not even from root.
    for (database, reports) in [("/proc/flashline/station.db", bench.reports), ("/proc/station.db", bench.reports), (bench.database, "/proc/reports")] {
      await #expect {
        _ = try await RecordBook.open(RecordPlace(database: database, reports: reports, calendar: calendar), time: time)
      } throws: { error in
        guard case RecordError.notWritable(let words) = error else { return false }
        return words.contains("/proc")
      }
    }
    try await RecordBook.open(RecordPlace(database: bench.database, reports: bench.reports, calendar: calendar), time: time).close()
  }

  @Test(
    "What a system call says is told with what to do about it",
    arguments: [
      (ENOSPC, "No space left on device", "make room"), (EFBIG, "File too large", "make room"), (EACCES, "Permission denied", "correct the permissions"),
      (EROFS, "Read-only file system", "correct the permissions"), (ENOTDIR, "Not a directory", "correct the path"), (EIO, "error", "check the disk"),
    ])
  func remedies(number: Int32, words: String, remedy: String) {
    guard case .notWritable(let text) = RecordError.system("/x", number, doing: "cannot be written") else {
      Issue.record("another error")
      return
    }
    #expect(text.hasPrefix("/x: cannot be written (") && text.contains(words) && text.contains("): " + remedy), "\(text)")
  }

  @Test("A database or folder without write permission is refused", .enabled(if: geteuid() != 0, "root may write everywhere"))
  func permissions() async throws {
    let bench = try Workbench()
    try await bench.open().close()
    chmod(bench.reports, 0o555)
    await #expect { _ = try await bench.open() } throws: { "\($0)".contains("Permission denied") }
    chmod(bench.reports, 0o755)
    chmod(bench.database, 0o444)
    await #expect { _ = try await bench.open() } throws: { "\($0)".contains("notWritable") }
  }

  /// SQLite's result codes by number, with their names in https://www.sqlite.org/rescode.html, and what they are to the station.
  static let codes: [(code: Int32, name: String, kind: String)] = [
    (5, "BUSY", "busy"), (6, "LOCKED", "busy"), (517, "BUSY_SNAPSHOT", "busy"), (13, "FULL", "notWritable"), (8, "READONLY", "notWritable"),
    (10, "IOERR", "notWritable"), (1034, "IOERR_FSYNC", "notWritable"), (14, "CANTOPEN", "notWritable"), (3, "PERM", "notWritable"),
    (11, "CORRUPT", "damaged"), (26, "NOTADB", "damaged"), (787, "CONSTRAINT_FOREIGNKEY", "damaged"), (1, "ERROR", "damaged"),
  ]

  @Test("Every kind of failure is the right kind of record error, with the path in front", arguments: codes)
  func kinds(code: Int32, name: String, kind: String) {
    let error = RecordError(SQLiteFault(code, handle: nil, path: "/x/y.db"))
    #expect("\(error)".hasPrefix(kind + "(\"/x/y.db: "), "\(name)")
  }

  @Test("Another program's write lock is waited for, then told as busy")
  func busy() throws {
    let bench = try Workbench()
    let (first, second) = (try Database(bench.database, .readWrite), try Database(bench.database, .readWrite))
    try Schema.prepare(first)
    try first.execute("BEGIN IMMEDIATE")
    try second.execute("PRAGMA busy_timeout = 10")
    #expect {
      try second.transaction { () throws(RecordError) in }
    } throws: { error in
      guard case RecordError.busy(let words) = error else { return false }
      return words.contains("another program is writing")
    }
  }

  @Test("After close nothing is written, and closing again does nothing")
  func closed() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    try await book.close()
    try await book.close()
    await #expect(throws: RecordError.self) { _ = try await book.begin(Sample.attempt(1, board: 1)) }
  }
}

extension RecordBook {
  /// Lets the database grow by no more than a few pages: SQLite's own way of having a full disk.
  func limitPages(_ count: Int64? = nil) throws {
    let pages = try database().first("PRAGMA page_count")?.first?.integer ?? 0
    _ = try database().first("PRAGMA max_page_count = \(count ?? pages + 10)")
  }
}
