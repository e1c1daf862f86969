public import Bluetooth
import Locks
import Synchronization

/// Upgrades one board: the whole of this room for a program that has a link and an image, and no station.
///
/// Made for one attempt. `run()` connects, reads what the board has, uploads, restarts it, and reads back what runs; `pause()`, `resume()` and `cancel()` may
/// be called from anywhere meanwhile, in every phase. `events` tells what happens. An upgrade that was cut off, also by the end of the program, is finished by
/// the next one: it begins with what it reads from the board, and an upload goes on at the byte at which the board stands.
public final class BoardUpgrade: Sendable {
  /// Connects to the board and returns when its services are known, within the time given. Called again after every restart and every lost link; what it
  /// throws is a try that failed, and `CentralError.adapterGone` or `.stackGone` one that no other will follow.
  public typealias Connect = @Sendable (_ limit: Duration) async throws -> any GATTLink

  /// What happens to an upgrade.
  public enum Event: Hashable, Sendable {
    case phase(Phase)
    /// The board acknowledged so many bytes of the image that is on its way.
    case progress(bytes: Int, total: Int)
    case paused
    case resumed
  }

  /// Events that are kept for a slow reader; then the oldest go.
  public static let eventLimit = 1024

  /// What happens, for one reader; ends with the upgrade.
  public let events: AsyncStream<Event>
  private let feed: AsyncStream<Event>.Continuation
  private let control: SessionControl
  private let central: any Central
  private let session: BoardSession
  private let hasBegun = Locked(false)

  /// An upgrade over links that the caller makes.
  ///
  /// - Parameters:
  ///   - board: for the result; the closure alone knows whom it connects to.
  ///   - connect: called whenever a link is needed.
  public convenience init(
    _ order: UpdateOrder, of board: BluetoothAddress, limits: SessionLimits = .usual, time: Timekeeper = .system, over connect: @escaping Connect
  ) {
    let links = SuppliedLinks(board, limit: limits.connect, time: time, connect: connect)
    self.init(.update(order), of: board, on: SuppliedLinks.adapter, of: links, limits: limits, time: time)
  }

  /// An upgrade or a rescue over a Bluetooth stack, which finds the board by its address.
  ///
  /// - Parameter adapter: prepared (`Central.prepare`), and nobody else listens or connects on it meanwhile.
  public init(
    _ order: BoardOrder, of board: BluetoothAddress, on adapter: AdapterHandle, of central: any Central, limits: SessionLimits = .usual,
    time: Timekeeper = .system
  ) {
    let (events, feed) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(Self.eventLimit))
    self.events = events
    self.feed = feed
    self.central = central
    control = SessionControl(time)
    session = BoardSession(
      board: board, adapter: adapter, central: central, order: order, limits: limits, time: time, control: control,
      journal: AttemptJournal(AttemptRecord(unrecorded: board, order, at: time.wall()), observer: Teller(feed: feed)), wasWrittenBefore: false,
      trustsStoredImage: true, examine: { _ in })
  }

  /// Runs the upgrade to its end; call once. Cancelling the task is the same as `cancel()`.
  public func run() async -> Ending {
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    guard isFirst else { return Ending(.init(.stationInternal, in: .discover, "an upgrade was run twice: make another one")) }
    let record = await session.run()
    let central = central as? SuppliedLinks
    await shielded { await central?.shutDown() }
    feed.finish()
    return Ending(record)
  }

  /// Begins nothing new; what is under way is finished and counts. Nothing happens when it is paused already.
  public func pause() {
    guard !control.isPaused else { return }
    control.pause()
    if control.isPaused { feed.yield(.paused) }
  }

  /// Goes on where it stood.
  public func resume() {
    guard control.isPaused else { return }
    control.resume()
    feed.yield(.resumed)
  }

  /// Gives the upgrade up at once, also in a pause. The board keeps what it has; the next upgrade goes on there.
  public func cancel() { control.cancel() }

  public var isPaused: Bool { control.isPaused }
}

/// Hands the session's news on.
private struct Teller: SessionObserver {
  let feed: AsyncStream<BoardUpgrade.Event>.Continuation

  func entered(_ phase: Phase, _ record: AttemptRecord) async throws { feed.yield(.phase(phase)) }

  func progressed(_ bytes: Int, of total: Int, at now: Duration, _ record: AttemptRecord) { feed.yield(.progress(bytes: bytes, total: total)) }
}

extension AttemptRecord {
  /// For an attempt that no station records.
  fileprivate init(unrecorded board: BluetoothAddress, _ order: BoardOrder, at wall: Int64) {
    let job: JobKind = if case .rescue = order { .rescue } else { .update }
    self.init(
      batchID: 0, stationID: "", profile: "", job: job, mac: board, addressType: .random, attempt: 1, startedAt: wall, toolVersion: "")
  }
}
