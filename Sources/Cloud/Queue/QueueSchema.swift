import SQLite

/// A connection of the queue's.
typealias QueueDatabase = SQLiteConnection<ChunkQueueError>

/// Brings a queue's database to the newest schema.
enum QueueSchema {
  /// One step. A step that was released is never edited: a later one corrects it.
  struct Migration {
    let name: String
    let sql: String
  }

  /// `PRAGMA application_id` of every queue: "FLQ1".
  static let applicationID: Int64 = 0x464C_5131
  /// Bytes of the write-ahead log that are kept between two checkpoints.
  static let logLimit = 4 * 1024 * 1024
  /// KiB of pages in memory.
  static let cacheLimit = 512

  /// All steps in order; `PRAGMA user_version` counts how many a database has taken.
  static let all = [
    Migration(
      name: "first schema",
      sql: """
        CREATE TABLE lanes (
          lane_id INTEGER PRIMARY KEY AUTOINCREMENT,
          board TEXT NOT NULL,
          device_id TEXT NOT NULL,
          address TEXT NOT NULL,
          header TEXT NOT NULL,
          key_file TEXT NOT NULL,
          opened_at INTEGER NOT NULL,
          received INTEGER NOT NULL DEFAULT 0,
          uploaded INTEGER NOT NULL DEFAULT 0,
          missing INTEGER NOT NULL DEFAULT 0,
          dropped INTEGER NOT NULL DEFAULT 0,
          rejected INTEGER NOT NULL DEFAULT 0,
          repeated INTEGER NOT NULL DEFAULT 0,
          sending_to INTEGER NOT NULL DEFAULT 0,
          repeated_to INTEGER NOT NULL DEFAULT 0,
          held TEXT
        ) STRICT;
        CREATE INDEX lanes_by_board ON lanes (board, device_id, address, lane_id);

        CREATE TABLE chunks (
          position INTEGER PRIMARY KEY AUTOINCREMENT,
          lane_id INTEGER NOT NULL REFERENCES lanes (lane_id),
          number INTEGER NOT NULL,
          received_at INTEGER NOT NULL,
          rejected_with INTEGER,
          data BLOB NOT NULL
        ) STRICT;
        CREATE INDEX chunks_waiting ON chunks (lane_id, position) WHERE rejected_with IS NULL;
        CREATE INDEX chunks_rejected ON chunks (position) WHERE rejected_with IS NOT NULL;

        CREATE TABLE gaps (
          gap_id INTEGER PRIMARY KEY AUTOINCREMENT,
          lane_id INTEGER NOT NULL REFERENCES lanes (lane_id),
          after_received INTEGER NOT NULL,
          missing INTEGER NOT NULL,
          noted_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX gaps_by_lane ON gaps (lane_id);
        """)
  ]

  /// Makes an opened file a queue of the newest version, or says why it is none.
  static func prepare(_ database: QueueDatabase, migrations: [Migration] = all) throws(ChunkQueueError) {
    // First of all: a file of another program is left as it is.
    let version = try checkOrigin(database, newest: migrations.count)
    try database.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = \(logLimit);
      PRAGMA cache_size = -\(cacheLimit);
      """)
    guard try database.first("PRAGMA journal_mode", binding: [])?.first == .text("wal") else {
      throw .notWritable("the queue \(database.path): write-ahead logging is not possible here: keep the queue on a local disk")
    }
    if let answer = try database.first("PRAGMA quick_check(1)", binding: [])?.first?.text, answer != "ok" {
      throw .damaged("the queue \(database.path): \(answer): move it and its .keys folder away, and start again; the chunks in it are lost")
    }
    for (index, migration) in migrations.enumerated().dropFirst(version) {
      try database.transaction { () throws(ChunkQueueError) in
        try database.execute(migration.sql)
        try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(index + 1)")
      }
    }
  }

  private static func checkOrigin(_ database: QueueDatabase, newest: Int) throws(ChunkQueueError) -> Int {
    let version = try number("PRAGMA user_version", database)
    let application = try number("PRAGMA application_id", database)
    let tables = try number("SELECT count(*) FROM sqlite_schema", database)
    guard application == applicationID || (application == 0 && version == 0 && tables == 0) else {
      throw .damaged("\(database.path) is no queue of Flashline's: give [cloud] queue another file")
    }
    guard version <= newest, version >= 0 else {
      throw .damaged("the queue \(database.path) was made by a newer version of Flashline (schema \(version), this one knows \(newest)): use that version")
    }
    return Int(version)
  }

  private static func number(_ sql: String, _ database: QueueDatabase) throws(ChunkQueueError) -> Int64 {
    try database.first(sql, binding: [])?.first?.integer ?? 0
  }
}
