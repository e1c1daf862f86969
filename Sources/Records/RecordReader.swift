import SQLite
public import Flashing
import Glibc

/// Reads a database that a job may be writing at the same time: `report`, `summary` and `audit` (contract §1).
///
/// It takes no lock, changes nothing, and runs on a thread of its own. Every call sees one state of the database from beginning to end.
public actor RecordReader {
  private let thread: SerialThread
  private let path: String
  private var opened: Database?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Throws: `damaged` when there is no Flashline database at `path` or this version cannot read it.
  public static func open(_ path: String) async throws(RecordError) -> RecordReader {
    let reader: RecordReader
    do {
      reader = RecordReader(path, thread: try SerialThread())
    } catch {
      throw .notWritable("\(path): no thread for the database: \(error.words)")
    }
    try await reader.start()
    return reader
  }

  private init(_ path: String, thread: SerialThread) {
    self.path = path
    self.thread = thread
  }

  private func start() throws(RecordError) {
    guard access(path, F_OK) == 0 else {
      throw .damaged("\(path): there is no database yet: start a job first, or correct `database` in station.conf")
    }
    let database = try Database(path, .readOnly)
    try Schema.checkReadable(database)
    opened = database
  }

  /// The packages that a batch began with which would go on if a job were started again; nil when none would, or there is no database yet.
  ///
  /// For jobs whose package is not settled before they know (`[firmware] source = ota`). A database of an older version is read as well: the job that follows
  /// brings it up to date.
  /// - Parameter key: its packages are not looked at.
  public static func unfinishedPackages(_ path: String, _ key: BatchKey) async throws(RecordError) -> [String]? {
    guard access(path, F_OK) == 0 else { return nil }
    let reader: RecordReader
    do {
      reader = RecordReader(path, thread: try SerialThread())
    } catch {
      throw .notWritable("\(path): no thread for the database: \(error.words)")
    }
    return try await reader.unfinishedPackages(key)
  }

  private func unfinishedPackages(_ key: BatchKey) throws(RecordError) -> [String]? {
    let database = try Database(path, .readOnly)
    try Schema.checkOrigin(database, newest: Migration.all.count)
    guard try Schema.version(database) > 0 else { return nil }
    return try BatchTable(database: database).unfinishedPackages(key)
  }

  /// Hands over the results of a filter in commit order, one row of `ResultColumn.allCases` at a time.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func rows(_ filter: Filter, _ body: @Sendable ([ResultCell]) throws(RecordError) -> Void) throws(RecordError) -> Int {
    var count = 0
    let (condition, values) = filter.sql
    try database().rows("SELECT \(ResultWriter.names) FROM results WHERE \(condition) ORDER BY record", values) { row throws(RecordError) in
      try body(row)
      count += 1
      return .goOn
    }
    return count
  }

  /// Writes the results of a filter as CSV or JSON; a day's file comes out byte for byte as the job wrote it (`Filter.reportDay`).
  public func write(_ filter: Filter, as form: ResultForm, to sink: @Sendable (_ bytes: [UInt8]) throws(RecordError) -> Void) throws(RecordError) {
    try ResultWriter(form: form).write(filter, of: database(), to: sink)
  }

  /// Writes the results of a filter into a file that is replaced as a whole.
  public func write(_ filter: Filter, as form: ResultForm, file: String) throws(RecordError) {
    let database = try database()
    try ReplacedFile.write(file) { sink throws(RecordError) in try ResultWriter(form: form).write(filter, of: database, to: sink) }
  }

  /// Yield, failures, durations and throughput of a filter.
  public func summary(_ filter: Filter) throws(RecordError) -> Summary {
    let database = try database()
    return try database.snapshot { () throws(RecordError) in try SummaryQuery(database: database, filter: filter).summary() }
  }

  /// Checks the audit chain and everything that it vouches for.
  ///
  /// - Parameter expected: a head that was kept outside (from `batch.finished` or the journal); only it shows that the newest rows were cut off.
  public func audit(expecting expected: String? = nil) throws(RecordError) -> AuditReport {
    let database = try database()
    return try database.snapshot { () throws(RecordError) in try AuditCheck(database: database, expected: expected).report() }
  }

  private func database() throws(RecordError) -> Database {
    guard let opened else { throw .damaged("\(path): it was not opened") }
    return opened
  }
}
