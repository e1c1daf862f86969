import Flashing
import FoundationEssentials
import Testing

@testable import Station

/// That local times are the ones on the wall, also on the days when clocks change.
struct TimeTests {
  static func wall(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1000)
  }

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
    ("Etc/UTC", "2026-12-31T23:59:59Z", "23:59", "2027-01-01T23:59:00.000Z"),
  ])
  func findsTheNextLocalTime(zone: String, now: String, until: String, expected: String) throws {
    let wall = try Self.wall(now)
    let local = try #require(LocalTime(zone: zone))
    let time = try #require(UntilTime(until))
    let wait = try #require(time.wait(from: wall, in: local))
    #expect(Timestamp.text(wall + wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000) == expected)
  }

  @Test(arguments: ["24:00", "12:60", "12", "12:5", "1200", "-1:00", "12:00:00", " 12:00", "", "١٢:٠٠"])
  func refusesUntil(text: String) {
    #expect(UntilTime(text) == nil)
  }

  @Test func unknownZonesAreRefused() {
    #expect(LocalTime(zone: "Mars/Olympus") == nil)
    #expect(LocalTime(zone: LocalTime.machineZone) != nil)
  }
}
