/// A version as MbientLab writes it: numbers between dots, padded with zeros for comparison (metaboot.md §3.2).
struct DottedVersion: Comparable, Sendable {
  private let parts: [Int]

  /// What is no number counts as zero, as a board would not refuse to boot over it.
  init(_ text: String?) {
    var parts = (text ?? "0").split(separator: ".").map { Int($0) ?? 0 }
    while parts.last == 0 { parts.removeLast() }
    self.parts = parts
  }

  static func < (left: Self, right: Self) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }
}
