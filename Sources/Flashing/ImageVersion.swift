/// An image version as numbers: `1.2.3`, SMP's `1.2.3.4` or imgtool's `1.2.3+4`; the build number decides last.
public struct ImageVersion: Hashable, Comparable, Sendable {
  /// Major, minor, revision, build.
  public let parts: [UInt32]

  /// Nil when the text is no version.
  public init?(_ text: String) {
    let fields = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "+" }
    guard (3...4).contains(fields.count) else { return nil }
    let numbers = fields.compactMap { $0.allSatisfy(\.isASCII) && $0.first?.isNumber == true ? UInt32($0) : nil }
    guard numbers.count == fields.count else { return nil }
    parts = numbers.count == 4 ? numbers : numbers + [0]
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}
