/// Durations as people write them: `500ms`, `7.5ms`, `10s`, `3m`, `2h`.
public enum DurationText {
  /// Reads a number, up to six decimals, and one unit without a space between; anything else is nil.
  public static func read(_ text: String) -> Duration? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let unit = units.first(where: { $0.name == text[number.endIndex...] }) else { return nil }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    // Six digits keep the largest product (hours) inside 64 bits of nanoseconds.
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...6).contains($0.count) }), let whole = Int64(parts[0]) else { return nil }
    var nanoseconds = whole * unit.nanoseconds
    if parts.count == 2 {
      guard let fraction = Int64(parts[1]) else { return nil }
      let scale = (0..<parts[1].count).reduce(Int64(1)) { product, _ in product * 10 }
      nanoseconds += fraction * unit.nanoseconds / scale
    }
    return .nanoseconds(nanoseconds)
  }

  /// Writes a duration in the largest unit that gives a whole number, or in milliseconds.
  public static func text(_ duration: Duration) -> String {
    let nanoseconds = duration.components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !nanoseconds.overflow else { return "\(duration.components.seconds / 3600)h" }
    let total = nanoseconds.partialValue + duration.components.attoseconds / 1_000_000_000
    guard total != 0 else { return "0s" }
    for unit in units.reversed() where total % unit.nanoseconds == 0 { return "\(total / unit.nanoseconds)\(unit.name)" }
    return "\(Double(total) / 1_000_000)ms"
  }

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]
}
