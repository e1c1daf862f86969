// Plain Foundation: FoundationEssentials on Linux knows no time zone but GMT (measured with Swift 6.3.1).
import Foundation

/// Wall-clock times of the station's time zone, for `--until` and report filters.
///
/// All instants are milliseconds since 1970 (UTC), as everywhere.
public struct LocalTime: Hashable, Sendable {
  /// The zone's IANA name.
  public let zone: String
  private let calendar: Calendar

  /// The time zone that this computer is set to.
  public static var machineZone: String { TimeZone.current.identifier }

  /// Nil when the system's time zone database has no such name.
  public init?(zone: String) {
    guard let timeZone = TimeZone(identifier: zone) else { return nil }
    self.zone = zone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// The first instant after `wall` at which local clocks show `hour`:`minute`.
  ///
  /// A time that the start of summer time leaves out is taken at the instant when clocks jump past it; one that its end repeats, when it comes first.
  public func next(hour: Int, minute: Int, after wall: Int64) -> Int64? {
    let now = Self.date(wall)
    let wanted = DateComponents(hour: hour, minute: minute, second: 0)
    guard let date = calendar.nextDate(after: now, matching: wanted, matchingPolicy: .nextTime, repeatedTimePolicy: .first) else { return nil }
    return Self.milliseconds(date)
  }

  /// The first instant of a local day; nil for a day that does not exist.
  public func midnight(year: Int, month: Int, day: Int) -> Int64? {
    let wanted = DateComponents(year: year, month: month, day: day)
    // Noon exists on every day, midnight does not (zones that begin summer time at 00:00).
    guard let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)) else { return nil }
    guard calendar.dateComponents([.year, .month, .day], from: noon) == wanted else { return nil }
    return Self.milliseconds(calendar.startOfDay(for: noon))
  }

  private static func date(_ wall: Int64) -> Date { Date(timeIntervalSince1970: Double(wall) / 1000) }

  private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}
