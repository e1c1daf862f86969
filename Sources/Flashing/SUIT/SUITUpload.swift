import SMP

/// Moves one part of a SUIT package to the board: by group 66 a piece at a time, for nothing is known of servers that take several at once; by the image group
/// as many as the board has buffers for.
struct SUITUpload: Sendable {
  /// What the pieces are, on the wire.
  enum Kind: Hashable, Sendable {
    case envelope(deferred: Bool)
    case cache(partition: Int)
    case resource(session: Int)
    /// By the image group.
    case image(Int, sha: [UInt8])
  }

  /// Between two pieces of a resource: the board gives up after 5 s (facts/smp.md §7), so that a lost answer must be noticed before.
  static let resourceLimit = Duration.seconds(4)

  let access: SUITAccess
  let kind: Kind
  let bytes: [UInt8]
  /// Bytes of the package that the board has acknowledged already, and of the whole package as far as it is known: for the progress.
  let done: Int
  let total: Int

  private var session: BoardSession { access.session }
  private var links: LinkHolder { access.links }

  /// Returns when the board has every byte; throws what ended the upload.
  func run() async throws {
    var window = UploadWindow(length: bytes.count, sizer: sizer, leastFirst: 1, settings: settings)
    let (session, done, total) = (session, done, total)
    let upload = PieceUpload(
      session: session, links: links, smp: access.smp, time: session.boardTime, what: "the upload of \(what)", request: { try await due($0) },
      isComplete: { try await isComplete($0) }, progress: { session.journal.progress(done + $0, of: total, at: session.time.now()) },
      failure: { failed($0) })
    let began = session.time.now()
    defer { upload.note(window, from: window.resumedFrom ?? 0, since: began) }
    try await upload.run(&window)
  }

  /// For a resource the board waits 5 s at most.
  private var mayPause: Bool {
    if case .resource = kind { false } else { true }
  }

  private func due(_ chunk: UploadChunk) async throws -> any PieceRequest {
    if mayPause { try await session.control.passage() }
    session.journal.touch(leaving: .application)
    return request(chunk)
  }

  /// The answer to the last piece is missing: it is sent once more. A board that has everything names the end, or has nothing to transfer any more, and
  /// what it makes of that, its manifest tells.
  private func isComplete(_ last: UploadChunk) async throws -> Bool {
    if case .image = kind { return try await isListed() }
    do {
      return try await send(request(last), limit: last.timeout).offset == bytes.count
    } catch SMPSession.Failure.refused(.status(.badState, _)) {
      return true
    } catch SMPSession.Failure.refused {
      return false
    }
  }

  /// Slot 1 of image 0 lists the envelope that was sent; caches are in no list, and sent again.
  private func isListed() async throws -> Bool {
    guard case .image(0, _) = kind else { return false }
    return try await access.asking.command(ImageStateReadRequest()).slots.contains { $0.image == 0 && $0.slot == 1 && $0.hash == access.order.digest }
  }

  private func send<Request: PieceRequest>(_ request: Request, limit: Duration) async throws -> PieceAnswer {
    Request.answer(try await access.smp.send(request, limit: limit))
  }

  private func request(_ chunk: UploadChunk) -> any PieceRequest {
    let data = bytes[chunk.range]
    let length = chunk.isFirst ? bytes.count : nil
    switch kind {
    case .envelope(let deferred): return SUITEnvelopeRequest(offset: chunk.offset, data: data, length: length, defersInstall: deferred)
    case .cache(let partition): return SUITCacheRequest(target: partition, offset: chunk.offset, data: data, length: length)
    case .resource(let id): return SUITResourceRequest(session: id, offset: chunk.offset, data: data, length: length)
    case .image(let number, let sha):
      let start = chunk.isFirst ? UploadStart(length: bytes.count, sha: sha, image: number) : nil
      return ImageUploadRequest(offset: chunk.offset, data: data, start: start)
    }
  }

  // MARK: limits

  private var sizer: ChunkSizer {
    let costs: ChunkCosts
    switch kind {
    case .envelope(let deferred): costs = SUITEnvelopeRequest.costs(length: bytes.count, defersInstall: deferred)
    case .cache(let partition): costs = SUITCacheRequest.costs(length: bytes.count, target: partition)
    case .resource(let id): costs = SUITResourceRequest.costs(length: bytes.count, session: id)
    case .image(let number, let sha):
      return ChunkSizer(UploadStart(length: bytes.count, sha: sha, image: number), requestSize: access.limits.requestSize)
    }
    return ChunkSizer(length: bytes.count, costs: costs, requestSize: access.limits.requestSize)
  }

  /// facts/device-manager.md §4.3: the first packet 40 s, others 10 s, caches always 10 s; resources by the board's own 5 s.
  private var settings: UploadSettings {
    var settings = UploadSettings(access.limits)
    if access.route == .suitGroup { settings.depth = 1 }
    settings.lastTimeout = settings.laterTimeout
    switch kind {
    case .envelope(let deferred):
      settings.refusals = .suit
      // One that begins by itself may ask for a resource right after its last byte.
      if !deferred { settings.lastTimeout = Self.resourceLimit }
    case .cache:
      settings.refusals = .suit
      settings.firstTimeout = settings.laterTimeout
    case .resource:
      settings.refusals = .suit
      settings.firstTimeout = Self.resourceLimit
      settings.firstAttempts = 5
      settings.laterTimeout = Self.resourceLimit
      settings.lastTimeout = Self.resourceLimit
    case .image: settings.lastTimeout = .seconds(20)
    }
    return settings
  }

  // MARK: words

  private var what: String {
    switch kind {
    case .envelope, .image(0, _): "the envelope"
    case .cache(let partition): "cache \(partition)"
    case .image(let number, _): "cache \(number - 1)"
    case .resource: "a resource"
    }
  }

  private func failed(_ failure: UploadFailure) -> BoardFailure {
    guard case .refused(let error, let offset) = failure, settings.refusals == .suit else { return BoardFailure(upload: failure, in: links.phase) }
    let code: FailureCode =
      switch error {
      case .status(.noMemory, _): .imageTooLarge
      case .status(.noEntry, _), .status(.invalidValue, _): .imageRefused
      default: BoardFailure.code(of: error)
      }
    return BoardFailure(code, in: links.phase, "the board refused \(what): \(SUITRefusal(error))", offset: offset)
  }
}
