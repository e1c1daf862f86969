import Flashing
// Plain Foundation: FoundationEssentials has no time zone data on Linux (only fixed offsets), ICU's comes with Foundation.
import Foundation

/// Local days of the station (`[station] timezone`): which daily report an attempt belongs to, and when a day begins.
public struct LocalCalendar: Sendable {
  private let zone: TimeZone

  /// - Parameter timeZone: an IANA name such as `Europe/Berlin`; nil is the system's zone, an unknown name makes no calendar.
  public init?(timeZone: String?) {
    if let timeZone {
      guard let zone = TimeZone(identifier: timeZone) else { return nil }
      self.zone = zone
    } else {
      zone = .current
    }
  }

  /// The local day (`YYYY-MM-DD`) of a moment in milliseconds since 1970 (UTC).
  public func day(of milliseconds: Int64) -> String {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    return String(Timestamp.text(milliseconds + Int64(offset) * 1000).prefix(10))
  }

  /// The first moment of a local day (`YYYY-MM-DD`) in milliseconds since 1970 (UTC); nil for what is no day.
  public func start(of day: String) -> Int64? {
    // Years have four digits in every column, and text must sort as time does: the search below needs a day of room on both sides.
    guard day > "0001", day < "9999", let utc = Timestamp.milliseconds(day + "T00:00:00Z") else { return nil }
    // Zones lie within UTC-12…UTC+14, and a change of the clock may swallow midnight: the first moment is searched, not computed.
    var (before, after) = (utc - 26 * 3_600_000, utc + 26 * 3_600_000)
    while after - before > 1 {
      let middle = (before + after) / 2
      if self.day(of: middle) < day { before = middle } else { after = middle }
    }
    return after
  }

  /// Reads what an operator gives as `--since` or `--until`: an RFC 3339 time with zone, or a bare date, which is local midnight (contract §1).
  public func moment(_ text: String) -> Int64? {
    Timestamp.milliseconds(text) ?? start(of: text)
  }
}
