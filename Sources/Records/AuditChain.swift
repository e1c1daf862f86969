import SQLite
import Flashing

/// The writing side of the audit: one more link for each finished attempt, each end of a batch and each taking up again.
///
/// Called inside the transaction that writes the row itself, so that neither exists without the other.
struct AuditChain {
  let database: Database

  /// The hash of the newest entry; 64 zeros while there is none.
  func head() throws(RecordError) -> String {
    try database.first("SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1")?.first?.text ?? Canon.genesis
  }

  /// Chains the attempt that has just been given this record number, as the database holds it.
  func append(record: Int64, batchID: Int64) throws(RecordError) {
    guard let row = try database.first("SELECT \(ResultWriter.names) FROM results WHERE record = ?", [.integer(record)]), let canonical = Canon.result(row)
    else {
      throw .damaged("\(database.path): record \(record) cannot be read back: check the disk")
    }
    try append(canonical, record: .integer(record), batchID: batchID)
  }

  /// Chains what befell a batch, as its row now stands.
  func append(_ event: BatchEvent, batchID: Int64) throws(RecordError) {
    guard let row = try database.first("SELECT \(Canon.batchColumns) FROM batches WHERE batch_id = ?", [.integer(batchID)]) else {
      throw .damaged("\(database.path): batch \(batchID) does not exist")
    }
    try append(Canon.batch(event, row), record: .absent, batchID: batchID)
  }

  private func append(_ canonical: String, record: ResultCell, batchID: Int64) throws(RecordError) {
    try database.run(
      "INSERT INTO audit (sequence, record, batch_id, canonical, hash) SELECT coalesce(max(sequence), 0) + 1, ?, ?, ?, ? FROM audit",
      [record, .integer(batchID), .text(canonical), .text(try Canon.hash(try head(), canonical))])
  }
}
