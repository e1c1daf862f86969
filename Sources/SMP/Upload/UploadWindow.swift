/// The upload of one image as a machine (smp.md §4): which piece to send next, what an answer means, when to give up.
///
/// It knows lengths only, no data, no clock and no link. The owner sends what `.send` names, sets one timer a request with the chunk's
/// time-out, and reports each answer, refusal or time-out by the chunk's id, late and doubled ones too: what no longer matters changes nothing.
///
/// The first request goes alone, and its answer tells where the board wants to go on: a board that still has the same file (`sha`) half
/// written names an offset far in it. Then a window of requests is kept on its way. Only an offset that the board named is progress. After
/// the last piece a board forgets the upload and answers everything with offset 0; so when the last answer is missing, nothing but the
/// image state tells whether the image is there, and `.readBack` asks for it before a restart could erase it.
public struct UploadWindow: Sendable {
  public typealias Chunk = UploadChunk
  public typealias Settings = UploadSettings

  /// What the owner has to do.
  public enum Action: Hashable, Sendable {
    case send(UploadChunk)
    /// Call `waited` after this time.
    case wait(Duration)
    /// The board's offset changed; it may have gone back.
    case progress(Int)
    /// The board has the whole file.
    case finished
    /// Read the image state, then call `readBack(found:)`.
    case readBack
    case failed(UploadFailure)
  }

  private enum State: Sendable {
    case idle
    /// The first request is on its way, alone.
    case opening
    case streaming
    /// The board asked for patience.
    case pausing(reopening: Bool)
    case readingBack
    case ended
  }

  /// Bytes of the whole.
  private let total: Int
  /// Bytes that the first piece must hold.
  private let leastFirst: Int
  private let settings: UploadSettings
  private let sizer: ChunkSizer
  private var state = State.idle
  private var pipeline: UploadPipeline
  private var patience: UploadPatience
  private var hasOpened = false

  /// The offset at which the board continued an earlier upload; nil when it began at its first byte.
  public private(set) var resumedFrom: Int?

  /// The upload of an image.
  public init(_ upload: UploadStart, settings: UploadSettings) {
    let sizer = ChunkSizer(upload, requestSize: settings.requestSize, alignment: settings.alignment)
    self.init(length: upload.length, sizer: sizer, leastFirst: ChunkSizer.imageHeader, settings: settings)
  }

  /// The upload of something else in pieces.
  ///
  /// - Parameters:
  ///   - length: bytes of the whole.
  ///   - leastFirst: bytes that its first piece must hold, or the link cannot carry it.
  public init(length: Int, sizer: ChunkSizer, leastFirst: Int = 1, settings: UploadSettings) {
    total = length
    self.leastFirst = leastFirst
    self.settings = settings
    self.sizer = sizer
    pipeline = UploadPipeline(total: length, settings: settings)
    patience = UploadPatience(settings)
  }

  /// The offset that the board named last, in bytes.
  public var acknowledged: Int { pipeline.acknowledged }
  /// Times the upload began again.
  public var restarts: Int { patience.restarts }
  /// Losses, waits and restarts that were got over.
  public var recoveries: Int { patience.recoveries }
  /// Requests that may be outstanding now.
  public var depth: Int { pipeline.depth }
  /// Whether the board may rightly be silent for long: it erases, checks the whole image, is asked what it has, or is given the time that it asked
  /// for. Each has its own limit.
  public var allowsSilence: Bool {
    switch state {
    case .opening, .readingBack, .pausing: true
    case .streaming: pipeline.outstanding.contains(where: \.isLast)
    case .idle, .ended: false
    }
  }
  /// Requests sent so far.
  public var requests: Int { pipeline.sent }

  // MARK: - Inputs

  /// Begins. Checks first that the link can carry an upload at all.
  public mutating func start() -> [Action] {
    guard case .idle = state else { return [] }
    guard total >= leastFirst else { return fail(.imageTooShort(length: total)) }
    guard sizer.first >= leastFirst else { return fail(.requestTooSmall(requestSize: settings.requestSize)) }
    return open()
  }

  /// The board answered a request with the offset that it expects next.
  public mutating func answered(_ id: Int, offset: Int, match: Bool? = nil) -> [Action] {
    guard let chunk = pipeline.settle(id) else { return [] }
    guard (0...total).contains(offset) else { return fail(.offsetUnexpected(offset)) }
    switch state {
    case .opening: return opened(chunk, offset, match)
    case .streaming, .pausing: return streamed(chunk, offset, match)
    case .idle, .readingBack, .ended: return []
    }
  }

  /// The board refused a request.
  public mutating func refused(_ id: Int, _ error: SMPResponseError) -> [Action] {
    guard let chunk = pipeline.settle(id) else { return [] }
    switch error {
    case _ where error.isBusy:
      return pause(chunk, because: error)
    case _ where error.isNoMemory && settings.refusals == .image:
      if pipeline.beginsRound(chunk) { pipeline.shrink() }
      return pause(chunk, because: error)
    case .status(.timeout, _), .status(.corrupt, _):
      // The request came to grief before it reached the upload: the same bytes once more.
      return resend(chunk, giveUp: .refused(error, offset: chunk.offset))
    case _ where settings.refusals == .suit && SUITRefusal(error).mayBeRetried:
      return resend(chunk, giveUp: .refused(error, offset: chunk.offset))
    default:
      return fail(.refused(error, offset: chunk.offset))
    }
  }

  /// No answer to a request within its time-out.
  public mutating func timedOut(_ id: Int) -> [Action] {
    guard let chunk = pipeline.drop(id) else { return [] }
    if chunk.isLast, pipeline.outstanding.isEmpty { return askForReadBack() }
    if case .opening = state { return resend(chunk, giveUp: .silent(offset: 0)) }
    if pipeline.beginsRound(chunk) {
      pipeline.shrink()
      guard patience.mayGoOnAfterTimeout() else { return fail(.silent(offset: pipeline.acknowledged)) }
    }
    return fill()
  }

  /// The time of a `.wait` is over.
  public mutating func waited() -> [Action] {
    guard case .pausing(let reopening) = state else { return [] }
    if reopening { return open() }
    state = .streaming
    return fill()
  }

  /// The image state was read after `.readBack`: is the image there?
  public mutating func readBack(found: Bool) -> [Action] {
    guard case .readingBack = state else { return [] }
    guard found else { return restart() }
    pipeline.acknowledge(total)
    return [.progress(total)] + end(.finished)
  }

  // MARK: - Answers

  private mutating func opened(_ chunk: UploadChunk, _ offset: Int, _ match: Bool?) -> [Action] {
    guard offset > 0 else { return resend(chunk, giveUp: .noProgress(offset: 0)) }
    if !hasOpened, offset > chunk.end { resumedFrom = offset }
    hasOpened = true
    patience.opened()
    state = .streaming
    return advance(to: offset, match)
  }

  private mutating func streamed(_ chunk: UploadChunk, _ offset: Int, _ match: Bool?) -> [Action] {
    guard offset > 0 else {
      return pipeline.highestSent == total ? askForReadBack() : restart()
    }
    guard offset <= pipeline.highestSent else { return fail(.offsetUnexpected(offset)) }
    if offset < chunk.offset {
      // A piece before this one is missing on the board.
      if pipeline.beginsRound(chunk) {
        patience.lost()
        pipeline.shrink()
        guard offset > pipeline.acknowledged || patience.mayGoOnAfterStall() else { return fail(.noProgress(offset: offset)) }
      }
    } else if offset <= pipeline.acknowledged {
      guard !pipeline.beginsRound(chunk) || patience.mayGoOnAfterStall() else { return fail(.noProgress(offset: offset)) }
    } else {
      pipeline.undisturbedAnswer()
    }
    return advance(to: offset, match)
  }

  private mutating func advance(to offset: Int, _ match: Bool?) -> [Action] {
    let before = pipeline.acknowledged
    pipeline.acknowledge(offset)
    patience.advanced(to: offset)
    let progress: [Action] = offset == before ? [] : [.progress(offset)]
    guard offset == total else { return progress + fill() }
    return progress + (match == false ? fail(.mismatch) : end(.finished))
  }

  // MARK: - Sending

  private mutating func open() -> [Action] {
    let before = pipeline.acknowledged
    pipeline.restart()
    patience.begins(at: 0)
    state = .opening
    let chunk = pipeline.send(offset: 0, length: sizer.first, isFirst: true)
    return (before == 0 ? [] : [.progress(0)]) + [.send(chunk)]
  }

  private mutating func fill() -> [Action] {
    guard case .streaming = state else { return [] }
    return pipeline.fill { [sizer] in sizer.length(at: $0) }.map(Action.send)
  }

  // MARK: - Recovering

  /// The same piece again, at once: the first request as a whole, a later one from the offset that the board named.
  private mutating func resend(_ chunk: UploadChunk, giveUp: UploadFailure) -> [Action] {
    if case .opening = state { return patience.maySendFirstAgain() ? open() : fail(giveUp) }
    if pipeline.beginsRound(chunk) {
      patience.lost()
      pipeline.shrink()
      guard patience.mayGoOnAfterStall() else { return fail(giveUp) }
    }
    return fill()
  }

  private mutating func pause(_ chunk: UploadChunk, because error: SMPResponseError) -> [Action] {
    let reopening: Bool
    switch state {
    case .opening: reopening = true
    case .streaming: reopening = false
    case .pausing, .idle, .readingBack, .ended: return []
    }
    guard let wait = patience.nextWait() else { return fail(.refused(error, offset: chunk.offset)) }
    state = .pausing(reopening: reopening)
    return [.wait(wait)]
  }

  private mutating func restart() -> [Action] {
    patience.mayRestart() ? open() : fail(.restartedTooOften(limit: settings.restartLimit))
  }

  private mutating func askForReadBack() -> [Action] {
    pipeline.forgetRequests()
    state = .readingBack
    return [.readBack]
  }

  private mutating func fail(_ failure: UploadFailure) -> [Action] {
    end(.failed(failure))
  }

  private mutating func end(_ action: Action) -> [Action] {
    pipeline.forgetRequests()
    state = .ended
    return [action]
  }
}
