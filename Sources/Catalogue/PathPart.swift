/// What of a catalogue may become a part of a path or an address.
enum PathPart {
  static let lengthLimit = 64

  /// Letters, digits, `.`, `_`, `+` and `-`, a letter or digit first: so neither `..` nor a slash, a hidden file, an option or a blank.
  static func isSafe(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= lengthLimit, isAlphanumeric(first) else { return false }
    return text.utf8.allSatisfy { isAlphanumeric($0) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }
}

/// A hardware revision, model or flavor as it is compared: without blanks around, a leading `r` before a digit, and capitals.
///
/// Boards and catalogues write `r0.4`, `R0.4` and `0.4` for the same (facts/metaboot.md §3.2, §10.9).
struct CatalogueKey: Hashable, Comparable, CustomStringConvertible {
  let description: String

  init(_ text: String) {
    var text = text.lowercased()[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    if text.first == "r", text.dropFirst().first?.isNumber == true { text.removeFirst() }
    description = String(text)
  }

  static func < (left: CatalogueKey, right: CatalogueKey) -> Bool {
    if let one = UInt64(left.description), let other = UInt64(right.description), one != other { return one < other }
    return left.description < right.description
  }
}
