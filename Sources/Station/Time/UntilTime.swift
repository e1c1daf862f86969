/// `--until HH:MM`: the next such local time.
public struct UntilTime: Hashable, Sendable {
  public var hour: Int
  public var minute: Int

  /// Reads `HH:MM` or `H:MM`, 0:00 to 23:59; anything else is nil.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2 else { return nil }
    guard parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }), let hour = Int(parts[0]), let minute = Int(parts[1]) else { return nil }
    guard hour < 24, minute < 60 else { return nil }
    self.hour = hour
    self.minute = minute
  }

  /// How long it is until then.
  ///
  /// - Parameter wall: now, milliseconds since 1970. At that very minute the time of the next day is meant.
  public func wait(from wall: Int64, in local: LocalTime) -> Duration? {
    local.next(hour: hour, minute: minute, after: wall).map { .milliseconds($0 - wall) }
  }
}
