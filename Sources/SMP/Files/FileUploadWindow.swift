/// The upload of one file as a machine (smp.md §3.5): which piece to send next, what an answer means, when to give up.
///
/// It knows lengths only. The owner sends what `.send` names, sets one timer a request, and reports answers, refusals and time-outs by the chunk's id, as
/// for `UploadWindow`. The first request goes alone, then a window is kept on its way. A board whose file has another length than the request's offset says
/// its length, closes the file and takes the next request that fits: so the offset that it named is always where to go on.
///
/// A first request that is repeated while the board still has the file open is counted on top of the first: therefore `.close` comes before it.
/// That all bytes were acknowledged is no proof that they are there; the owner asks for length and hash afterwards.
public struct FileUploadWindow: Sendable {
  public typealias Chunk = UploadChunk
  public typealias Settings = UploadSettings

  /// What the owner has to do.
  public enum Action: Hashable, Sendable {
    case send(UploadChunk)
    /// Send a `FileCloseRequest` and call `closed`, whatever comes of it.
    case close
    /// Call `waited` after this time.
    case wait(Duration)
    /// The board's offset changed; it may have gone back.
    case progress(Int)
    /// The board acknowledged the whole file.
    case finished
    case failed(FileTransferFailure)
  }

  private enum State: Sendable {
    case idle
    /// The first request is on its way, alone.
    case opening
    case streaming
    /// The board asked for patience.
    case pausing(reopening: Bool)
    /// The board is asked to let go of the file.
    case closing
    case ended
  }

  /// Bytes of the longest file that is sent.
  public static let longestFile = 64 * 1024 * 1024

  private let length: Int
  private let name: String
  private let settings: UploadSettings
  private let sizer: FileChunkSizer
  private var state = State.idle
  private var pipeline: UploadPipeline
  /// The offset of the first request: not 0 when the board already has the file's beginning.
  private var begin: Int
  private var patience: UploadPatience

  /// - Parameters:
  ///   - length: bytes of the file.
  ///   - name: its name on the board.
  ///   - offset: how many bytes of it the board already has, so that it goes on there; only a hash can tell that they are the same.
  public init(length: Int, name: String, from offset: Int = 0, settings: UploadSettings) {
    self.length = max(0, length)
    self.name = name
    self.settings = settings
    begin = (0..<max(1, length)).contains(offset) ? offset : 0
    sizer = FileChunkSizer(length: length, name: name, requestSize: settings.requestSize)
    pipeline = UploadPipeline(total: self.length, settings: settings)
    patience = UploadPatience(settings)
  }

  /// The offset that the board named last, in bytes.
  public var acknowledged: Int { pipeline.acknowledged }
  /// Times the upload began again.
  public var restarts: Int { patience.restarts }
  /// Losses, waits and restarts that were got over.
  public var recoveries: Int { patience.recoveries }
  /// Requests sent so far.
  public var requests: Int { pipeline.sent }

  // MARK: - Inputs

  /// Begins. Checks first that the link can carry it at all.
  public mutating func start() -> [Action] {
    guard case .idle = state else { return [] }
    guard !name.isEmpty else { return fail(.nameMissing) }
    guard length <= Self.longestFile else { return fail(.fileTooLong(length: length, limit: Self.longestFile)) }
    guard sizer.fits else { return fail(.requestTooSmall(requestSize: settings.requestSize)) }
    return open()
  }

  /// The board answered a request with the offset at which it goes on.
  public mutating func answered(_ id: Int, offset: Int) -> [Action] {
    guard let chunk = pipeline.settle(id) else { return [] }
    switch state {
    case .opening: return opened(chunk, offset)
    case .streaming, .pausing: return streamed(chunk, offset)
    case .idle, .closing, .ended: return []
    }
  }

  /// The board refused a request.
  public mutating func refused(_ id: Int, _ error: SMPResponseError) -> [Action] {
    guard let chunk = pipeline.settle(id) else { return [] }
    switch error {
    case _ where error.isBusy: return pause(because: error, at: chunk.offset)
    case _ where error.isNoMemory:
      if pipeline.beginsRound(chunk) { pipeline.shrink() }
      return pause(because: error, at: chunk.offset)
    case .status(.timeout, _), .status(.corrupt, _): return again(chunk, giveUp: .refused(error, offset: chunk.offset))
    default: return fail(.refused(error, offset: chunk.offset))
    }
  }

  /// No answer to a request within its time-out.
  public mutating func timedOut(_ id: Int) -> [Action] {
    guard let chunk = pipeline.drop(id) else { return [] }
    if case .opening = state { return again(chunk, giveUp: .silent(offset: chunk.offset)) }
    if pipeline.beginsRound(chunk) {
      pipeline.shrink()
      guard patience.mayGoOnAfterTimeout() else { return fail(.silent(offset: pipeline.acknowledged)) }
    }
    return fill()
  }

  /// The time of a `.wait` is over.
  public mutating func waited() -> [Action] {
    guard case .pausing(let reopening) = state else { return [] }
    if reopening { return reopen() }
    state = .streaming
    return fill()
  }

  /// The request of a `.close` was answered, or will not be.
  public mutating func closed() -> [Action] {
    guard case .closing = state else { return [] }
    return open()
  }

  // MARK: - Answers

  private mutating func opened(_ chunk: UploadChunk, _ offset: Int) -> [Action] {
    guard offset == chunk.end else {
      // Another length than was thought: from its first byte.
      begin = 0
      return again(chunk, giveUp: .offsetUnexpected(offset))
    }
    patience.opened()
    state = .streaming
    return advance(to: offset)
  }

  private mutating func streamed(_ chunk: UploadChunk, _ offset: Int) -> [Action] {
    // The file is gone, or another one has taken its place.
    guard offset > 0 else { return restart() }
    guard offset <= pipeline.highestSent else { return fail(.offsetUnexpected(offset)) }
    if offset < chunk.end {
      // A piece is missing on the board: this one, or one before it.
      if pipeline.beginsRound(chunk) {
        patience.lost()
        pipeline.shrink()
        guard offset > pipeline.acknowledged || patience.mayGoOnAfterStall() else { return fail(.noProgress(offset: offset)) }
      }
    } else {
      pipeline.undisturbedAnswer()
    }
    return advance(to: offset)
  }

  private mutating func advance(to offset: Int) -> [Action] {
    let before = pipeline.acknowledged
    pipeline.acknowledge(offset)
    patience.advanced(to: offset)
    let progress: [Action] = offset == before ? [] : [.progress(offset)]
    return progress + (offset == length ? end(.finished) : fill())
  }

  // MARK: - Sending

  private mutating func open() -> [Action] {
    let before = pipeline.acknowledged
    pipeline.restart(at: begin)
    patience.begins(at: begin)
    state = .opening
    let chunk = pipeline.send(offset: begin, length: begin == 0 ? sizer.first : sizer.length(at: begin), isFirst: begin == 0)
    return (before == begin ? [] : [.progress(begin)]) + [.send(chunk)]
  }

  private mutating func fill() -> [Action] {
    guard case .streaming = state else { return [] }
    return pipeline.fill { [sizer] in sizer.length(at: $0) }.map(Action.send)
  }

  // MARK: - Recovering

  /// The same piece again: the first request after the file was closed, a later one from the offset that the board named.
  private mutating func again(_ chunk: UploadChunk, giveUp: FileTransferFailure) -> [Action] {
    if case .opening = state { return patience.maySendFirstAgain() ? reopen() : fail(giveUp) }
    if pipeline.beginsRound(chunk) {
      patience.lost()
      pipeline.shrink()
      guard patience.mayGoOnAfterStall() else { return fail(giveUp) }
    }
    return fill()
  }

  private mutating func pause(because error: SMPResponseError, at offset: Int) -> [Action] {
    let reopening: Bool
    switch state {
    case .opening: reopening = true
    case .streaming: reopening = false
    case .pausing, .closing, .idle, .ended: return []
    }
    guard let wait = patience.nextWait() else { return fail(.refused(error, offset: offset)) }
    state = .pausing(reopening: reopening)
    return [.wait(wait)]
  }

  private mutating func restart() -> [Action] {
    guard patience.mayRestart() else { return fail(.restartedTooOften(limit: settings.restartLimit)) }
    begin = 0
    return reopen()
  }

  private mutating func reopen() -> [Action] {
    pipeline.forgetRequests()
    state = .closing
    return [.close]
  }

  private mutating func fail(_ failure: FileTransferFailure) -> [Action] { end(.failed(failure)) }

  private mutating func end(_ action: Action) -> [Action] {
    pipeline.forgetRequests()
    state = .ended
    return [action]
  }
}
