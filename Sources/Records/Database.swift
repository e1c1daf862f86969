import Flashing
import SQLite

/// A connection of this room's: rows of result cells, failures as `RecordError`.
typealias Database = SQLiteConnection<RecordError>
typealias DatabaseRow = SQLiteRow

extension SQLiteConnection where Failure == RecordError {
  /// Runs one statement and returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [ResultCell] = []) throws(RecordError) -> Int {
    try run(sql, binding: values.map(\.value))
  }

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
    try walk(sql, binding: values.map(\.value), body)
  }
}

extension SQLiteRow {
  var cells: [ResultCell] { (0..<count).map(cell) }

  func cell(_ column: Int) -> ResultCell {
    switch value(column) {
    case .absent: .absent
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    // No column of this room's holds any.
    case .blob(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    }
  }
}

extension ResultCell {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var real: Double? { if case .real(let number) = self { number } else { nil } }

  static func optional(_ text: String?) -> ResultCell { text.map(ResultCell.text) ?? .absent }

  fileprivate var value: SQLiteValue {
    switch self {
    case .absent: .absent
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    }
  }
}
