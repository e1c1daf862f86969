import SQLite

/// A chunk that waits for its commit.
struct ArrivingChunk {
  var ticket: Int
  var data: [UInt8]
  var number: Int
  var lane: LaneID
}

/// Chunks on their way into a commit, and their callers. A caller may only come to wait when its chunk is committed already: to wait may take a turn.
struct ChunkArrivals {
  typealias Outcome = Result<Appended, ChunkQueueError>

  private var chunks: [ArrivingChunk] = []
  private var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var settled: [Int: Outcome] = [:]
  private var lastTicket = 0

  /// Notes a chunk at once; the first of a commit commits for all.
  mutating func enter(_ data: [UInt8], number: Int, lane: LaneID) -> (ticket: Int, isFirst: Bool) {
    lastTicket += 1
    chunks.append(ArrivingChunk(ticket: lastTicket, data: data, number: number, lane: lane))
    return (lastTicket, chunks.count == 1)
  }

  mutating func take() -> [ArrivingChunk] {
    defer { chunks = [] }
    return chunks
  }

  /// Waits for a chunk's outcome, or gets it when it is there.
  mutating func wait(for ticket: Int, _ waiter: CheckedContinuation<Outcome, Never>) {
    if let outcome = settled.removeValue(forKey: ticket) { waiter.resume(returning: outcome) } else { waiters[ticket] = waiter }
  }

  mutating func settle(_ ticket: Int, _ outcome: Outcome) {
    if let waiter = waiters.removeValue(forKey: ticket) { waiter.resume(returning: outcome) } else { settled[ticket] = outcome }
  }
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
    let (ticket, isFirst) = arrivals.enter(chunk, number: number, lane: lane)
    guard isFirst else { return try await withCheckedContinuation { arrivals.wait(for: ticket, $0) }.get() }
    // Whoever has called already comes before this goes on.
    await Task.yield()
    return try commitArriving().get()
  }

  /// Commits all that have come, answers all but the first, and returns the first one's outcome.
  private func commitArriving() -> Result<Appended, ChunkQueueError> {
    let chunks = arrivals.take()
    var outcomes: [Result<Appended, ChunkQueueError>]
    do throws(ChunkQueueError) {
      outcomes = try store(chunks)
    } catch {
      outcomes = chunks.map { _ in .failure(error) }
    }
    for (chunk, outcome) in zip(chunks, outcomes).dropFirst() { arrivals.settle(chunk.ticket, outcome) }
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
