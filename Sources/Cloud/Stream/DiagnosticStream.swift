public import Bluetooth
import Locks

/// One board's diagnostics over one link: who it is and where its chunks belong, then the chunks in their order.
///
/// The link stays with the caller. A board does not send a chunk again, so that each is handed over before the next is taken, and the board is asked to pause
/// when they come faster than they are kept (`StreamFlow`).
public struct DiagnosticStream: Sendable {
  /// Every wait and number of a stream.
  public struct Limits: Hashable, Sendable {
    /// For one read or write: Nordic's clients' value (facts/device-manager.md §5.7).
    public var request = Duration.seconds(10)
    /// For the packet socket to open.
    public var open = Duration.seconds(10)
    /// For the write that stops the board, at the end.
    public var stop = Duration.seconds(2)
    /// After it, until nothing came for so long: the board has two notifications under way (facts/smp.md §8).
    public var quiet = Duration.milliseconds(300)
    /// How often such a silence is waited for.
    public var quietTries = 5
    /// For the link's end to be told after its notifications ended.
    public var linkEnd = Duration.seconds(2)
    /// Notifications that wait: the board is asked to pause at the first number, to go on at the second. Few, for what waits here is lost when the process is
    /// killed; at full speed about 700 come a second, and the pause takes two connection events.
    public var high = 32
    public var low = 8

    public init() {}
  }

  /// One notification, as the consumer gets it.
  public struct Received: Hashable, Sendable {
    public var reading: ChunkCounter.Reading
    /// Empty when the notification was malformed.
    public var chunk: [UInt8]
    /// Bits 5 to 7 of the counter were not 0. The chunk is taken all the same: reserved bits say nothing yet.
    public var hasReservedBits: Bool

    init(_ notification: [UInt8], _ counter: inout ChunkCounter) {
      reading = counter.receive(notification)
      if case .malformed = reading { chunk = [] } else { chunk = Array(notification.dropFirst()) }
      hasReservedBits = (notification.first ?? 0) & 0xE0 != 0
    }
  }

  /// What the consumer says after a notification.
  public enum Demand: Hashable, Sendable {
    case more
    /// The board is asked to stop; what it has sent by then is still handed over.
    case enough
  }

  /// How a stream ended, after everything that came was handed over.
  public enum End: Hashable, Sendable {
    /// By the consumer's wish or a cancellation; the board was asked to stop.
    case stopped
    case linkLost
    /// The stack closed the channel over a living link: it had too many notifications to keep. Chunks may be lost that nobody counts.
    case overrun
    /// The board did not do what it was asked.
    case failed(DiagnosticFailure)
  }

  private static let enable: [UInt8] = [1]
  private static let disable: [UInt8] = [0]

  private let link: any GATTLink
  private let limits: Limits
  private let clock: any Clock<Duration>

  public init(over link: any GATTLink, limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock()) {
    self.link = link
    self.limits = limits
    self.clock = clock
  }

  /// Reads what the board says of itself. Long values are read whole: that is the link's business.
  public func identity() async throws(DiagnosticFailure) -> StreamIdentity {
    guard await link.characteristics().contains(where: { $0.service == .diagnostics }) else { throw .notOffered(.diagnostics) }
    return try StreamIdentity(
      features: try await read(.features), deviceID: try await read(.deviceID), uri: try await read(.dataURI), authorization: try await read(.authorization))
  }

  private func read(_ value: DiagnosticValue) async throws(DiagnosticFailure) -> [UInt8] {
    do throws(CentralError) {
      return try await link.read(value.characteristic, of: .diagnostics, limit: limits.request)
    } catch {
      throw DiagnosticFailure(error)
    }
  }

  /// Subscribes, switches the chunks on, and hands them to `take` one after the other until the link ends, nobody wants more, or the task is cancelled.
  ///
  /// Also under cancellation the board is asked to stop, and what it has sent by then is handed over. Throws when the stream did not begin.
  ///
  /// - Parameters:
  ///   - begun: called once, when the board has agreed to send.
  ///   - take: returns when the chunk is safe. It never runs twice at a time.
  public func run(
    begun: @escaping @Sendable () -> Void = {}, _ take: @escaping @Sendable (Received) async -> Demand
  ) async throws(DiagnosticFailure) -> End {
    let desk = StreamDesk(high: limits.high, low: limits.low)
    let outcome = await withTaskCancellationHandler {
      await shielded { await stream(desk, begun, take) }
    } onCancel: {
      desk.change { $0.stop() }
    }
    return try outcome.get()
  }

  private func stream(
    _ desk: StreamDesk, _ begun: @Sendable () -> Void, _ take: @escaping @Sendable (Received) async -> Demand
  ) async -> Result<End, DiagnosticFailure> {
    guard !desk.isStopping else { return .success(.stopped) }
    let channel: any PacketChannel
    do throws(CentralError) {
      // Notifications first: the board refuses to send to who is not subscribed (0x81), and nothing is sent that nobody hears.
      channel = try await link.openChannel(notifying: .diagnosticExport, writing: nil, of: .diagnostics, limit: limits.open)
    } catch {
      return .failure(DiagnosticFailure(error))
    }
    return await withTaskGroup(of: Void.self) { group in
      // Listens before the board is switched on.
      group.addTask { await listen(to: channel, desk) }
      if let failure = await write(Self.enable, limit: limits.request) {
        await channel.close()
        return .failure(failure)
      }
      begun()
      var counter = ChunkCounter()
      var failure: DiagnosticFailure?
      taking: while true {
        switch await desk.next() {
        case .notification(let notification):
          if await take(Received(notification, &counter)) == .enough { desk.change { $0.stop() } }
          guard desk.change({ $0.taken() }) == .release, let refusal = await write(Self.enable, limit: limits.request) else { continue }
          failure = refusal
          desk.change { $0.stop() }
        case .stop:
          _ = await write(Self.disable, limit: limits.stop)
          group.addTask { await settle(desk) }
        case .over, .wait: break taking
        }
      }
      let end = await end(desk, failure)
      await channel.close()
      return .success(end)
    }
  }

  /// Puts what comes on the desk, and asks the board to pause when it is too much.
  private func listen(to channel: any PacketChannel, _ desk: StreamDesk) async {
    for await notification in channel.packets() {
      guard desk.change({ $0.arrived(notification) }) == .hold else { continue }
      // When this fails the link is ending, or the board cannot be slowed down: the stack's own limit holds then.
      _ = await write(Self.disable, limit: limits.request)
      if desk.change({ $0.held() }) == .release { _ = await write(Self.enable, limit: limits.request) }
    }
    desk.change { $0.end() }
  }

  /// After the board was asked to stop: what is under way still comes.
  private func settle(_ desk: StreamDesk) async {
    for _ in 0..<limits.quietTries {
      let before = desk.arrivals
      try? await clock.sleep(for: limits.quiet)
      if desk.arrivals == before { break }
    }
    desk.change { $0.end() }
  }

  private func end(_ desk: StreamDesk, _ failure: DiagnosticFailure?) async -> End {
    if let failure { return .failed(failure) }
    if desk.isStopping { return .stopped }
    return await withTaskGroup(of: End.self) { group in
      group.addTask {
        await link.ended()
        return .linkLost
      }
      group.addTask {
        try? await clock.sleep(for: limits.linkEnd)
        return .overrun
      }
      defer { group.cancelAll() }
      return await group.next() ?? .linkLost
    }
  }

  private func write(_ value: [UInt8], limit: Duration) async -> DiagnosticFailure? {
    do throws(CentralError) {
      try await link.write(value, to: .diagnosticExport, of: .diagnostics, withResponse: true, limit: limit)
      return nil
    } catch {
      return DiagnosticFailure(error)
    }
  }
}
