import SQLite
import Flashing

/// How results are written as CSV (RFC 4180: CRLF, quotes doubled, header always; UTF-8).
public enum CSVDialect: Sendable {
  /// Comma, decimal point, no byte order mark: the daily reports and `report`.
  case standard
  /// For Excel in a locale with decimal comma: byte order mark, `;`, decimal comma, identifiers as text.
  ///
  /// Excel guesses a cell's kind and would make `007` 7, `1-2` a date, `1.10` 1.1. Only the formula `="007"` stops it from guessing when a file
  /// is opened by a double click, so identifiers are written that way. A formula holds at most 255 characters of text; longer ones, and ones
  /// with control characters, stay plain.
  case excel

  /// The bytes before the first row: the mark, if any, and the header.
  func head(_ columns: [ResultColumn]) -> [UInt8] {
    let mark: [UInt8] = self == .excel ? [0xEF, 0xBB, 0xBF] : []
    return mark + columns.map(\.rawValue).joined(separator: String(decoding: [separator], as: UTF8.self)).utf8 + Self.lineEnd
  }

  /// Appends one row with its line end. Most cells go over as SQLite's own bytes: a report may have tens of millions of them.
  func append(_ row: DatabaseRow, columns: [ResultColumn], to bytes: inout [UInt8]) {
    for (index, column) in columns.enumerated() {
      if index > 0 { bytes.append(separator) }
      if let text = row.text(index), !(self == .excel && column.isIdentifier), isPlain(text) {
        bytes.append(contentsOf: text)
      } else {
        append(row.cell(index), of: column, to: &bytes)
      }
    }
    bytes.append(contentsOf: Self.lineEnd)
  }

  /// Appends one cell, disarmed and quoted where that is needed.
  func append(_ cell: ResultCell, of column: ResultColumn, to bytes: inout [UInt8]) {
    let written = field(cell, of: column)
    // A number holds no character that would have to be quoted: with a decimal comma, `;` separates.
    if case .text = cell { bytes.append(contentsOf: quoted(written).utf8) } else { bytes.append(contentsOf: written.utf8) }
  }

  static let lineEnd = Array("\r\n".utf8)
  var separator: UInt8 { UInt8(ascii: self == .excel ? ";" : ",") }

  /// Whether text is written as it is: printable ASCII without quotes and separators that does not begin like a formula. Everything else takes
  /// the way over `field`, which decides.
  private func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first else { return true }
    let separator = separator
    return !Self.isFormulaStart(first)
      && text.allSatisfy { $0 >= 0x20 && $0 < 0x80 && $0 != UInt8(ascii: "\"") && $0 != separator }
  }

  private func field(_ cell: ResultCell, of column: ResultColumn) -> String {
    switch cell {
    case .absent: return ""
    case .integer(let number): return String(number)
    case .real(let number):
      guard number.isFinite else { return "" }
      let digits = number.description
      return self == .excel ? String(digits.map { $0 == "." ? "," : $0 }) : digits
    case .text(let text):
      if self == .excel, column.isIdentifier, let formula = Self.formula(text) { return formula }
      return Self.guarded(text)
    }
  }

  /// A spreadsheet runs text that begins like a formula; an apostrophe in front stops it, and readers strip one (contract §4).
  private static func guarded(_ text: String) -> String {
    guard let first = text.utf8.first, isFormulaStart(first) else { return text }
    return "'" + text
  }

  private static func isFormulaStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "'"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  private static func formula(_ text: String) -> String? {
    guard !text.isEmpty, text.utf16.count <= 255, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else { return nil }
    return "=\"" + doubled(text) + "\""
  }

  private func quoted(_ field: String) -> String {
    // Scalars, not characters: Swift takes CR LF for one character.
    let mark = Unicode.Scalar(separator)
    let special = field.unicodeScalars.contains { $0 == "\"" || $0 == "\r" || $0 == "\n" || $0 == mark }
    return special ? "\"" + Self.doubled(field) + "\"" : field
  }

  private static func doubled(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) }
  }
}

extension ResultColumn {
  /// Names, numbers and hashes that are text however many digits they have.
  var isIdentifier: Bool {
    switch self {
    case .stationID, .workOrder, .lot, .operator, .unitID, .profile, .mac, .dfuMAC, .serialNumber, .modelNumber, .hardwareRevision, .firmwareBefore,
      .firmwareAfter, .bootloaderBefore, .bootloaderAfter, .package, .packageSHA256, .imageHash, .imageHashBefore, .imageHashAfter, .adapterLabel,
      .adapterPath, .adapterMAC, .toolVersion:
      true
    case .record, .attemptID, .batchID, .reportDay, .job, .upgradeMode, .addressType, .imageState, .verifiedBy, .settingsErased, .leftAs, .outcome,
      .good, .failureCode, .failurePhase, .failureMessage, .attempt, .retries, .startedAt, .finishedAt, .duration, .uploadBytes, .uploadSeconds,
      .uploadSpeed, .resumedFrom, .rssi:
      false
    }
  }
}
