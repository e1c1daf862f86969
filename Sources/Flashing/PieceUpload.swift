import SMP

/// Moves one file to the board in pieces: keeps the window of `UploadWindow` full and reports its answers, until the board has acknowledged every byte.
///
/// What the pieces are, and by which command they go, is the caller's.
struct PieceUpload: Sendable {
  let session: BoardSession
  let links: LinkHolder
  let smp: SMPSession
  /// By which the board is waited for.
  let time: Timekeeper
  /// In messages: "the upload of the envelope".
  let what: String
  /// The request that carries a piece, asked for just before it leaves.
  let request: @Sendable (UploadChunk) async throws -> any PieceRequest
  /// Whether the board has every byte, asked when the answer to the last piece is missing.
  let isComplete: @Sendable (_ last: UploadChunk) async throws -> Bool
  let progress: @Sendable (_ offset: Int) -> Void
  let failure: @Sendable (UploadFailure) -> BoardFailure

  private enum Event: Sendable {
    case piece(Int, PieceOutcome)
    case waited
    case readBack(found: Bool)
    /// The stall watch looks at the progress.
    case tick
    case broken(any Error)
  }

  /// Returns when the board has every byte; throws what ended the upload. The window tells how far it came, also then.
  func run(_ window: inout UploadWindow) async throws {
    // No longer than what is under way: the window bounds the pieces, and beside them there is one wait or read-back, and one tick.
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      var stall = StallWatch(limit: session.limits.stall, at: session.time.now())
      var last: UploadChunk?
      group.addTask { await tick(feed) }
      if try await perform(window.start(), &last, &group, feed) { return }
      for await event in events {
        let actions: [UploadWindow.Action]
        switch event {
        case .piece(let id, .answered(let answer)): actions = window.answered(id, offset: answer.offset, match: answer.match)
        case .piece(let id, .refused(let error)): actions = window.refused(id, error)
        case .piece(let id, .timedOut): actions = window.timedOut(id)
        case .piece(_, .broken(let error)), .broken(let error): throw explained(error, offset: window.acknowledged)
        case .waited: actions = window.waited()
        case .readBack(let found): actions = window.readBack(found: found)
        case .tick: actions = []
        }
        guard !stall.isOver(window, at: session.time.now()) else {
          throw BoardFailure(
            .imageStalled, in: links.phase, "the board acknowledged nothing for \(session.limits.stall.words)", offset: window.acknowledged)
        }
        if try await perform(actions, &last, &group, feed) { return }
      }
      throw CancellationError()
    }
  }

  /// Starts what the window asks for; true when it has finished.
  private func perform(
    _ actions: [UploadWindow.Action], _ last: inout UploadChunk?, _ group: inout ThrowingDiscardingTaskGroup<any Error>,
    _ feed: AsyncStream<Event>.Continuation
  ) async throws -> Bool {
    for action in actions {
      switch action {
      case .send(let chunk):
        last = chunk
        do { try await post(request(chunk), chunk, feed) } catch { throw explained(error, offset: chunk.offset) }
      case .wait(let pause):
        group.addTask {
          await report(feed) {
            try await time.sleep(pause)
            return .waited
          }
        }
      case .progress(let offset): progress(offset)
      case .readBack:
        guard let last else { return false }
        group.addTask { await report(feed) { .readBack(found: try await isComplete(last)) } }
      case .finished: return true
      case .failed(let failure): throw self.failure(failure)
      }
    }
    return false
  }

  private func post<Request: PieceRequest>(_ request: Request, _ chunk: UploadChunk, _ feed: AsyncStream<Event>.Continuation) async throws {
    try await smp.post(request, limit: chunk.timeout) { feed.yield(.piece(chunk.id, PieceOutcome($0, of: Request.self))) }
  }

  private func tick(_ feed: AsyncStream<Event>.Continuation) async {
    await report(feed) {
      while true {
        try await session.time.sleep(session.limits.stall / 4)
        feed.yield(.tick)
      }
    }
  }

  private func report(_ feed: AsyncStream<Event>.Continuation, _ work: () async throws -> Event) async {
    do { feed.yield(try await work()) } catch { feed.yield(.broken(error)) }
  }

  private func explained(_ error: any Error, offset: Int) -> any Error {
    guard let failure = error as? SMPSession.Failure else { return error }
    return BoardFailure(smp: failure, in: links.phase, during: what, offset: offset)
  }

  /// Adds an upload to the record, whatever became of it.
  ///
  /// - Parameters:
  ///   - base: bytes that the board had before.
  ///   - began: by the session's time.
  func note(_ window: UploadWindow, from base: Int, since began: Duration) {
    let seconds = (session.time.now() - began).seconds
    session.journal.update { record in
      record.uploadBytes = (record.uploadBytes ?? 0) + max(0, window.acknowledged - base)
      record.uploadSeconds = (record.uploadSeconds ?? 0) + seconds
      record.retries += window.recoveries
      if let resumed = window.resumedFrom { record.resumedFrom = resumed }
      if let bytes = record.uploadBytes, let spent = record.uploadSeconds, spent > 0 { record.uploadSpeed = Double(bytes) / 1000 / spent }
    }
  }
}

/// Whether an upload stands still: the board's offset does not move, and the board has no reason to be silent.
private struct StallWatch {
  private let limit: Duration
  private var offset = 0
  private var since: Duration

  init(limit: Duration, at now: Duration) {
    self.limit = limit
    since = now
  }

  /// A step back is movement, too: the window itself limits how often an upload begins again.
  mutating func isOver(_ window: UploadWindow, at now: Duration) -> Bool {
    if window.acknowledged != offset || window.allowsSilence {
      offset = window.acknowledged
      since = now
    }
    return now - since >= limit
  }
}
