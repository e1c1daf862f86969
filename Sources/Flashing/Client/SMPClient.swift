public import Bluetooth
import Locks
public import SMP

/// A client of the Simple Management Protocol on one link to one board: any request, and whole files.
///
/// One client per link: its sequence numbers and the board's buffers are shared by everything that is asked on it. Several requests may be under way at a
/// time; what the board has buffers for is asked once, by `limits`.
public struct SMPClient: Sendable {
  /// How a client treats its board.
  public struct Settings: Hashable, Sendable {
    /// Requests of a file transfer that may be under way; nil is as many as the board has buffers for.
    public var pipelineDepth: Int?
    /// Bytes of the board's buffer that joins packets; nil is to be found out, 0 none (as `[upgrade] reassembly_buffer_size` of a profile).
    public var reassemblyBufferSize: Int?
    /// For the link's packet sockets to open.
    public var openLimit = Duration.seconds(10)

    public init(pipelineDepth: Int? = nil, reassemblyBufferSize: Int? = nil) {
      self.pipelineDepth = pipelineDepth
      self.reassemblyBufferSize = reassemblyBufferSize
    }
  }

  let smp: SMPSession
  let time: Timekeeper
  private let settings: Settings
  private let known = KnownLimits()

  /// Opens a client on a link, runs `body` with it and closes it, whatever comes; the link stays.
  ///
  /// Throws `SMPClientError`, `CancellationError`, and what `body` throws. All requests must happen inside `body`.
  public static func connected<Result: Sendable>(
    over link: any GATTLink, settings: Settings = Settings(), time: Timekeeper, _ body: (SMPClient) async throws -> Result
  ) async throws -> Result {
    let channel: any PacketChannel
    do throws(CentralError) {
      guard let characteristic = SMPAttachment.characteristic else { throw .refused("no SMP") }
      channel = try await link.openChannel(notifying: characteristic, writing: characteristic, of: .simpleManagement, limit: settings.openLimit)
    } catch {
      try Task.checkCancellation()
      throw SMPClientError.link(error)
    }
    let client = SMPClient(smp: SMPSession(channel: channel, time: time), time: time, settings: settings)
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await client.smp.whileListening { try await body(client) })
    } catch {
      outcome = .failure(error)
    }
    await shielded { await channel.close() }
    return try outcome.get()
  }

  private init(smp: SMPSession, time: Timekeeper, settings: Settings) {
    self.smp = smp
    self.time = time
    self.settings = settings
  }

  /// Sends one request and returns its response. Throws `SMPClientError` or `CancellationError`.
  ///
  /// It is sent once: what may be repeated after a time-out is the caller's to decide (`SMPRequest.isRepeatable`).
  /// - Parameter limit: for the answer; nil is the request's own.
  public func send<Request: SMPRequest>(_ request: Request, limit: Duration? = nil) async throws -> Request.Response {
    try await check(request)
    let limit = limit ?? Request.answerLimit
    do {
      return try await smp.send(request, limit: limit)
    } catch let failure as SMPSession.Failure {
      throw SMPClientError(failure, after: limit)
    }
  }

  /// The same for a request that the board's firmware may not know: nil when it is not supported.
  public func sendIfSupported<Request: SMPRequest>(_ request: Request, limit: Duration? = nil) async throws -> Request.Response? {
    do {
      return try await send(request, limit: limit)
    } catch SMPClientError.refused(let error) where error.isUnsupported {
      return nil
    }
  }

  /// The command groups that the board has, by its own list; nil when its firmware does not keep one.
  ///
  /// The only safe way to look for a group: some firmware hangs when it is asked something of a group that it does not know (facts/device-manager.md §6).
  public func groups() async throws -> [SMPGroup]? {
    try await sendIfSupported(GroupListRequest())
  }

  /// What this link and this board carry: asked of the board at the first call, as for an update (buffers, then one echo that is longer than a packet).
  public func limits() async throws -> TransportLimits {
    if let limits = await known.limits { return limits }
    let parameters: BufferParameters?
    do {
      parameters = try await send(ParametersRequest())
    } catch SMPClientError.refused, SMPClientError.malformed {
      parameters = nil
    }
    let plan = TransportLimits.plan(
      mtu: smp.mtu, parameters: parameters, pipelineDepth: settings.pipelineDepth, reassemblyBufferSize: settings.reassemblyBufferSize)
    let limits =
      switch plan {
      case .settled(let limits): limits
      case .probe(let probe): probe.limits(after: try await outcome(of: probe.request))
      }
    await known.keep(limits)
    return limits
  }

  /// A request of more than one packet reaches only a board that joins packets; one byte too many would be answered by silence.
  private func check(_ request: some SMPRequest) async throws {
    let size: Int
    do throws(SMPFrameError) {
      size = try request.frame(sequence: 0).count
    } catch {
      throw SMPClientError.requestTooLong(size: SMPFrame.largest + 1, limit: SMPFrame.largest)
    }
    guard size > RequestFragmenter(mtu: smp.mtu).packetSize else { return }
    let limit = try await limits().requestSize
    guard size <= limit else { throw SMPClientError.requestTooLong(size: size, limit: limit) }
  }

  /// What became of the probing echo, which goes past `check`: nil when no answer came.
  private func outcome(of echo: EchoRequest) async throws -> Result<String, SMPAnswerError>? {
    do {
      return .success(try await smp.send(echo, limit: ReassemblyProbe.answerLimit))
    } catch SMPSession.Failure.refused(let error) {
      return .failure(.refused(error))
    } catch SMPSession.Failure.timedOut, SMPSession.Failure.malformed {
      return nil
    } catch SMPSession.Failure.linkLost {
      throw SMPClientError.linkLost
    }
  }

  /// What was found out, for all copies of a client.
  private actor KnownLimits {
    private(set) var limits: TransportLimits?
    func keep(_ limits: TransportLimits) { self.limits = limits }
  }
}
