import FoundationEssentials
import SQLite

/// Lanes of one board for one address: they go one after the other, in the order in which they began.
struct UploadTrack: Hashable, Sendable {
  var board: String
  var deviceID: String
  var address: String
}

/// A lane with chunks that wait.
struct WaitingLane: Hashable, Sendable {
  var id: LaneID
  var track: UploadTrack
  var keyFile: String
}

/// The oldest chunks of a lane, on their way.
struct OutgoingBatch: Sendable {
  struct Chunk: Hashable, Sendable {
    var position: Int64
    var data: [UInt8]
  }

  var lane: LaneID
  var destination: ChunkDestination
  var keyFile: String
  /// At least one.
  var chunks: [Chunk]
  /// Up to this position chunks were sent before and not answered.
  var unsureTo: Int64
}

extension ChunkQueue {
  /// Lanes with chunks that wait, the oldest first.
  func waitingLanes() throws(ChunkQueueError) -> [WaitingLane] {
    var lanes: [WaitingLane] = []
    try database().walk(
      """
      SELECT lane_id, board, device_id, address, key_file FROM lanes
      WHERE EXISTS (SELECT 1 FROM chunks WHERE chunks.lane_id = lanes.lane_id AND rejected_with IS NULL) ORDER BY lane_id
      """, binding: []
    ) { row in
      if let id = row.value(0).integer, let board = row.value(1).text, let device = row.value(2).text, let address = row.value(3).text,
        let keyFile = row.value(4).text
      {
        lanes.append(WaitingLane(id: LaneID(row: id), track: UploadTrack(board: board, deviceID: device, address: address), keyFile: keyFile))
      }
      return .goOn
    }
    return lanes
  }

  /// Takes the oldest chunks of a lane for a request, which is noted: what is noted and not answered before the next request may have arrived.
  ///
  /// - Returns: nil when none waits.
  func takeOut(_ lane: LaneID, chunks most: Int, bytes: Int) throws(ChunkQueueError) -> OutgoingBatch? {
    let database = try database()
    let row = try database.first(
      "SELECT address, header, key_file, sending_to, repeated_to FROM lanes WHERE lane_id = ?", binding: [.integer(lane.row)])
    guard let row, row.count == 5, let sent = row[3].integer, let counted = row[4].integer else { return nil }
    var (chunks, size): ([OutgoingBatch.Chunk], Int) = ([], 0)
    try database.walk(
      "SELECT position, data FROM chunks WHERE lane_id = ? AND rejected_with IS NULL ORDER BY position LIMIT ?",
      binding: [.integer(lane.row), .integer(Int64(most))]
    ) { row in
      guard let position = row.value(0).integer, let data = row.value(1).blob else { return .stop }
      size += data.count
      guard chunks.isEmpty || size <= bytes else { return .stop }
      chunks.append(OutgoingBatch.Chunk(position: position, data: data))
      return .goOn
    }
    guard let last = chunks.last else { return nil }
    guard let header = row[1].text, let keyFile = row[2].text, let url = row[0].text.flatMap({ URL(string: $0, encodingInvalidCharacters: false) }) else {
      throw damage("a lane has no address")
    }
    guard let key = try vault.key(keyFile) else {
      throw .keyFile(try vault.path(keyFile), "it is gone", "put it back, or connect to the board again, which brings its key")
    }
    // Each chunk counts once, however often its answer did not come.
    let unanswered = chunks.filter { counted < $0.position && $0.position <= sent }
    try database.run(
      "UPDATE lanes SET sending_to = ?, repeated = repeated + ?, repeated_to = ?, held = NULL WHERE lane_id = ?",
      binding: [.integer(max(last.position, sent)), .integer(Int64(unanswered.count)), .integer(unanswered.last?.position ?? counted), .integer(lane.row)])
    return OutgoingBatch(lane: lane, destination: ChunkDestination(url: url, headerName: header, key: key), keyFile: keyFile, chunks: chunks, unsureTo: sent)
  }

  /// Removes what the server took; it is committed when this returns.
  func remove(_ batch: OutgoingBatch) throws(ChunkQueueError) {
    guard let first = batch.chunks.first?.position, let last = batch.chunks.last?.position else { return }
    let database = try database()
    let count = batch.chunks.count
    try database.transaction { () throws(ChunkQueueError) in
      let removed = try database.run(
        "DELETE FROM chunks WHERE lane_id = ? AND position BETWEEN ? AND ? AND rejected_with IS NULL",
        binding: [.integer(batch.lane.row), .integer(first), .integer(last)])
      guard removed == count else { throw damage("\(removed) chunks were there to be removed instead of \(count)") }
      try database.run(
        "UPDATE lanes SET uploaded = uploaded + ?, sending_to = ? WHERE lane_id = ?",
        binding: [.integer(Int64(count)), .integer(batch.unsureTo), .integer(batch.lane.row)])
    }
    noteRemoved(chunks: count, bytes: batch.chunks.reduce(0) { $0 + $1.data.count })
  }

  /// Notes that the server did not take what was sent now: because of this it will not be there twice.
  func putBack(_ batch: OutgoingBatch) throws(ChunkQueueError) {
    try database().run("UPDATE lanes SET sending_to = ? WHERE lane_id = ?", binding: [.integer(batch.unsureTo), .integer(batch.lane.row)])
  }

  /// Sets the one chunk of a batch aside that the server does not take. The oldest of all that were set aside go when there are too many.
  func reject(_ batch: OutgoingBatch, status: Int) throws(ChunkQueueError) {
    guard batch.chunks.count == 1, let chunk = batch.chunks.first else { return }
    let database = try database()
    let gone = try database.transaction { () throws(ChunkQueueError) in
      let changed = try database.run(
        "UPDATE chunks SET rejected_with = ? WHERE position = ? AND lane_id = ? AND rejected_with IS NULL",
        binding: [.integer(Int64(status)), .integer(chunk.position), .integer(batch.lane.row)])
      guard changed == 1 else { throw damage("a chunk that was sent is gone") }
      try database.run(
        "UPDATE lanes SET rejected = rejected + 1, sending_to = ? WHERE lane_id = ?", binding: [.integer(batch.unsureTo), .integer(batch.lane.row)])
      return try dropOldRejected(database)
    }
    noteRemoved(chunks: gone.chunks, bytes: gone.bytes)
  }

  private func dropOldRejected(_ database: QueueDatabase) throws(ChunkQueueError) -> (chunks: Int, bytes: Int) {
    var old: [(position: Int64, bytes: Int)] = []
    try database.walk(
      "SELECT position, length(data) FROM chunks WHERE rejected_with IS NOT NULL ORDER BY position DESC LIMIT -1 OFFSET ?",
      binding: [.integer(Int64(limits.rejected))]
    ) { row in
      if let position = row.value(0).integer, let bytes = row.value(1).integer { old.append((position, Int(bytes))) }
      return .goOn
    }
    for chunk in old { try database.run("DELETE FROM chunks WHERE position = ?", binding: [.integer(chunk.position)]) }
    return (old.count, old.reduce(0) { $0 + $1.bytes })
  }

  /// Notes why a lane does not go on until the next start.
  func hold(_ lane: LaneID, reason: String) throws(ChunkQueueError) {
    try database().run("UPDATE lanes SET held = ? WHERE lane_id = ?", binding: [.text(reason), .integer(lane.row)])
  }
}
