/// A version as boards and catalogues write it: numbers with dots between, compared number by number, those left out being 0.
///
/// `1.5` is `1.5.0`, and `0.10` is above `0.9`. A suffix (`2.0.0-beta`, `2.0.0rc1`) makes a pre-release, which sorts below its release.
/// A leading `r` and blanks around are taken off, as hardware and catalogues mix both forms (facts/metaboot.md §3.2).
public struct FirmwareVersion: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// As it was written, without what is around it.
  public let description: String
  /// Without zeros at the end, so that equal versions have equal numbers.
  private let numbers: [UInt32]
  /// Empty for a release.
  private let suffix: [Token]

  /// A run of digits or of letters in a suffix; numbers sort before words (semver.org, 11.4).
  private enum Token: Hashable, Comparable {
    case number(UInt64)
    case word(String)
  }

  /// Longest text, most numbers and most digits of a number that are read.
  private static let (lengthLimit, countLimit, digitLimit) = (64, 8, 9)
  /// What may follow the last number without a dash.
  private static let words = ["alpha", "beta", "rc", "pre", "dev"]

  /// Reads a version; nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.lengthLimit else { return nil }
    var text = text[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    if let first = text.first, first == "r" || first == "R" { text.removeFirst() }
    let head = text.prefix { $0.isASCIIDigit || $0 == "." }
    let rest = text[head.endIndex...].lowercased()
    let parts = head.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= Self.countLimit, parts.allSatisfy({ (1...Self.digitLimit).contains($0.count) }) else { return nil }
    var numbers = parts.compactMap { UInt32($0) }
    guard numbers.count == parts.count else { return nil }
    while numbers.last == 0 { numbers.removeLast() }
    guard rest.isEmpty || rest.hasPrefix("-") || Self.words.contains(where: rest.hasPrefix), let suffix = Self.tokens(rest) else { return nil }
    description = String(text)
    self.numbers = numbers
    self.suffix = suffix
  }

  /// Whether it is not a release yet.
  public var isPreRelease: Bool { !suffix.isEmpty }

  public static func == (left: FirmwareVersion, right: FirmwareVersion) -> Bool { left.numbers == right.numbers && left.suffix == right.suffix }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(numbers)
    hasher.combine(suffix)
  }

  public static func < (left: FirmwareVersion, right: FirmwareVersion) -> Bool {
    // Without zeros at the end a shorter list of equal beginning is the lower version.
    if left.numbers != right.numbers { return left.numbers.lexicographicallyPrecedes(right.numbers) }
    if left.isPreRelease != right.isPreRelease { return left.isPreRelease }
    return left.suffix.lexicographicallyPrecedes(right.suffix)
  }

  /// `-rc.10`, `-rc10` and `rc10` are all `rc`, 10; nil when there is nothing in it, or something that belongs into no version.
  private static func tokens(_ text: String) -> [Token]? {
    guard !text.isEmpty else { return [] }
    guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "." || $0 == "-" }) else { return nil }
    var runs: [String] = []
    var last: Character?
    for character in text {
      defer { last = character }
      guard character != ".", character != "-" else { continue }
      if let last, last != ".", last != "-", last.isASCIIDigit == character.isASCIIDigit, let index = runs.indices.last {
        runs[index].append(character)
      } else {
        runs.append(String(character))
      }
    }
    let tokens = runs.compactMap { run in run.first?.isASCIIDigit == true ? UInt64(run).map(Token.number) : .word(run) }
    return tokens.isEmpty || tokens.count != runs.count ? nil : tokens
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { "0" <= self && self <= "9" }
}
