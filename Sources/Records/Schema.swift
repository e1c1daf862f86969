import SQLite
import Flashing

/// Brings a database to the newest schema, and says whether one can be read.
enum Schema {
  /// `PRAGMA application_id` of every Flashline database: "FLN1".
  static let applicationID: Int64 = 0x464C_4E31

  /// Bytes of the write-ahead log that are kept on the disk between two checkpoints; it is emptied when the last user closes.
  static let logLimit = 4 * 1024 * 1024

  /// KiB of pages that the writer keeps in memory, half of SQLite's own choice. A job writes at the database's end and reads each day from its
  /// beginning: more pages would not save it a read, only make a long batch larger.
  static let cacheLimit = 1024

  /// Makes an opened file a Flashline database of the newest version: checks it, migrates it, and refreshes the views.
  static func prepare(_ database: Database, migrations: [Migration] = Migration.all) throws(RecordError) {
    // First of all: a file of another program is left as it is.
    try checkOrigin(database, newest: migrations.count)
    try database.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = \(logLimit);
      PRAGMA cache_size = -\(cacheLimit);
      """)
    guard try database.first("PRAGMA journal_mode")?.first == .text("wal") else {
      throw .notWritable("\(database.path): write-ahead logging is not possible here: keep the database on a local disk")
    }
    if let answer = try database.first("PRAGMA quick_check(1)")?.first?.text, answer != "ok" {
      throw .damaged("\(database.path): \(answer): restore it from a backup, or move it away and start a new one")
    }
    try migrate(database, migrations)
    try refreshViews(database)
  }

  /// Refuses a file that this version cannot read; never writes.
  static func checkReadable(_ database: Database) throws(RecordError) {
    try checkOrigin(database, newest: Migration.all.count)
    let version = try version(database)
    guard version == Migration.all.count else {
      throw .damaged("\(database.path): made by an older version of Flashline: start a job with it once, which brings it up to date")
    }
  }

  static func migrate(_ database: Database, _ migrations: [Migration]) throws(RecordError) {
    for (index, migration) in migrations.enumerated().dropFirst(try version(database)) {
      do {
        try database.transaction { () throws(RecordError) in
          try database.execute(migration.sql)
          try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(index + 1)")
        }
      } catch .damaged(let words) {
        throw .damaged("\(words) (in migration \(index + 1), \(migration.name))")
      }
    }
  }

  static func version(_ database: Database) throws(RecordError) -> Int {
    Int(try database.first("PRAGMA user_version")?.first?.integer ?? 0)
  }

  static func checkOrigin(_ database: Database, newest: Int) throws(RecordError) {
    let version = try version(database)
    let application = try database.first("PRAGMA application_id")?.first?.integer ?? 0
    let tables = try database.first("SELECT count(*) FROM sqlite_schema")?.first?.integer ?? 0
    guard application == applicationID || (application == 0 && version == 0 && tables == 0) else {
      throw .damaged("\(database.path): not a Flashline database: give this job another file")
    }
    guard version <= newest else {
      throw .damaged("\(database.path): made by a newer version of Flashline (schema \(version), this one knows \(newest)): use that version")
    }
  }

  /// Views hold no data, so they follow the code: made again whenever their text differs.
  private static func refreshViews(_ database: Database) throws(RecordError) {
    for (name, sql) in [("results", resultsView), ("units", unitsView)] {
      let present = try database.first("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", [.text(name)])?.first?.text
      guard present != sql else { continue }
      try database.transaction { () throws(RecordError) in
        try database.execute("DROP VIEW IF EXISTS \(name)")
        try database.execute(sql)
      }
    }
  }

  /// The contract's columns in the contract's order, finished attempts only.
  static let resultsView =
    "CREATE VIEW results AS SELECT " + ResultColumn.allCases.map(\.sql).joined(separator: ", ") + " FROM attempts WHERE record IS NOT NULL ORDER BY record"

  /// One row a board and batch (contract §4, Yield).
  static let unitsView = """
    CREATE VIEW units AS
    WITH ends AS (
      SELECT batch_id, mac, address_type, count(*) AS attempts, min(record) AS first_record, max(record) AS last_record
      FROM attempts WHERE record IS NOT NULL GROUP BY batch_id, mac, address_type)
    SELECT ends.batch_id AS batch_id, latest.unit_id AS unit_id, ends.mac AS mac,
      (SELECT known.serial_number FROM attempts AS known
       WHERE known.batch_id = ends.batch_id AND known.mac = ends.mac AND known.address_type = ends.address_type
         AND known.record IS NOT NULL AND known.serial_number IS NOT NULL
       ORDER BY known.record DESC LIMIT 1) AS serial_number,
      ends.attempts AS attempts, earliest.outcome AS first_outcome, latest.outcome AS last_outcome, latest.attempt_id AS last_attempt_id, latest.good AS good
    FROM ends
    JOIN attempts AS earliest ON earliest.record = ends.first_record
    JOIN attempts AS latest ON latest.record = ends.last_record
    ORDER BY ends.batch_id, ends.first_record
    """
}

extension ResultColumn {
  /// The column's name as SQL reads it without mistaking it for a key word.
  var sql: String { "\"\(rawValue)\"" }
}
