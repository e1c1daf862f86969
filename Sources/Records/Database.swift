import CSQLite
import Flashing
import Glibc

/// Whether a walk over rows goes on.
enum Walk {
  case goOn
  case stop
}

/// One SQLite connection: statements in, rows of cells out, every failure a `RecordError` with SQLite's words.
///
/// Not Sendable: an actor owns it and uses it on its own thread.
final class Database {
  /// How long SQLite waits for another process (a `sqlite3` shell that writes) before it says busy.
  static let busyTimeout: Int32 = 5000
  /// Statements kept prepared; further ones are finalized after use.
  static let statementLimit = 64

  enum Access {
    case readOnly
    case readWrite
  }

  let path: String
  private let handle: OpaquePointer
  private var prepared: [String: OpaquePointer] = [:]

  init(_ path: String, _ access: Access) throws(RecordError) {
    self.path = path
    var opened: OpaquePointer?
    let mode = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let failure = RecordError.sqlite(code, handle: opened, path: path)
      sqlite3_close_v2(opened)
      throw failure
    }
    handle = opened
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    // The log stays when the last connection closes, so that a user who may only read can still open the database.
    var keep: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keep)
  }

  deinit {
    for statement in prepared.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs SQL text without parameters and without rows: migrations and pragmas.
  func execute(_ sql: String) throws(RecordError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs one statement and returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [ResultCell] = []) throws(RecordError) -> Int {
    try rows(sql, values) { _ in .goOn }
    return Int(sqlite3_changes64(handle))
  }

  /// The row id of the last insert.
  var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }

  func first(_ sql: String, _ values: [ResultCell] = []) throws(RecordError) -> [ResultCell]? {
    var found: [ResultCell]?
    try rows(sql, values) { row in
      found = row
      return .stop
    }
    return found
  }

  /// Hands over row after row; never more than one is in memory.
  func rows(_ sql: String, _ values: [ResultCell] = [], _ body: ([ResultCell]) throws(RecordError) -> Walk) throws(RecordError) {
    try walk(sql, values) { row throws(RecordError) in try body(row.cells) }
  }

  /// The same for writers of many rows, who take most cells as bytes.
  func walk(_ sql: String, _ values: [ResultCell] = [], _ body: (DatabaseRow) throws(RecordError) -> Walk) throws(RecordError) {
    let statement = try statement(sql)
    defer { giveBack(statement, sql) }
    for (index, value) in values.enumerated() { try bind(value, Int32(index) + 1, to: statement) }
    let row = DatabaseRow(statement: statement, count: Int(sqlite3_column_count(statement)))
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw RecordError.sqlite(code, handle: handle, path: path) }
      if try body(row) == .stop { return }
    }
  }

  /// Runs `body` in one transaction that takes the write lock at its start; any error rolls all of it back.
  func transaction<Result>(_ body: () throws(RecordError) -> Result) throws(RecordError) -> Result {
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
  func snapshot<Result>(_ body: () throws(RecordError) -> Result) throws(RecordError) -> Result {
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    return try body()
  }

  /// Writes the log's pages into the database file as far as readers allow.
  func checkpoint() {
    sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  private func statement(_ sql: String) throws(RecordError) -> OpaquePointer {
    // Taken out while it runs: the same text inside its own walk gets a statement of its own.
    if let ready = prepared.removeValue(forKey: sql) { return ready }
    var made: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil))
    guard let made else { throw .damaged("\(path): an empty statement was asked for") }
    return made
  }

  private func giveBack(_ statement: OpaquePointer, _ sql: String) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    if prepared.count >= Self.statementLimit || prepared[sql] != nil {
      sqlite3_finalize(statement)
    } else {
      prepared[sql] = statement
    }
  }

  private func bind(_ value: ResultCell, _ index: Int32, to statement: OpaquePointer) throws(RecordError) {
    switch value {
    case .absent: try check(sqlite3_bind_null(statement, index))
    case .integer(let number): try check(sqlite3_bind_int64(statement, index, number))
    case .real(let number): try check(sqlite3_bind_double(statement, index, number))
    case .text(let text):
      let code = text.utf8CString.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { flashline_sqlite_bind_text(statement, index, $0, UInt64(bytes.count - 1)) } ?? SQLITE_NOMEM
      }
      try check(code)
    }
  }

  private func check(_ code: Int32) throws(RecordError) {
    guard code == SQLITE_OK else { throw RecordError.sqlite(code, handle: handle, path: path) }
  }
}

extension ResultCell {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var real: Double? { if case .real(let number) = self { number } else { nil } }

  static func optional(_ text: String?) -> ResultCell { text.map(ResultCell.text) ?? .absent }
}
