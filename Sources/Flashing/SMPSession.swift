import Bluetooth
import SMP

/// The SMP client of one link: requests out, answers matched by sequence, group, command and operation, a deadline each.
///
/// It holds the machines of the room SMP and moves bytes between them and the packet channel.
actor SMPSession {
  /// How a request ended without a usable answer.
  enum Failure: Error, Hashable {
    case linkLost
    case timedOut
    case refused(SMPResponseError)
    case malformed(String)
  }

  private let channel: any PacketChannel
  private let fragmenter: RequestFragmenter
  private let time: Timekeeper
  private var table = RequestTable()
  private var assembler = FrameAssembler()
  private let exchanges = Exchanges()
  /// The packets of requests not yet handed over; the pieces of one are never mixed with another's. As long as the requests under way, which the window bounds.
  private let outgoing: AsyncStream<[[UInt8]]>
  private let feed: AsyncStream<[[UInt8]]>.Continuation
  private var deadlines = Deadlines()
  /// When to look for requests that are overdue.
  private let looks: AsyncStream<Duration>
  private let lookFeed: AsyncStream<Duration>.Continuation
  private var isLost = false

  init(channel: any PacketChannel, time: Timekeeper) {
    self.channel = channel
    self.time = time
    fragmenter = RequestFragmenter(mtu: channel.mtu)
    (outgoing, feed) = AsyncStream.makeStream()
    (looks, lookFeed) = AsyncStream.makeStream()
  }

  nonisolated var mtu: Int { channel.mtu }

  /// Runs `body` while packets are sent and the board's answers are read; all requests must happen inside.
  nonisolated func whileListening<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.listen() }
      group.addTask { await self.pump() }
      group.addTask { await self.watch() }
      defer { group.cancelAll() }
      return try await body()
    }
  }

  /// Sends a request and returns its response; throws `Failure` or `CancellationError`.
  func send<Request: SMPRequest>(_ request: Request, limit: Duration? = nil) async throws -> Request.Response {
    try Task.checkCancellation()
    let (id, bytes) = try begin(request)
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { waiter in
          start(id, bytes, limit: limit ?? Request.answerLimit) { waiter.resume(with: Self.response($0, of: Request.self)) }
        }
      } onCancel: {
        exchanges.settle(id, .failure(CancellationError()))
      }
    } catch {
      // Its number is not used again at once: the board may answer yet. Of an exchange that is over nothing is changed.
      if error is CancellationError { table.timedOut(id) }
      throw error
    }
  }

  /// Queues a request behind those sent before it, and returns at once: so a window's requests leave in the order in which it made them.
  ///
  /// - Parameter reply: is told once how it ended, quickly, on any thread: a response, or `Failure`. Not at all when nobody listens to the link any more.
  func post<Request: SMPRequest>(
    _ request: Request, limit: Duration, reply: @escaping @Sendable (Result<Request.Response, any Error>) -> Void
  ) throws {
    let (id, bytes) = try begin(request)
    start(id, bytes, limit: limit) { reply(Self.response($0, of: Request.self)) }
  }

  // MARK: one exchange

  private func begin<Request: SMPRequest>(_ request: Request) throws -> (RequestID, [UInt8]) {
    guard !isLost else { throw Failure.linkLost }
    do {
      let (id, sequence) = try table.begin(Request.self)
      let bytes = try request.frame(sequence: sequence)
      exchanges.open(id)
      return (id, bytes)
    } catch is SequencesExhausted {
      throw Failure.malformed("too many requests are under way")
    } catch {
      throw Failure.malformed("the request does not fit into a frame (\(error))")
    }
  }

  private func start(_ id: RequestID, _ bytes: [UInt8], limit: Duration, _ reply: @escaping Exchanges.Reply) {
    if let look = deadlines.add(id, time.now() + limit) { lookFeed.yield(look) }
    exchanges.whenOver(id, reply)
    feed.yield(fragmenter.packets(of: bytes))
  }

  nonisolated private static func response<Request: SMPRequest>(
    _ result: Result<SMPFrame, any Error>, of request: Request.Type
  ) -> Result<Request.Response, any Error> {
    result.flatMap { frame in
      do throws(SMPAnswerError) {
        return .success(try Request.response(in: frame))
      } catch .refused(let error) {
        return .failure(Failure.refused(error))
      } catch {
        return .failure(Failure.malformed(error.description))
      }
    }
  }

  // MARK: overdue requests

  /// One sleeper for all requests, as long as their deadlines come in order.
  nonisolated private func watch() async {
    await withDiscardingTaskGroup { group in
      for await look in looks {
        group.addTask {
          guard (try? await self.time.sleep(look - self.time.now())) != nil else { return }
          await self.endOverdue(look)
        }
      }
      group.cancelAll()
    }
  }

  private func endOverdue(_ look: Duration) {
    // A clock that wakes a moment early must not leave the request without a look.
    let (overdue, look) = deadlines.look(at: max(time.now(), look))
    for id in overdue {
      table.timedOut(id)
      // A fragment that was lost leaves a frame that would swallow the next answer.
      if table.outstanding == 0 { assembler.discardPartial() }
      exchanges.settle(id, .failure(Failure.timedOut))
    }
    if let look { lookFeed.yield(look) }
  }

  // MARK: sending

  nonisolated private func pump() async {
    for await packets in outgoing {
      // In a pause nothing new is sent; the requests under way are answered and count. A request is never cut.
      guard (try? await time.passage()) != nil else { return }
      do {
        try await channel.send(all: packets)
      } catch {
        return await lose()
      }
    }
  }

  // MARK: reading

  private func listen() async {
    for await packet in channel.packets() {
      guard case .frame(let frame) = assembler.append(packet) else { continue }
      // Late, duplicate and stray answers answer nothing any more.
      guard case .answer(let id, let answer) = table.receive(frame) else { continue }
      deadlines.remove(id)
      exchanges.settle(id, .success(answer))
    }
    if !Task.isCancelled { lose() }
  }

  /// The link is gone: nobody will be answered any more.
  private func lose() {
    isLost = true
    exchanges.settleAll(Failure.linkLost)
  }
}
