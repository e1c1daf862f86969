import SMP

/// Moves one file to the board in pieces: keeps the window of `UploadWindow` full and reports its answers, until the board has acknowledged every byte.
///
/// What the pieces are, and by which command they go, is the caller's.
struct PieceUpload: Sendable {
  /// Waits for the answer to one piece: the offset that the board expects next, and whether the whole is what was announced, where it says so.
  typealias Answer = @Sendable () async throws -> (offset: Int, match: Bool?)

  let session: BoardSession
  let links: LinkHolder
  /// By which the board is waited for.
  let time: Timekeeper
  /// In messages: "the upload of the envelope".
  let what: String
  /// Queues a piece; those of one window leave in the order in which it asks for them.
  let post: @Sendable (UploadChunk) async throws -> Answer
  /// Whether the board has every byte, asked when the answer to the last piece is missing.
  let isComplete: @Sendable (_ last: UploadChunk) async throws -> Bool
  let progress: @Sendable (_ offset: Int) -> Void
  let failure: @Sendable (UploadFailure) -> BoardFailure

  /// What came back from one child task.
  private enum Event: Sendable {
    case answered(Int, offset: Int, match: Bool?)
    case refused(Int, SMPResponseError)
    case timedOut(Int)
    case waited
    case readBack(found: Bool)
    /// The stall watch looks at the progress.
    case tick
    case broken(any Error)
  }

  /// Returns when the board has every byte; throws what ended the upload. The window tells how far it came, also then.
  func run(_ window: inout UploadWindow) async throws {
    try await withThrowingTaskGroup(of: Event.self) { group in
      defer { group.cancelAll() }
      var stall = StallWatch(limit: session.limits.stall, at: session.time.now())
      var last: UploadChunk?
      group.addTask { await tick() }
      var actions = window.start()
      while true {
        if try await perform(actions, &last, &group) { return }
        guard let event = try await group.next() else { return }
        switch event {
        case .answered(let id, let offset, let match): actions = window.answered(id, offset: offset, match: match)
        case .refused(let id, let error): actions = window.refused(id, error)
        case .timedOut(let id): actions = window.timedOut(id)
        case .waited: actions = window.waited()
        case .readBack(let found): actions = window.readBack(found: found)
        case .tick:
          group.addTask { await tick() }
          actions = []
        case .broken(let error): throw explained(error, offset: window.acknowledged)
        }
        guard !stall.isOver(window, at: session.time.now()) else {
          throw BoardFailure(
            .imageStalled, in: links.phase, "the board acknowledged nothing for \(session.limits.stall.words)", offset: window.acknowledged)
        }
      }
    }
  }

  /// Starts what the window asks for; true when it has finished.
  private func perform(
    _ actions: [UploadWindow.Action], _ last: inout UploadChunk?, _ group: inout ThrowingTaskGroup<Event, any Error>
  ) async throws -> Bool {
    for action in actions {
      switch action {
      case .send(let chunk):
        last = chunk
        let answer: Answer
        do { answer = try await post(chunk) } catch { throw explained(error, offset: chunk.offset) }
        group.addTask { await self.event(chunk.id, of: answer) }
      case .wait(let pause): group.addTask { await wait(pause) }
      case .progress(let offset): progress(offset)
      case .readBack:
        guard let last else { return false }
        group.addTask { await readBack(last) }
      case .finished: return true
      case .failed(let failure): throw self.failure(failure)
      }
    }
    return false
  }

  private func event(_ id: Int, of answer: Answer) async -> Event {
    do {
      let (offset, match) = try await answer()
      return .answered(id, offset: offset, match: match)
    } catch SMPSession.Failure.refused(let error) {
      return .refused(id, error)
    } catch SMPSession.Failure.timedOut {
      return .timedOut(id)
    } catch {
      return .broken(error)
    }
  }

  private func wait(_ pause: Duration) async -> Event {
    do {
      try await time.sleep(pause)
      return .waited
    } catch {
      return .broken(error)
    }
  }

  private func tick() async -> Event {
    do {
      try await session.time.sleep(session.limits.stall / 4)
      return .tick
    } catch {
      return .broken(error)
    }
  }

  private func readBack(_ last: UploadChunk) async -> Event {
    do {
      return .readBack(found: try await isComplete(last))
    } catch {
      return .broken(error)
    }
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
