/// The download of one file as a machine (smp.md §3.5): which piece to ask for next, what an answer means, when to give up.
///
/// One request at a time: the board chooses how long a piece is, so where the next one begins is known only when it has come. The owner asks for what
/// `.read` names, and keeps the bytes of an answer when `.keep` says so; late and doubled answers change nothing.
public struct FileDownload: Sendable {
  /// What the owner has to do.
  public enum Action: Hashable, Sendable {
    /// Ask for the piece at this offset, and report what comes of it by this id.
    case read(id: Int, offset: Int, timeout: Duration)
    /// Append the first so many bytes of the answer at hand to the file.
    case keep(Int)
    /// Call `waited` after this time.
    case wait(Duration)
    /// The whole file is here.
    case finished
    case failed(FileTransferFailure)
  }

  /// The limits of one download.
  public struct Settings: Hashable, Sendable {
    /// Bytes of the longest file that is fetched; checked before anything is kept.
    public var longestFile = 64 * 1024 * 1024
    /// The first answer may take long: the board opens the file.
    public var firstTimeout = Duration.seconds(40)
    public var laterTimeout = Duration.seconds(10)
    /// Requests in a row that bring no byte.
    public var attempts = 5
    /// The first wait after `busy` or `no memory`; each one after it is twice as long.
    public var firstWait = Duration.milliseconds(100)
    public var longestWait = Duration.seconds(2)
    /// Waits in a row without a byte of progress.
    public var waitLimit = 12

    public init() {}
  }

  private enum State: Sendable {
    case idle
    case reading(id: Int)
    case pausing
    case ended
  }

  private let settings: Settings
  private var state = State.idle
  private var lastID = -1
  private var failures = 0
  private var waits = 0
  /// Bytes that are here.
  public private(set) var received = 0
  /// Bytes of the whole file; nil until the board has said it.
  public private(set) var length: Int?

  /// - Parameters:
  ///   - received: bytes from the file's beginning that are here already; only a hash can tell that the board still has the same.
  ///   - length: bytes of the whole file, which the board tells only with its first piece.
  public init(settings: Settings = Settings(), received: Int = 0, length: Int? = nil) {
    self.settings = settings
    let isKnown = length.map { (1..<max(1, $0)).contains(received) } ?? false
    self.received = isKnown ? received : 0
    self.length = isKnown ? length : nil
  }

  /// Begins with the first byte that is not here.
  public mutating func start() -> [Action] {
    guard case .idle = state else { return [] }
    return read()
  }

  /// A piece came.
  ///
  /// - Parameters:
  ///   - offset: of its first byte, as the board says.
  ///   - count: its bytes.
  ///   - told: the length of the whole file, where the board says it.
  public mutating func answered(_ id: Int, offset: Int, count: Int, length told: Int?) -> [Action] {
    guard case .reading(id) = state else { return [] }
    guard offset == received else { return again(giveUp: .offsetUnexpected(offset)) }
    if let told, received == 0 { length = told }
    guard let length else { return end(.failed(.lengthMissing)) }
    guard length <= settings.longestFile else { return end(.failed(.fileTooLong(length: length, limit: settings.longestFile))) }
    guard count <= length - received else { return end(.failed(.offsetUnexpected(received + count))) }
    if received + count == length {
      received = length
      return [.keep(count)] + end(.finished)
    }
    guard count > 0 else { return again(giveUp: .noProgress(offset: received)) }
    received += count
    failures = 0
    waits = 0
    return [.keep(count)] + read()
  }

  /// The board refused a request.
  public mutating func refused(_ id: Int, _ error: SMPResponseError) -> [Action] {
    guard case .reading(id) = state else { return [] }
    switch error {
    case _ where error.isBusy || error.isNoMemory:
      guard waits < settings.waitLimit else { return end(.failed(.refused(error, offset: received))) }
      let wait = min(settings.firstWait * (1 << min(waits, 16)), settings.longestWait)
      waits += 1
      state = .pausing
      return [.wait(wait)]
    case .status(.timeout, _), .status(.corrupt, _): return again(giveUp: .refused(error, offset: received))
    default: return end(.failed(.refused(error, offset: received)))
    }
  }

  /// No answer to a request within its time-out.
  public mutating func timedOut(_ id: Int) -> [Action] {
    guard case .reading(id) = state else { return [] }
    return again(giveUp: .silent(offset: received))
  }

  /// The time of a `.wait` is over.
  public mutating func waited() -> [Action] {
    guard case .pausing = state else { return [] }
    return read()
  }

  /// The same piece again; reading changes nothing on the board.
  private mutating func again(giveUp: FileTransferFailure) -> [Action] {
    failures += 1
    return failures < settings.attempts ? read() : end(.failed(giveUp))
  }

  private mutating func read() -> [Action] {
    lastID += 1
    state = .reading(id: lastID)
    return [.read(id: lastID, offset: received, timeout: received == 0 ? settings.firstTimeout : settings.laterTimeout)]
  }

  private mutating func end(_ action: Action) -> [Action] {
    state = .ended
    return [action]
  }
}
