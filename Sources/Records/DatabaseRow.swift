import CSQLite
import Flashing

/// The row that a statement stands on, as SQLite holds it; valid only inside the walk that hands it over.
///
/// Reports read it for its bytes: a cell that is written as it is needs no string of its own.
struct DatabaseRow {
  let statement: OpaquePointer
  let count: Int

  var cells: [ResultCell] { (0..<count).map(cell) }

  func cell(_ column: Int) -> ResultCell {
    let index = Int32(column)
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_NULL: return .absent
    default: return .text(bytes(index).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
  }

  /// The bytes of a cell of text; nil for a cell of any other kind.
  func text(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
    let index = Int32(column)
    return sqlite3_column_type(statement, index) == SQLITE3_TEXT ? bytes(index) : nil
  }

  private func bytes(_ index: Int32) -> UnsafeBufferPointer<UInt8>? {
    // In this order: the count is that of the text once it is UTF-8 (https://sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_text(statement, index) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
  }
}
