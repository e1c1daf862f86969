/// A JSON value whose objects keep the order of their keys, so that a person finds the columns where the contract has them.
///
/// Foundation's encoder orders keys as it likes; this writer exists for that one difference.
public indirect enum JSONText: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Written with the shortest digits that read back the same; not-a-number and infinity as null.
  case real(Double)
  case text(String)
  case list([JSONText])
  case object([Member])

  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSONText

    public init(_ key: String, _ value: JSONText) {
      self.key = key
      self.value = value
    }
  }

  public init(_ cell: ResultCell) {
    switch cell {
    case .text(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .absent: self = .null
    }
  }

  /// Text or null.
  public static func of(_ text: String?) -> JSONText { text.map(JSONText.text) ?? .null }
  /// Number or null.
  public static func of(_ number: Int?) -> JSONText { number.map { .integer(Int64($0)) } ?? .null }

  /// One line, RFC 8259; characters below U+0020 escaped, everything else as UTF-8.
  public var line: String {
    var out = ""
    write(to: &out)
    return out
  }

  private func write(to out: inout String) {
    switch self {
    case .null: out += "null"
    case .bool(let flag): out += flag ? "true" : "false"
    case .integer(let number): out += String(number)
    case .real(let number): out += number.isFinite ? String(number) : "null"
    case .text(let text): Self.quote(text, to: &out)
    case .list(let items):
      out += "["
      for (index, item) in items.enumerated() {
        if index > 0 { out += "," }
        item.write(to: &out)
      }
      out += "]"
    case .object(let members):
      out += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { out += "," }
        Self.quote(member.key, to: &out)
        out += ":"
        member.value.write(to: &out)
      }
      out += "}"
    }
  }

  private static func quote(_ text: String, to out: inout String) {
    out += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case let control where control.value < 0x20 || control.value == 0x7F:
        let hex = String(control.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}

extension AttemptRecord {
  /// All columns in their order, as an object.
  public var json: [JSONText.Member] {
    ResultColumn.allCases.map { JSONText.Member($0.rawValue, JSONText(cell($0))) }
  }
}
