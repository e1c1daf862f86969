import CSQLite

/// Whether a walk over rows goes on.
public enum Walk: Sendable {
  case goOn
  case stop
}

/// What a connection may do.
public enum SQLiteAccess: Sendable {
  case readOnly
  case readWrite
}

/// How long SQLite waits for another process (a `sqlite3` shell that writes) before it says busy, in milliseconds.
private let busyTimeout: Int32 = 5000
/// Statements kept prepared; further ones are finalized after use.
private let statementLimit = 64

/// One SQLite connection: statements in, rows out, every failure the room's own error, made of SQLite's words.
///
/// Not Sendable: an actor owns it and uses it on its own thread.
public final class SQLiteConnection<Failure: SQLiteFailing> {
  public let path: String
  private let handle: OpaquePointer
  private var prepared: [String: OpaquePointer] = [:]

  /// Opens a database file; with `readWrite` it is made when there is none.
  public init(_ path: String, _ access: SQLiteAccess) throws(Failure) {
    self.path = path
    var opened: OpaquePointer?
    let mode = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let failure = Failure(SQLiteFault(code, handle: opened, path: path))
      sqlite3_close_v2(opened)
      throw failure
    }
    handle = opened
    sqlite3_busy_timeout(handle, busyTimeout)
    // The log stays when the last connection closes, so that a user who may only read can still open the database.
    var keep: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keep)
  }

  deinit {
    for statement in prepared.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs SQL text without parameters and without rows: migrations and pragmas.
  public func execute(_ sql: String) throws(Failure) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs one statement and returns how many rows it changed.
  @discardableResult
  public func run(_ sql: String, binding values: [SQLiteValue]) throws(Failure) -> Int {
    try walk(sql, binding: values) { _ in .goOn }
    return changes
  }

  /// Rows that the last statement changed.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The row id of the last insert.
  public var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The first row's cells; nil when there is no row.
  public func first(_ sql: String, binding values: [SQLiteValue]) throws(Failure) -> [SQLiteValue]? {
    var found: [SQLiteValue]?
    try walk(sql, binding: values) { row in
      found = (0..<row.count).map(row.value)
      return .stop
    }
    return found
  }

  /// Hands over row after row; never more than one is in memory.
  public func walk(_ sql: String, binding values: [SQLiteValue], _ body: (SQLiteRow) throws(Failure) -> Walk) throws(Failure) {
    let statement = try statement(sql)
    defer { giveBack(statement, sql) }
    for (index, value) in values.enumerated() { try bind(value, Int32(index) + 1, to: statement) }
    let row = SQLiteRow(statement: statement, count: Int(sqlite3_column_count(statement)))
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw Failure(SQLiteFault(code, handle: handle, path: path)) }
      if try body(row) == .stop { return }
    }
  }

  /// Runs `body` in one transaction that takes the write lock at its start; any error rolls all of it back.
  public func transaction<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite has rolled back by itself after some errors (disk full); a second time would only hide the first error.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body` over one state of the database, whatever others commit meanwhile.
  public func snapshot<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    return try body()
  }

  /// Writes the log's pages into the database file as far as readers allow.
  public func checkpoint() {
    sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  private func statement(_ sql: String) throws(Failure) -> OpaquePointer {
    // Taken out while it runs: the same text inside its own walk gets a statement of its own.
    if let ready = prepared.removeValue(forKey: sql) { return ready }
    var made: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil))
    guard let made else { throw Failure(SQLiteFault(kind: .other, path: path, words: "an empty statement was asked for")) }
    return made
  }

  private func giveBack(_ statement: OpaquePointer, _ sql: String) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    if prepared.count >= statementLimit || prepared[sql] != nil {
      sqlite3_finalize(statement)
    } else {
      prepared[sql] = statement
    }
  }

  private func bind(_ value: SQLiteValue, _ index: Int32, to statement: OpaquePointer) throws(Failure) {
    switch value {
    case .absent: try check(sqlite3_bind_null(statement, index))
    case .integer(let number): try check(sqlite3_bind_int64(statement, index, number))
    case .real(let number): try check(sqlite3_bind_double(statement, index, number))
    case .text(let text):
      let code = text.utf8CString.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { flashline_sqlite_bind_text(statement, index, $0, UInt64(bytes.count - 1)) } ?? SQLITE_NOMEM
      }
      try check(code)
    case .blob(let bytes):
      // An empty array has no address, and SQLite takes bytes without one for NULL.
      let code = bytes.withUnsafeBytes {
        $0.isEmpty ? sqlite3_bind_zeroblob(statement, index, 0) : flashline_sqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count))
      }
      try check(code)
    }
  }

  private func check(_ code: Int32) throws(Failure) {
    guard code == SQLITE_OK else { throw Failure(SQLiteFault(code, handle: handle, path: path)) }
  }
}
