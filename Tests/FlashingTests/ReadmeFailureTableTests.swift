import Flashing
import FoundationEssentials
import Testing

/// Operators look failures up in the README: it must print the table that the program decides by.
@Suite("The README's failure table")
struct ReadmeFailureTableTests {
  @Test("It is the table of FailureRule, row by row")
  func agrees() throws {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md")
    let lines = try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
    let rows = lines.drop { !$0.hasPrefix("| failure_code |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
    let wanted = FailureRule.all.map(Self.row)
    #expect(rows.map(String.init) == wanted, "write this table into README.md:\n\(wanted.joined(separator: "\n"))")
  }

  static func row(_ rule: FailureRule) -> String {
    let blame =
      switch rule.blames {
      case .board: "the board"
      case .station: "the station"
      case .nobody: "nobody"
      }
    return "| `\(rule.code.rawValue)` | \(rule.outcome.rawValue) | \(rule.isRetried ? "yes" : "no") | \(blame) | \(rule.remedy) |"
  }
}
