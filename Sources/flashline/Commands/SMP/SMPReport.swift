import Flashing
import Station

/// What came of one command of `smp`: lines for people, members of a document for programs.
struct SMPReport: Sendable {
  var lines: [String]
  var members: [JSONText.Member]
  /// False when the board did what it was asked and that went wrong: a shell command that returned another number than 0.
  var isGood = true

  init(_ lines: [String], _ members: [JSONText.Member] = [], isGood: Bool = true) {
    self.lines = lines
    self.members = members
    self.isGood = isGood
  }

  /// One sentence, and nothing for programs but that it worked.
  static func done(_ line: String) -> SMPReport { SMPReport([line]) }

  /// Names with values: a table of two columns, and a member each.
  static func values(_ values: [(key: String, text: String, json: JSONText)]) -> SMPReport {
    let width = values.map(\.key.count).max() ?? 0
    return SMPReport(values.map { $0.key.padded(to: width + 2) + $0.text }, values.map { JSONText.Member($0.key, $0.json) })
  }
}

/// Text from a board as people may see it: nothing in it steers the terminal.
enum BoardText {
  /// Characters of one line that are shown.
  private static let lineLimit = 1000

  /// One line; what is no text is written as an escape.
  static func line(_ text: String, limit: Int = 200) -> String { text.escaped(limit: limit) }

  /// The lines of a shell's output, without colours (ECMA-48 control sequences) and empty lines at the end.
  static func lines(_ text: String) -> [String] {
    var plain = String.UnicodeScalarView()
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "\r": continue
      case "\u{1B}":
        // ESC [ … up to a letter; another escape is dropped with the character behind it.
        guard scalars.next() == "[" else { continue }
        while let inner = scalars.next(), !(0x40...0x7E).contains(inner.value) {}
      default: plain.append(scalar)
      }
    }
    var lines = String(plain).split(separator: "\n", omittingEmptySubsequences: false).map { line($0.replacing("\t", with: "  "), limit: lineLimit) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func line(_ text: some StringProtocol, limit: Int) -> String { String(text).escaped(limit: limit) }

  /// The text that bytes hold; nil when they are no text that can be shown.
  static func text(of bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? text : nil
  }
}
