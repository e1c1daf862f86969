import Bluetooth
import FoundationEssentials
import SQLite

/// The rows of lanes.
struct LaneTable {
  /// A lane as `open` compares it with what a board says.
  struct Known {
    var id: LaneID
    var header: String
    var keyFile: String
  }

  let database: QueueDatabase

  /// The newest lane of a board and device id for the same address.
  func newest(_ source: DiagnosticSource) throws(ChunkQueueError) -> Known? {
    let row = try database.first(
      "SELECT lane_id, header, key_file FROM lanes WHERE board = ? AND device_id = ? AND address = ? ORDER BY lane_id DESC LIMIT 1",
      binding: Self.device(source) + [.text(source.destination.url.absoluteString)])
    guard let row, row.count == 3, let id = row[0].integer, let header = row[1].text, let keyFile = row[2].text else { return nil }
    return Known(id: LaneID(row: id), header: header, keyFile: keyFile)
  }

  func count() throws(ChunkQueueError) -> Int {
    Int(try database.first("SELECT count(*) FROM lanes", binding: [])?.first?.integer ?? 0)
  }

  func keyFiles() throws(ChunkQueueError) -> Set<String> {
    var names: Set<String> = []
    try database.walk("SELECT DISTINCT key_file FROM lanes", binding: []) { row in
      if let name = row.value(0).text { names.insert(name) }
      return .goOn
    }
    return names
  }

  func insert(_ source: DiagnosticSource, keyFile: String, at wall: Int64) throws(ChunkQueueError) -> LaneID {
    try database.run(
      "INSERT INTO lanes (board, device_id, address, header, key_file, opened_at) VALUES (?, ?, ?, ?, ?, ?)",
      binding: Self.device(source) + [.text(source.destination.url.absoluteString), .text(source.destination.headerName), .text(keyFile), .integer(wall)])
    return LaneID(row: database.lastInserted)
  }

  /// Takes what older, empty lanes of the same board counted into its new lane, and removes them: their keys are needed no more.
  func fold(into lane: LaneID, _ source: DiagnosticSource) throws(ChunkQueueError) {
    var empty: [Int64] = []
    try database.walk(
      """
      SELECT lane_id FROM lanes WHERE board = ? AND device_id = ? AND lane_id <> ?
        AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.lane_id = lanes.lane_id)
      """, binding: Self.device(source) + [.integer(lane.row)]
    ) { row in
      if let id = row.value(0).integer { empty.append(id) }
      return .goOn
    }
    for old in empty {
      let columns = ["received", "uploaded", "missing", "dropped", "rejected", "repeated"]
      try database.run(
        "UPDATE lanes SET " + columns.map { "\($0) = \($0) + (SELECT \($0) FROM lanes WHERE lane_id = ?1)" }.joined(separator: ", ") + " WHERE lane_id = ?2",
        binding: [.integer(old), .integer(lane.row)])
      try database.run("UPDATE gaps SET lane_id = ? WHERE lane_id = ?", binding: [.integer(lane.row), .integer(old)])
      try database.run("DELETE FROM lanes WHERE lane_id = ?", binding: [.integer(old)])
    }
  }

  func status() throws(ChunkQueueError) -> [LaneStatus] {
    var lanes: [LaneStatus] = []
    try database.walk(
      """
      SELECT lane_id, board, device_id, address, received, uploaded, missing, dropped, rejected, repeated, held,
        (SELECT count(*) FROM chunks WHERE chunks.lane_id = lanes.lane_id AND rejected_with IS NULL)
      FROM lanes ORDER BY lane_id
      """, binding: []
    ) { row in
      func number(_ column: Int) -> Int { Int(row.value(column).integer ?? 0) }
      func text(_ column: Int) -> String { row.value(column).text ?? "" }
      guard let id = row.value(0).integer, let board = BluetoothAddress(text(1)) else { return .goOn }
      lanes.append(
        LaneStatus(
          lane: LaneID(row: id), board: board, deviceID: text(2), address: text(3), received: number(4), pending: number(11), uploaded: number(5),
          missing: number(6), dropped: number(7), rejected: number(8), repeated: number(9), held: row.value(10).text))
      return .goOn
    }
    return lanes
  }

  private static func device(_ source: DiagnosticSource) -> [SQLiteValue] { [.text(source.board.description), .text(source.deviceID)] }
}
