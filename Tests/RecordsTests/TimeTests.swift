import Flashing
import Testing

@testable import Records

@Suite("Local days and times as text")
struct TimeTests {
  /// Zone, day, first moment of it. Offsets by the IANA data: Berlin's clocks change on 2026-03-29 and 2026-10-25; Beirut's skip midnight on 2026-03-29.
  static let days: [(String, String, String)] = [
    ("UTC", "2026-11-30", "2026-11-30T00:00:00.000Z"), ("Europe/Berlin", "2026-11-30", "2026-11-29T23:00:00.000Z"),
    ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"), ("Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00.000Z"),
    ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z"), ("Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00.000Z"),
    ("America/Los_Angeles", "2026-01-01", "2026-01-01T08:00:00.000Z"), ("Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00.000Z"),
    ("Asia/Kathmandu", "2026-06-01", "2026-05-31T18:15:00.000Z"), ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z"),
  ]

  @Test("A local day begins at its first moment, and the moment before belongs to the day before", arguments: days)
  func starts(zone: String, day: String, start: String) throws {
    let calendar = try #require(LocalCalendar(timeZone: zone))
    let moment = try #require(calendar.start(of: day))
    #expect(Timestamp.text(moment) == start)
    #expect(calendar.day(of: moment) == day)
    #expect(calendar.day(of: moment - 1) < day)
    #expect(calendar.moment(day) == moment)
    #expect(calendar.moment(start) == moment)
  }

  static let texts: [(String, Int64?)] = [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-30T08:00:00.000Z", Sample.morning), ("2026-11-30T09:00:00+01:00", Sample.morning),
    ("2026-11-30T02:30:00.5-05:30", Sample.morning + 500), ("2026-11-30t08:00:00.0019z", Sample.morning + 1), ("1969-12-31T23:59:59.999Z", -1),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2026-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil), ("2026-11-30T24:00:00Z", nil),
    ("2026-11-30T08:00:00", nil), ("2026-11-30T08:00:00.Z", nil), ("2026-11-30T08:00:00+0100", nil), ("2026-11-30T08:00:00ZZ", nil), ("", nil),
    ("2026-11-30T08:00:00.12345678901234567890123Z", nil), ("2026-1１-30T08:00:00Z", nil), ("-026-11-30T08:00:00Z", nil),
  ]

  @Test("RFC 3339 times are read, and nothing else", arguments: texts)
  func parse(text: String, milliseconds: Int64?) {
    #expect(Timestamp.milliseconds(text) == milliseconds)
  }

  @Test("No zone of that name, no calendar; no day of that name, no moment")
  func unknown() throws {
    #expect(LocalCalendar(timeZone: "Mars/Olympus") == nil)
    let calendar = try #require(LocalCalendar(timeZone: "UTC"))
    for text in ["", "yesterday", "2026-02-30", "2026-11-30T08:00", "30.11.2026", "9999-12-31", "0000-01-01"] { #expect(calendar.moment(text) == nil) }
  }
}
