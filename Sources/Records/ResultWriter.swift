import SQLite
public import Flashing

/// In which form results are written.
public enum ResultForm: Sendable {
  case csv(CSVDialect)
  /// One JSON object a line, ended by LF.
  case jsonLines
  /// One JSON array of objects.
  case jsonArray
}

/// Takes bytes away; it reports its own failure as a `RecordError` (`notWritable`).
public typealias ByteSink = (_ bytes: [UInt8]) throws(RecordError) -> Void

/// Writes results row after row: the daily reports and `flashline report` come out of here, byte for byte the same.
struct ResultWriter {
  /// Bytes gathered before the sink is called.
  static let chunk = 64 * 1024

  let form: ResultForm
  private let columns = ResultColumn.allCases

  init(form: ResultForm) {
    self.form = form
  }

  /// What to select from `results`: all columns in their order, by name.
  static let names = ResultColumn.allCases.map(\.sql).joined(separator: ", ")

  /// Writes all results of a filter in commit order; the whole is never in memory.
  func write(_ filter: Filter, of database: Database, to sink: ByteSink) throws(RecordError) {
    var pending = head
    var isFirst = true
    let (condition, values) = filter.sql
    try database.walk("SELECT \(Self.names) FROM results WHERE \(condition) ORDER BY record", values) { row throws(RecordError) in
      append(row, isFirst: isFirst, to: &pending)
      isFirst = false
      if pending.count >= Self.chunk {
        try sink(pending)
        pending.removeAll(keepingCapacity: true)
      }
      return .goOn
    }
    try sink(pending + tail(isEmpty: isFirst))
  }

  private var head: [UInt8] {
    switch form {
    case .csv(let dialect): dialect.head(columns)
    case .jsonLines: []
    case .jsonArray: [UInt8(ascii: "[")]
    }
  }

  private func append(_ row: DatabaseRow, isFirst: Bool, to bytes: inout [UInt8]) {
    switch form {
    case .csv(let dialect): dialect.append(row, columns: columns, to: &bytes)
    case .jsonLines: bytes += (object(row.cells) + "\n").utf8
    case .jsonArray: bytes += ((isFirst ? "\n" : ",\n") + object(row.cells)).utf8
    }
  }

  private func object(_ row: [ResultCell]) -> String {
    JSONText.object(zip(columns, row).map { JSONText.Member($0.rawValue, JSONText($1)) }).line
  }

  private func tail(isEmpty: Bool) -> [UInt8] {
    switch form {
    case .csv, .jsonLines: []
    case .jsonArray: Array((isEmpty ? "]\n" : "\n]\n").utf8)
    }
  }
}
