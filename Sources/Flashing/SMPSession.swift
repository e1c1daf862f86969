import Bluetooth
import SMP

/// The SMP client of one link: requests out, answers matched by sequence, group, command and operation, one timer each.
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
  private var waiting: [RequestID: CheckedContinuation<SMPFrame, any Error>] = [:]
  /// Packets not yet handed over; the pieces of one request are never mixed with another's.
  private var outgoing: [[UInt8]] = []
  private var isSending = false
  private var isLost = false

  init(channel: any PacketChannel, time: Timekeeper) {
    self.channel = channel
    self.time = time
    fragmenter = RequestFragmenter(mtu: channel.mtu)
  }

  nonisolated var mtu: Int { channel.mtu }

  /// Runs `body` while the board's answers are read; all requests must happen inside.
  nonisolated func whileListening<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.listen() }
      defer { group.cancelAll() }
      return try await body()
    }
  }

  /// Sends a request and returns its response; throws `Failure` or `CancellationError`.
  func send<Request: SMPRequest>(_ request: Request, limit: Duration? = nil) async throws -> Request.Response {
    try Task.checkCancellation()
    let frame = try await exchange(request, limit: limit ?? Request.answerLimit)
    do throws(SMPAnswerError) {
      return try Request.response(in: frame)
    } catch .refused(let error) {
      throw Failure.refused(error)
    } catch {
      throw Failure.malformed(error.description)
    }
  }

  // MARK: one exchange

  private func exchange<Request: SMPRequest>(_ request: Request, limit: Duration) async throws -> SMPFrame {
    guard !isLost else { throw Failure.linkLost }
    let (id, bytes) = try begin(request)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await self.time.sleep(limit)
          await self.end(id, with: Failure.timedOut)
        } catch {
          await self.end(id, with: CancellationError())
        }
      }
      defer { group.cancelAll() }
      return try await self.answer(to: id, sending: bytes)
    }
  }

  private func begin<Request: SMPRequest>(_ request: Request) throws -> (RequestID, [UInt8]) {
    do {
      let (id, sequence) = try table.begin(Request.self)
      return (id, try request.frame(sequence: sequence))
    } catch is SequencesExhausted {
      throw Failure.malformed("too many requests are under way")
    } catch {
      throw Failure.malformed("the request does not fit into a frame (\(error))")
    }
  }

  private func answer(to id: RequestID, sending bytes: [UInt8]) async throws -> SMPFrame {
    try await withCheckedThrowingContinuation { continuation in
      waiting[id] = continuation
      outgoing.append(contentsOf: fragmenter.packets(of: bytes))
      guard !isSending else { return }
      isSending = true
      // Not a child task: it outlives this request when others queue packets behind it, and ends with the queue.
      Task { await self.pump() }
    }
  }

  private func pump() async {
    while !outgoing.isEmpty {
      let packet = outgoing.removeFirst()
      do {
        try await channel.send(packet)
      } catch {
        lose()
      }
    }
    isSending = false
  }

  private func end(_ id: RequestID, with error: any Error) {
    guard let continuation = waiting.removeValue(forKey: id) else { return }
    table.timedOut(id)
    // A fragment that was lost leaves a frame that would swallow the next answers.
    assembler.discardPartial()
    continuation.resume(throwing: error)
  }

  // MARK: reading

  private func listen() async {
    for await packet in channel.packets() {
      guard case .frame(let frame) = assembler.append(packet) else { continue }
      // Late, duplicate and stray answers answer nothing any more.
      guard case .answer(let id, let answer) = table.receive(frame) else { continue }
      waiting.removeValue(forKey: id)?.resume(returning: answer)
    }
    if !Task.isCancelled { lose() }
  }

  /// The link is gone: nobody will be answered any more.
  private func lose() {
    isLost = true
    outgoing.removeAll()
    let all = waiting
    waiting.removeAll()
    for continuation in all.values { continuation.resume(throwing: Failure.linkLost) }
  }
}
