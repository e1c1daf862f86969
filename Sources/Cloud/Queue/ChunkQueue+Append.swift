import SQLite

/// A chunk that waits for its commit, and who waits for it.
struct ArrivingChunk {
  var data: [UInt8]
  var number: Int
  var lane: LaneID
  /// Nil for the one that commits for all.
  var answer: CheckedContinuation<Result<Appended, ChunkQueueError>, Never>?
}

extension ChunkQueue {
  /// Takes a chunk of a lane; it is on the disk when this returns `.stored`. After an error it is not, and the caller must not take another one.
  ///
  /// Chunks that several callers bring at once share a commit: a flush of the disk takes milliseconds, and boards do not wait for each other.
  ///
  /// - Parameter number: the chunk's number as its sender counts, for whoever looks into the table.
  public func append(_ chunk: [UInt8], number: Int, to lane: LaneID) async throws(ChunkQueueError) -> Appended {
    guard (1...limits.chunkBytes).contains(chunk.count) else {
      throw .refused("a chunk of \(chunk.count) bytes is none: 1 to \(limits.chunkBytes) are taken; correct the firmware")
    }
    guard arriving.isEmpty else {
      let outcome = await withCheckedContinuation { arriving.append(ArrivingChunk(data: chunk, number: number, lane: lane, answer: $0)) }
      return try outcome.get()
    }
    arriving.append(ArrivingChunk(data: chunk, number: number, lane: lane, answer: nil))
    // Whoever has called already comes before this goes on.
    await Task.yield()
    return try commitArriving().get()
  }

  /// Commits all that have come, answers all but the first, and returns the first one's outcome.
  private func commitArriving() -> Result<Appended, ChunkQueueError> {
    let chunks = arriving
    arriving = []
    var outcomes: [Result<Appended, ChunkQueueError>]
    do throws(ChunkQueueError) {
      outcomes = try store(chunks)
    } catch {
      outcomes = chunks.map { _ in .failure(error) }
    }
    for (chunk, outcome) in zip(chunks, outcomes) { chunk.answer?.resume(returning: outcome) }
    return outcomes.first ?? .failure(.closed)
  }

  private func store(_ chunks: [ArrivingChunk]) throws(ChunkQueueError) -> [Result<Appended, ChunkQueueError>] {
    let database = try database()
    var stored = (chunks: 0, bytes: 0)
    var outcomes: [Result<Appended, ChunkQueueError>] = []
    try database.transaction { () throws(ChunkQueueError) in
      for chunk in chunks {
        let isFull = filled.chunks + stored.chunks >= limits.chunks || filled.bytes + stored.bytes + chunk.data.count > limits.bytes
        let known = try database.run(
          "UPDATE lanes SET received = received + 1, dropped = dropped + ? WHERE lane_id = ?", binding: [.integer(isFull ? 1 : 0), .integer(chunk.lane.row)])
        guard known == 1 else {
          outcomes.append(.failure(.unknownLane))
          continue
        }
        outcomes.append(.success(isFull ? .full : .stored))
        guard !isFull else { continue }
        try database.run(
          "INSERT INTO chunks (lane_id, number, received_at, data) VALUES (?, ?, ?, ?)",
          binding: [.integer(chunk.lane.row), .integer(Int64(chunk.number)), .integer(wall()), .blob(chunk.data)])
        stored = (stored.chunks + 1, stored.bytes + chunk.data.count)
      }
    }
    noteStored(chunks: stored.chunks, bytes: stored.bytes)
    if stored.chunks > 0 { arrival?() }
    return outcomes
  }
}
