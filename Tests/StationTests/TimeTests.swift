import Flashing
import Testing

@testable import Station

/// That local times are the ones on the wall, also on the days when clocks change.
struct TimeTests {
  static func wall(_ text: String) -> Int64 { LocalTime(zone: "Etc/UTC").flatMap { ReportTime.read(text, in: $0) } ?? -1 }

  @Test(arguments: [
    // Berlin, summer: UTC+2.
    ("Europe/Berlin", "2026-07-01T10:00:00Z", "14:00", "2026-07-01T12:00:00.000Z"),
    ("Europe/Berlin", "2026-07-01T12:00:00Z", "14:00", "2026-07-02T12:00:00.000Z"),
    ("Europe/Berlin", "2026-07-01T12:00:01Z", "14:00", "2026-07-02T12:00:00.000Z"),
    ("Europe/Berlin", "2026-07-01T21:59:00Z", "0:00", "2026-07-01T22:00:00.000Z"),
    // 29 March 2026: 02:00 to 03:00 is left out. 25 October 2026: it comes twice.
    ("Europe/Berlin", "2026-03-29T00:00:00Z", "02:30", "2026-03-29T01:00:00.000Z"),
    ("Europe/Berlin", "2026-03-28T22:00:00Z", "03:00", "2026-03-29T01:00:00.000Z"),
    ("Europe/Berlin", "2026-10-24T22:00:00Z", "02:30", "2026-10-25T00:30:00.000Z"),
    ("Etc/UTC", "2026-12-31T23:59:59.500Z", "23:59", "2027-01-01T23:59:00.000Z"),
  ])
  func findsTheNextLocalTime(zone: String, now: String, until: String, expected: String) throws {
    let local = try #require(LocalTime(zone: zone))
    let time = try #require(UntilTime(until))
    let wait = try #require(time.wait(from: Self.wall(now), in: local))
    #expect(Timestamp.text(Self.wall(now) + wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000) == expected)
  }

  @Test(arguments: ["24:00", "12:60", "12", "12:5", "1200", "-1:00", "12:00:00", " 12:00", "", "١٢:٠٠"])
  func refusesUntil(text: String) {
    #expect(UntilTime(text) == nil)
  }

  @Test(arguments: [
    ("2026-07-01", "2026-06-30T22:00:00.000Z"), ("2026-01-01", "2025-12-31T23:00:00.000Z"), ("2026-03-29", "2026-03-28T23:00:00.000Z"),
    ("2026-07-01T10:00:00Z", "2026-07-01T10:00:00.000Z"), ("2026-07-01t10:00:00.5+02:00", "2026-07-01T08:00:00.500Z"),
    ("2026-07-01 10:00:00.123456-00:30", "2026-07-01T10:30:00.123Z"), ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
    ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"), ("2000-12-31T23:59:59Z", "2000-12-31T23:59:59.000Z"),
  ])
  func readsReportTimes(text: String, expected: String) throws {
    let local = try #require(LocalTime(zone: "Europe/Berlin"))
    #expect(ReportTime.read(text, in: local).map(Timestamp.text) == expected)
  }

  @Test(arguments: [
    "", "2026", "2026-7-1", "2026-02-29", "2026-13-01", "2026-00-10", "2026-07-32", "2026-02-30T00:00:00Z", "2026-07-01T10:00:00", "2026-07-01T10:00Z",
    "2026-07-01T24:00:00Z", "2026-07-01T10:00:00+2", "2026-07-01T10:00:00.Z", "2026-07-01T10:00:00Z ", "2026-07-01X10:00:00Z", "9999-12-31", "2026/07/01",
    "2026-07-01T10:00:00.1234567890Z", "2026-07-0é",
  ])
  func refusesReportTimes(text: String) throws {
    let local = try #require(LocalTime(zone: "Europe/Berlin"))
    #expect(ReportTime.read(text, in: local) == nil)
  }

  /// Clocks in Beirut jump from 00:00 to 01:00: the day begins at 01:00.
  @Test func aDayMayBeginAfterMidnight() throws {
    let local = try #require(LocalTime(zone: "Asia/Beirut"))
    #expect(ReportTime.read("2026-03-29", in: local).map(Timestamp.text) == "2026-03-28T22:00:00.000Z")
  }

  @Test func unknownZonesAreRefused() {
    #expect(LocalTime(zone: "Mars/Olympus") == nil)
    #expect(LocalTime(zone: LocalTime.machineZone) != nil)
  }
}
