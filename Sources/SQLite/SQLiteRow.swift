import CSQLite

/// The row that a statement stands on, as SQLite holds it; valid only inside the walk that hands it over.
///
/// Reports read it for its bytes: a cell that is written as it is needs no string of its own.
public struct SQLiteRow {
  let statement: OpaquePointer
  public let count: Int

  /// A cell of any kind, copied.
  public func value(_ column: Int) -> SQLiteValue {
    let index = Int32(column)
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_NULL: return .absent
    case SQLITE_BLOB:
      guard let start = sqlite3_column_blob(statement, index) else { return .blob([]) }
      return .blob([UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))))
    default: return .text(bytes(index).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
  }

  /// The bytes of a cell of text; nil for a cell of any other kind.
  public func text(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
    let index = Int32(column)
    return sqlite3_column_type(statement, index) == SQLITE3_TEXT ? bytes(index) : nil
  }

  private func bytes(_ index: Int32) -> UnsafeBufferPointer<UInt8>? {
    // In this order: the count is that of the text once it is UTF-8 (https://sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_text(statement, index) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
  }
}
