import SQLite
import Flashing
import Foundation
import Testing

@testable import Records

@Suite("Schema and migrations")
struct SchemaTests {
  /// The columns as contract §4 prints them, copied by hand.
  static let contract = """
    record, attempt_id, batch_id, report_day, station_id, work_order, lot, operator, unit_id, profile, job, upgrade_mode, mac, dfu_mac, address_type, \
    serial_number, model_number, hardware_revision, firmware_before, firmware_after, bootloader_before, bootloader_after, package, package_sha256, \
    image_hash, image_hash_before, image_hash_after, image_state, verified_by, settings_erased, left_as, adapter_label, adapter_path, adapter_mac, \
    outcome, good, failure_code, failure_phase, failure_message, attempt, retries, started_at, finished_at, duration_s, upload_bytes, upload_s, \
    upload_kB_per_s, resumed_from, rssi_dbm, tool_version
    """.split(separator: ", ").map(String.init)

  @Test("The view results has the contract's columns in the contract's order, and so has every report")
  func columns() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    #expect(try bench.query("SELECT name FROM pragma_table_info('results') ORDER BY cid").compactMap(\.first?.text) == Self.contract)
    #expect(ResultColumn.allCases.map(\.rawValue) == Self.contract)
    try await book.record(try await book.newBatch().id, board: 1, .passed)
    #expect(try bench.text(bench.reports + "/2026-11-30.csv").split(separator: "\r\n").first == Substring(Self.contract.joined(separator: ",")))
    try await book.close()
  }

  @Test("Tables, views and settings are what the contract promises")
  func promises() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let tables = try bench.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    #expect(tables.compactMap(\.first?.text) == ["attempts", "audit", "batches", "boards", "phases"])
    #expect(
      try bench.query("SELECT name FROM pragma_table_info('units') ORDER BY cid").compactMap(\.first?.text)
        == ["batch_id", "unit_id", "mac", "serial_number", "attempts", "first_outcome", "last_outcome", "last_attempt_id", "good"])
    #expect(try bench.query("PRAGMA journal_mode").first == [.text("wal")])
    #expect(try bench.query("PRAGMA application_id").first == [.integer(0x464C_4E31)])
    #expect(try await book.setting("foreign_keys") == .integer(1))
    #expect(try await book.setting("synchronous") == .integer(2), "2 is FULL")
    #expect(try await book.setting("cache_size") == .integer(-1024), "KiB: a long batch does not grow by SQLite's cache")
    try await book.close()
    #expect(FileManager.default.fileExists(atPath: bench.database + "-wal"), "the log is kept, so that read-only users can read")
  }

  @Test("Open attempts are not in results; units shows the ends of each board in each batch")
  func views() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    try await book.record(batch, board: 1, .timeout, final: false) { $0.serialNumber = "S1" }
    try await book.record(batch, board: 2, .failed)
    try await book.record(batch, board: 1, .passed, count: 2) { $0.unitID = "U1" }
    _ = try await book.begin(Sample.attempt(batch, board: 3))
    #expect(
      try bench.query("SELECT record, attempt_id FROM results") == [[.integer(1), .integer(1)], [.integer(2), .integer(2)], [.integer(3), .integer(3)]])
    #expect(
      try bench.query("SELECT * FROM units") == [
        [
          .integer(batch), .text("U1"), .text("C0:DE:00:00:00:01"), .text("S1"), .integer(2), .text("timeout"), .text("passed"), .integer(3), .integer(1),
        ],
        [.integer(batch), .absent, .text("C0:DE:00:00:00:02"), .absent, .integer(1), .text("failed"), .text("failed"), .integer(2), .integer(0)],
      ])
    try await book.close()
  }

  @Test("A released migration is never edited: its text has the hash that it had when it was released")
  func frozen() throws {
    let hashes = try Migration.all.map { try Canon.hash("", $0.sql) }
    #expect(
      hashes == [
        "773469eb92b31535b290d8802c61b52c549f910175da434b771b541abf470a5f",
        "f63f39969b9003e681d369c07ec95c7a05d40f6659dce6a36046e35e150cce80",
      ])
  }

  @Test("An empty file takes every migration; a database of version 1 with results takes only the newer ones and keeps its rows")
  func oldDatabase() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    try await book.record(try await book.newBatch().id, board: 1, .passed)
    try await book.close()

    // What the first release left.
    try bench.shell("DROP INDEX attempts_by_bootloader; PRAGMA user_version = 1")

    let next = Migration(name: "test", sql: "ALTER TABLE boards ADD COLUMN shelf TEXT; UPDATE boards SET shelf = 'A'")
    let database = try Database(bench.database, .readWrite)
    #expect(try Schema.version(database) == 1)
    try Schema.prepare(database, migrations: Migration.all + [next])
    #expect(try Schema.version(database) == Migration.all.count + 1)
    #expect(try database.first("SELECT count(*) FROM sqlite_schema WHERE name = 'attempts_by_bootloader'") == [.integer(1)])
    #expect(try database.first("SELECT shelf FROM boards") == [.text("A")])
    #expect(try database.first("SELECT count(*) FROM results") == [.integer(1)])
    try Schema.prepare(database, migrations: Migration.all + [next])
    #expect(try Schema.version(database) == Migration.all.count + 1, "a second time changes nothing")

    let fresh = try Database(bench.folder + "/fresh.db", .readWrite)
    try Schema.prepare(fresh, migrations: Migration.all + [next])
    #expect(try Schema.version(fresh) == Migration.all.count + 1)
  }

  @Test("A migration that fails leaves nothing of itself, and says which one it was")
  func failingMigration() throws {
    let bench = try Workbench()
    let database = try Database(bench.database, .readWrite)
    let broken = Migration(name: "broken one", sql: "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)")
    #expect {
      try Schema.prepare(database, migrations: Migration.all + [broken])
    } throws: { error in
      guard case RecordError.damaged(let words) = error else { return false }
      return words.contains("migration \(Migration.all.count + 1), broken one")
    }
    #expect(try Schema.version(database) == Migration.all.count)
    #expect(try database.first("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == [.integer(0)])
  }

  @Test("A view that an older version made is made again")
  func oldView() async throws {
    let bench = try Workbench()
    try await bench.open().close()
    try bench.shell("DROP VIEW results; CREATE VIEW results AS SELECT record FROM attempts")
    try await bench.open().close()
    #expect(try bench.query("SELECT count(*) FROM pragma_table_info('results')").first == [.integer(Int64(Self.contract.count))])
  }

  @Test("Files that are no sound Flashline database are refused and left as they are")
  func refused() async throws {
    let bench = try Workbench()
    try bench.shell("CREATE TABLE mine (x)")
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.database))
    await #expect { _ = try await bench.open() } throws: { "\($0)".contains("not a Flashline database") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.database)) == before)

    let garbage = try Workbench()
    try Data(repeating: 0x42, count: 8192).write(to: URL(fileURLWithPath: garbage.database))
    await #expect { _ = try await garbage.open() } throws: { "\($0)".contains("damaged") }

    let newer = try Workbench()
    try await newer.open().close()
    try newer.shell("PRAGMA user_version = 99")
    await #expect { _ = try await newer.open() } throws: { "\($0)".contains("newer version of Flashline") }
    await #expect { _ = try await RecordReader.open(newer.database) } throws: { "\($0)".contains("newer version of Flashline") }
  }

  @Test("A page that was overwritten is found when a job opens the database")
  func integrity() async throws {
    let bench = try Workbench()
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    for board in 0..<50 { try await book.record(batch, board: board, .passed) }
    try await book.close()
    try bench.shell("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: bench.database))
    let root = try #require(try bench.query("SELECT rootpage FROM sqlite_schema WHERE name = 'attempts'").first?.first?.integer)
    try file.seek(toOffset: UInt64(root - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
    try file.close()
    await #expect {
      _ = try await bench.open()
    } throws: { error in
      guard case RecordError.damaged = error else { return false }
      return true
    }
  }
}

extension RecordBook {
  func setting(_ name: String) throws -> ResultCell? { try database().first("PRAGMA \(name)")?.first }
}
