import SQLite
import Flashing
import Foundation
import Testing

@testable import Records

/// A folder of its own for one test, removed with it.
final class Workbench: Sendable {
  let folder: String
  var database: String { folder + "/station.db" }
  var reports: String { folder + "/reports" }

  init() throws {
    folder = NSTemporaryDirectory() + "records-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    _ = chmod(reports, 0o755)
    try? FileManager.default.removeItem(atPath: folder)
  }

  func place(_ timeZone: String = "Europe/Berlin") throws -> RecordPlace {
    RecordPlace(database: database, reports: reports, calendar: try #require(LocalCalendar(timeZone: timeZone)))
  }

  func open(clock: HandClock = HandClock()) async throws -> RecordBook {
    try await RecordBook.open(place(), time: Timekeeper(clock, wall: { Sample.morning }))
  }

  /// A second connection for what a user with the `sqlite3` shell would do.
  func shell(_ sql: String) throws {
    try Database(database, .readWrite).execute(sql)
  }

  func query(_ sql: String) throws -> [[ResultCell]] {
    var rows: [[ResultCell]] = []
    try Database(database, .readWrite).rows(sql) { row in
      rows.append(row)
      return .goOn
    }
    return rows
  }

  func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }
}
