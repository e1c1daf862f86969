import Station

/// Reads the words behind `smp ADDRESS GROUP COMMAND`, one after the other, with a complaint that shows how it is written.
struct OperandReader {
  let verb: SMPVerb
  /// The value of `settings write` is hexadecimal.
  let isHex: Bool
  private var words: ArraySlice<String>

  init(_ words: ArraySlice<String>, of verb: SMPVerb, isHex: Bool) {
    self.words = words
    self.verb = verb
    self.isHex = isHex
  }

  private var name: String { "smp \(verb.group) \(verb.command)" }
  private var remedy: String { "write flashline smp ADDRESS \(verb.usage)" }

  mutating func next() -> String? { words.popFirst() }

  mutating func text(_ what: String) throws(ProgramError) -> String {
    guard let word = next(), !word.isEmpty else { throw .usage("\(name) needs \(what)", remedy) }
    return word
  }

  mutating func rest() -> [String] {
    defer { words = [] }
    return Array(words)
  }

  mutating func number(_ what: String, in range: ClosedRange<Int>) throws(ProgramError) -> Int? {
    guard let word = next() else { return nil }
    guard let number = Int(word), range.contains(number), word.first != "+" else {
      let bounds = range.upperBound == .max ? "from \(range.lowerBound) up" : "from \(range.lowerBound) to \(range.upperBound)"
      throw .usage("\(name): \(what) \(word.shown) does not fit", "write a whole number \(bounds)")
    }
    return number
  }

  mutating func hash() throws(ProgramError) -> [UInt8]? {
    guard let word = next() else { return nil }
    guard let bytes = Self.bytes(word), [32, 48, 64].contains(bytes.count) else {
      throw .usage("\(name): \(word.shown) is no image hash", "copy the 64, 96 or 128 digits that flashline smp ADDRESS image list shows")
    }
    return bytes
  }

  /// The value of a setting: the words as they are, or hexadecimal digits.
  mutating func value() throws(ProgramError) -> [UInt8] {
    let word = words.isEmpty ? nil : rest().joined(separator: " ")
    guard let word else { throw .usage("\(name) needs VALUE", remedy) }
    guard isHex else { return Array(word.utf8) }
    guard let bytes = Self.bytes(word) else { throw .usage("\(name): \(word.shown) is not hexadecimal", "write pairs of digits, like 00ff") }
    return bytes
  }

  /// Nothing may be left.
  func end() throws(ProgramError) {
    if let extra = words.first { throw .usage("\(name) does not know what to do with \(extra.shown)", remedy) }
    if isHex, verb.command != "write" { throw .usage("--hex goes with smp settings write", "leave it out") }
  }

  /// Pairs of hexadecimal digits; nil for anything else.
  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16) }
  }
}
