import SMP

/// Moves one part of a SUIT package to the board, a piece at a time: nothing is known of servers that take several at once.
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
    let began = session.time.now()
    defer { keepFigures(window, since: began) }
    var progress = (offset: 0, at: began)
    var last: UploadChunk?
    var actions = window.start()
    while let action = actions.first {
      actions.removeFirst()
      try Task.checkCancellation()
      switch action {
      case .send(let chunk):
        last = chunk
        if mayPause { try await session.control.passage() }
        session.journal.touch(leaving: .application)
        actions += try await exchange(chunk, &window)
      case .wait(let pause):
        try await session.boardTime.sleep(pause)
        actions += window.waited()
      case .progress(let offset):
        session.journal.progress(done + offset, of: total, at: session.time.now())
      case .readBack:
        actions += window.readBack(found: try await isComplete(last))
      case .finished: return
      case .failed(let failure): throw failed(failure)
      }
      if window.acknowledged != progress.offset || window.allowsSilence { progress = (window.acknowledged, session.time.now()) }
      guard session.time.now() - progress.at < session.limits.stall else {
        throw BoardFailure(.imageStalled, in: links.phase, "the board acknowledged nothing for \(session.limits.stall.words)", offset: window.acknowledged)
      }
    }
  }

  /// For a resource the board waits 5 s at most.
  private var mayPause: Bool {
    if case .resource = kind { false } else { true }
  }

  private func exchange(_ chunk: UploadChunk, _ window: inout UploadWindow) async throws -> [UploadWindow.Action] {
    do {
      let answer = try await send(chunk)
      return window.answered(chunk.id, offset: answer.offset, match: answer.match)
    } catch SMPSession.Failure.refused(let error) {
      return window.refused(chunk.id, error)
    } catch SMPSession.Failure.timedOut {
      return window.timedOut(chunk.id)
    } catch {
      throw explained(error, offset: chunk.offset)
    }
  }

  /// The answer to the last piece is missing: it is sent once more. A board that has everything names the end, or has nothing to transfer any more, and
  /// what it makes of that, its manifest tells.
  private func isComplete(_ last: UploadChunk?) async throws -> Bool {
    guard let last else { return false }
    if case .image = kind { return try await isListed() }
    do {
      return try await send(last).offset == bytes.count
    } catch SMPSession.Failure.refused(.status(.badState, _)) {
      return true
    } catch SMPSession.Failure.refused {
      return false
    } catch {
      throw explained(error, offset: last.offset)
    }
  }

  /// Slot 1 of image 0 lists the envelope that was sent; caches are in no list, and sent again.
  private func isListed() async throws -> Bool {
    guard case .image(0, _) = kind else { return false }
    return try await access.asking.command(ImageStateReadRequest()).slots.contains { $0.image == 0 && $0.slot == 1 && $0.hash == access.order.digest }
  }

  private func send(_ chunk: UploadChunk) async throws -> (offset: Int, match: Bool?) {
    let data = bytes[chunk.range]
    let length = chunk.isFirst ? bytes.count : nil
    switch kind {
    case .envelope(let deferred):
      return (try await piece(SUITEnvelopeRequest(offset: chunk.offset, data: data, length: length, defersInstall: deferred), chunk), nil)
    case .cache(let partition): return (try await piece(SUITCacheRequest(target: partition, offset: chunk.offset, data: data, length: length), chunk), nil)
    case .resource(let id): return (try await piece(SUITResourceRequest(session: id, offset: chunk.offset, data: data, length: length), chunk), nil)
    case .image(let number, let sha):
      let start = chunk.isFirst ? UploadStart(length: bytes.count, sha: sha, image: number) : nil
      let answer = try await access.smp.send(ImageUploadRequest(offset: chunk.offset, data: data, start: start), limit: chunk.timeout)
      return (answer.offset, answer.match)
    }
  }

  private func piece<Request: SUITPieceRequest>(_ request: Request, _ chunk: UploadChunk) async throws -> Int {
    try await access.smp.send(request, limit: chunk.timeout).offset
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
    var settings = UploadSettings(depth: 1, requestSize: access.limits.requestSize)
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

  private func explained(_ error: any Error, offset: Int) -> any Error {
    guard let failure = error as? SMPSession.Failure else { return error }
    return BoardFailure(smp: failure, in: links.phase, during: "the upload of \(what)", offset: offset)
  }

  private func keepFigures(_ window: UploadWindow, since began: Duration) {
    let seconds = (session.time.now() - began).seconds
    session.journal.update { record in
      record.uploadBytes = (record.uploadBytes ?? 0) + max(0, window.acknowledged - (window.resumedFrom ?? 0))
      record.uploadSeconds = (record.uploadSeconds ?? 0) + seconds
      record.retries += window.recoveries
      if let resumed = window.resumedFrom { record.resumedFrom = resumed }
      if let bytes = record.uploadBytes, let spent = record.uploadSeconds, spent > 0 { record.uploadSpeed = Double(bytes) / 1000 / spent }
    }
  }
}
