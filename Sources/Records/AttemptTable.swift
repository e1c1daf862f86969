import SQLite
import Bluetooth
import Flashing

/// Reading and writing rows of `attempts` and, with them, `boards` and `phases`.
struct AttemptTable {
  let database: Database

  /// Columns that the store itself decides; the others come from the attempt as it is.
  private static let given: [ResultColumn] = ResultColumn.allCases.filter { ![.record, .attemptID, .reportDay].contains($0) }
  private static let insertSQL =
    "INSERT INTO attempts (" + given.map(\.sql).joined(separator: ", ") + ", is_final) VALUES ("
    + given.map { _ in "?" }.joined(separator: ", ") + ", 0)"
  private static let finishSQL =
    "UPDATE attempts SET " + given.map { $0.sql + " = ?" }.joined(separator: ", ")
    + ", report_day = ?, is_final = ?, record = ? WHERE attempt_id = ? AND record IS NULL"

  /// Writes an open attempt and returns its number.
  func insert(_ attempt: AttemptRecord) throws(RecordError) -> Int64 {
    try noteBoard(attempt, at: attempt.startedAt)
    try database.run(Self.insertSQL, Self.given.map(attempt.cell))
    return database.lastInserted
  }

  /// Gives a finished attempt its record number and writes its row; inside the transaction that chains it.
  func finish(_ attempt: AttemptRecord) throws(RecordError) -> AttemptRecord {
    guard let attemptID = attempt.attemptID, let finishedAt = attempt.finishedAt, attempt.outcome != nil, let reportDay = attempt.reportDay else {
      throw .damaged("\(database.path): an attempt without number, outcome or end cannot be recorded")
    }
    var finished = attempt
    finished.record = try nextRecord()
    finished.roundMeasurements()
    try noteBoard(finished, at: finishedAt)
    let own: [ResultCell] = [.text(reportDay), .integer(finished.isFinal ? 1 : 0), finished.cell(.record), .integer(attemptID)]
    guard try database.run(Self.finishSQL, Self.given.map(finished.cell) + own) == 1 else {
      throw .damaged("\(database.path): attempt \(attemptID) is not open: it was recorded before, or never begun")
    }
    return finished
  }

  /// All finished attempts of a batch in commit order.
  func finished(batchID: Int64) throws(RecordError) -> [AttemptRecord] {
    try select("WHERE batch_id = ? AND record IS NOT NULL ORDER BY record", [.integer(batchID)])
  }

  /// The newest finished attempt at a board, by either of its addresses.
  func newest(at board: BluetoothAddress) throws(RecordError) -> AttemptRecord? {
    let address = ResultCell.text(board.description)
    return try select(
      """
      WHERE record = (SELECT max(newest) FROM (
        SELECT max(record) AS newest FROM attempts WHERE mac = ?
        UNION ALL SELECT max(record) FROM attempts WHERE dfu_mac = ? AND dfu_mac IS NOT NULL))
      """, [address, address]
    ).first
  }

  /// Attempts that no `finish` closed: the station stopped in the middle of them.
  func open() throws(RecordError) -> [AttemptRecord] {
    try select("WHERE record IS NULL ORDER BY attempt_id", [])
  }

  func enter(_ phase: Phase, attemptID: Int64, at wall: Int64) throws(RecordError) {
    try database.run(
      "INSERT INTO phases (attempt_id, phase, entered_at) VALUES (?, ?, ?)", [.integer(attemptID), .text(phase.rawValue), .text(Timestamp.text(wall))])
  }

  /// The phases that an attempt went through, oldest first.
  func phases(attemptID: Int64) throws(RecordError) -> [(phase: Phase, at: Int64)] {
    var phases: [(phase: Phase, at: Int64)] = []
    try database.rows("SELECT phase, entered_at FROM phases WHERE attempt_id = ? ORDER BY phase_id", [.integer(attemptID)]) { row in
      if let phase = row[0].text.flatMap(Phase.init), let wall = row[1].text.flatMap(Timestamp.milliseconds) { phases.append((phase, wall)) }
      return .goOn
    }
    return phases
  }

  private func select(_ condition: String, _ values: [ResultCell]) throws(RecordError) -> [AttemptRecord] {
    var attempts: [AttemptRecord] = []
    try database.rows("SELECT \(AttemptRow.columns) FROM attempts \(condition)", values) { row throws(RecordError) in
      attempts.append(try AttemptRow(row, path: database.path).record())
      return .goOn
    }
    return attempts
  }

  /// One more than any record that was ever given, also when somebody removed the newest attempts and left their audit.
  private func nextRecord() throws(RecordError) -> Int64 {
    let newest = try database.first(
      "SELECT max(coalesce((SELECT max(record) FROM attempts), 0), coalesce((SELECT max(record) FROM audit), 0))")
    return (newest?.first?.integer ?? 0) + 1
  }

  /// Keeps what is known of a board: the newest word on each thing, never less than before.
  private func noteBoard(_ attempt: AttemptRecord, at wall: Int64) throws(RecordError) {
    let seen = ResultCell.text(Timestamp.text(wall))
    let known: [ResultColumn] = [.mac, .addressType, .dfuMAC, .unitID, .serialNumber, .modelNumber, .hardwareRevision, .lot, .workOrder]
    try database.run(
      """
      INSERT INTO boards (mac, address_type, dfu_mac, unit_id, serial_number, model_number, hardware_revision, lot, work_order, first_seen, last_seen)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (mac, address_type) DO UPDATE SET
        dfu_mac = coalesce(excluded.dfu_mac, dfu_mac), unit_id = coalesce(excluded.unit_id, unit_id),
        serial_number = coalesce(excluded.serial_number, serial_number), model_number = coalesce(excluded.model_number, model_number),
        hardware_revision = coalesce(excluded.hardware_revision, hardware_revision),
        lot = excluded.lot, work_order = excluded.work_order, last_seen = excluded.last_seen
      """, known.map(attempt.cell) + [seen, seen])
  }
}

extension AttemptRecord {
  /// Milliseconds, and bytes a second: finer digits are noise in a report. What is not a number is absent.
  fileprivate mutating func roundMeasurements() {
    func rounded(_ value: Double?) -> Double? {
      value.flatMap { $0.isFinite ? ($0 * 1000).rounded() / 1000 : nil }
    }
    duration = rounded(duration)
    uploadSeconds = rounded(uploadSeconds)
    uploadSpeed = rounded(uploadSpeed)
  }
}
