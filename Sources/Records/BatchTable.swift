import SQLite
import Flashing
import FoundationEssentials

/// Reading and writing rows of `batches`.
struct BatchTable {
  let database: Database

  /// Ends after which the same start goes on with the same batch: the operator stopped it, or the station could not go on (contract §2).
  static let resumable: Set<EndReason> = [.operator, .fault]

  /// The newest batch with this key, if it is unfinished; older ones were given up when that one began.
  func unfinished(_ key: BatchKey) throws(RecordError) -> Int64? {
    let newest = try database.first(
      """
      SELECT batch_id, end_reason FROM batches
      WHERE job = ? AND profiles = ? AND packages = ? AND lot IS ? AND work_order IS ? ORDER BY batch_id DESC LIMIT 1
      """, key.cells)
    guard let newest, let id = newest[0].integer else { return nil }
    guard let reason = newest[1].text else { return id }
    return EndReason(rawValue: reason).map(Self.resumable.contains) == true ? id : nil
  }

  /// Packages of the newest batch that differs from `key` in nothing else, if it is unfinished.
  func unfinishedPackages(_ key: BatchKey) throws(RecordError) -> [String]? {
    let newest = try database.first(
      """
      SELECT packages, end_reason FROM batches
      WHERE job = ? AND profiles = ? AND lot IS ? AND work_order IS ? ORDER BY batch_id DESC LIMIT 1
      """, [.text(key.job.rawValue), .text(list(key.profiles)), .optional(key.lot), .optional(key.workOrder)])
    guard let newest, let packages = newest[0].text else { return nil }
    if let reason = newest[1].text, EndReason(rawValue: reason).map(Self.resumable.contains) != true { return nil }
    return try? JSONDecoder().decode([String].self, from: Data(packages.utf8))
  }

  func insert(_ key: BatchKey, stationID: String, operator: String?, at wall: Int64) throws(RecordError) -> Int64 {
    try database.run(
      "INSERT INTO batches (job, profiles, packages, lot, work_order, station_id, operator, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      key.cells + [.text(stationID), .optional(`operator`), .text(Timestamp.text(wall))])
    return database.lastInserted
  }

  /// Takes up a batch again; its earlier end stays in the audit. False when it had no end (a crash).
  func reopen(_ id: Int64) throws(RecordError) -> Bool {
    try database.run(
      "UPDATE batches SET ended_at = NULL, end_reason = NULL, missing = '[]' WHERE batch_id = ? AND ended_at IS NOT NULL", [.integer(id)]) == 1
  }

  func end(_ id: Int64, reason: EndReason, missing: [String], at wall: Int64) throws(RecordError) {
    let changed = try database.run(
      "UPDATE batches SET ended_at = ?, end_reason = ?, missing = ? WHERE batch_id = ? AND ended_at IS NULL",
      [.text(Timestamp.text(wall)), .text(reason.rawValue), .text(list(missing)), .integer(id)])
    guard changed == 1 else { throw .damaged("\(database.path): batch \(id) is not open: it ended before, or never began") }
  }
}

extension BatchKey {
  fileprivate var cells: [ResultCell] {
    [.text(job.rawValue), .text(list(profiles)), .text(list(packages)), .optional(lot), .optional(workOrder)]
  }
}

/// The form of every list in the database: a JSON array of strings.
private func list(_ texts: [String]) -> String { JSONText.list(texts.map(JSONText.text)).line }
