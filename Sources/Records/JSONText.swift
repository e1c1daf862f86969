import Flashing

/// JSON as text in a fixed order and form: FoundationEssentials' encoder promises neither, and the audit chain hashes the bytes.
enum JSONText {
  /// A string literal: `"`, `\` and control characters escaped, everything else as it is (RFC 8259, 7).
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  static func value(_ cell: ResultCell) -> String {
    switch cell {
    case .absent: "null"
    case .integer(let number): String(number)
    // Swift prints the shortest digits that read back as the same number; JSON has no infinities.
    case .real(let number): number.isFinite ? number.description : "null"
    case .text(let text): string(text)
    }
  }

  static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

  /// An array of strings, the form of every list in the database.
  static func list(_ texts: [String]) -> String { array(texts.map(string)) }

  /// One result as an object whose keys are the columns in their order.
  static func object(_ row: [ResultCell], columns: [ResultColumn] = ResultColumn.allCases) -> String {
    "{" + zip(columns, row).map { string($0.rawValue) + ":" + value($1) }.joined(separator: ",") + "}"
  }
}
