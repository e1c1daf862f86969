// Plain Foundation: FoundationEssentials on Linux knows no time zone but GMT (measured with Swift 6.3.1).
import Foundation

/// Wall-clock times of the station's time zone, for `--until`. (Days of reports are the Records room's.)
///
/// All instants are milliseconds since 1970 (UTC), as everywhere.
public struct LocalTime: Hashable, Sendable {
  /// The zone's IANA name.
  public let zone: String
  private let calendar: Calendar

  /// The time zone that this computer is set to.
  public static var machineZone: String { TimeZone.current.identifier }

  /// A statically linked program has time zones only when something of FoundationInternationalization is linked, too (measured with Swift 6.3.1:
  /// without it `TimeZone(identifier:)` is nil for every name). This style is that something, for the Records room as well.
  private static let internationalization = Date.FormatStyle()

  /// Nil when the system's time zone database has no such name.
  public init?(zone: String) {
    _ = Self.internationalization
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

  private static func date(_ wall: Int64) -> Date { Date(timeIntervalSince1970: Double(wall) / 1000) }

  private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}
