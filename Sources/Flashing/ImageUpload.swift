import SMP

/// Moves one image to the board: keeps the window of `UploadWindow` full and reports its answers, until the board has acknowledged every byte.
struct ImageUpload: Sendable {
  let session: BoardSession
  let links: LinkHolder
  let attachment: SMPAttachment
  let image: UpdateImage
  /// The image's place in its order: each resumes at its own offset.
  let place: Int
  /// What is sent as `image`: the number, or what the board wants instead (facts/smp.md §3.2, "Slot info").
  let uploadImage: Int
  /// The place of this image in its package's progress: bytes of the images before it, and of all.
  let progress: (before: Int, total: Int)

  /// What came back from one child task.
  private enum Event: Sendable {
    case answered(Int, ImageUploadRequest.Response)
    case refused(Int, SMPResponseError)
    case timedOut(Int)
    case waited
    case readBack(found: Bool)
    /// The stall watch looks at the progress.
    case tick
    case broken(any Error)
  }

  /// Returns when the board has the whole image; throws what ended the upload.
  func run() async throws {
    let start = UploadStart(length: image.bytes.count, sha: image.sha256, image: uploadImage)
    var window = UploadWindow(start, settings: UploadSettings(attachment.limits, alignment: attachment.order.alignment))
    let began = session.time.now()
    defer { keepFigures(window, since: began) }
    try await withThrowingTaskGroup(of: Event.self) { group in
      defer { group.cancelAll() }
      var stall = StallWatch(limit: session.limits.stall, at: began)
      group.addTask { await tick() }
      var actions = window.start()
      while true {
        if try await perform(actions, start, &group) { return }
        guard let event = try await group.next() else { return }
        switch event {
        case .answered(let id, let response): actions = window.answered(id, offset: response.offset, match: response.match)
        case .refused(let id, let error): actions = window.refused(id, error)
        case .timedOut(let id): actions = window.timedOut(id)
        case .waited: actions = window.waited()
        case .readBack(let found): actions = window.readBack(found: found)
        case .tick:
          group.addTask { await tick() }
          actions = []
        case .broken(let error): throw Self.explained(error, in: links.phase, offset: window.acknowledged)
        }
        try check(&stall, window)
      }
    }
  }

  /// Starts what the window asks for; true when it has finished.
  private func perform(_ actions: [UploadWindow.Action], _ start: UploadStart, _ group: inout ThrowingTaskGroup<Event, any Error>) async throws -> Bool {
    for action in actions {
      switch action {
      case .send(let chunk):
        session.journal.touch(leaving: attachment.place == .loader ? .bootloader : .application)
        let request = try await post(chunk, start)
        group.addTask { await answer(to: request, chunk) }
      case .wait(let pause): group.addTask { await wait(pause) }
      case .progress(let offset): session.journal.progress(progress.before + offset, of: progress.total, at: session.time.now())
      case .readBack: group.addTask { await readBack() }
      case .finished: return true
      case .failed(let failure): throw BoardFailure(upload: failure, in: links.phase)
      }
    }
    return false
  }

  private func post(_ chunk: UploadChunk, _ start: UploadStart) async throws -> RequestID {
    let request = ImageUploadRequest(offset: chunk.offset, data: image.bytes[chunk.range], start: chunk.isFirst ? start : nil)
    do {
      return try await attachment.smp.post(request)
    } catch {
      throw Self.explained(error, in: links.phase, offset: chunk.offset)
    }
  }

  private func answer(to request: RequestID, _ chunk: UploadChunk) async -> Event {
    do {
      return .answered(chunk.id, try await attachment.smp.response(to: request, of: ImageUploadRequest.self, limit: chunk.timeout))
    } catch SMPSession.Failure.refused(let error) {
      return .refused(chunk.id, error)
    } catch SMPSession.Failure.timedOut {
      return .timedOut(chunk.id)
    } catch {
      return .broken(error)
    }
  }

  private func wait(_ pause: Duration) async -> Event {
    do {
      try await session.time.sleep(pause)
      return .waited
    } catch {
      return .broken(error)
    }
  }

  private func tick() async -> Event {
    do {
      try await session.time.sleep(session.limits.stall / 4)
      return .tick
    } catch {
      return .broken(error)
    }
  }

  /// After a lost last answer only the image list tells whether the image is there (facts/smp.md §4.2).
  private func readBack() async -> Event {
    do {
      let slots = try await attachment.readImages() ?? []
      let isFound = slots.contains { slot in
        slot.image == image.number && slot.hash == image.hash && (attachment.place == .loader ? slot.slot == 0 : !slot.active)
      }
      return .readBack(found: isFound)
    } catch {
      return .broken(error)
    }
  }

  private func check(_ stall: inout StallWatch, _ window: UploadWindow) throws {
    guard stall.isOver(window, at: session.time.now()) else { return }
    throw BoardFailure(
      .imageStalled, in: links.phase, "the board acknowledged nothing for \(session.limits.stall.words)", offset: window.acknowledged)
  }

  private func keepFigures(_ window: UploadWindow, since began: Duration) {
    let seconds = (session.time.now() - began).seconds
    let earlier = links.acknowledged(of: place)
    // What the board stored before a link of this attempt was lost is acknowledged by the offset at which it goes on; what an earlier attempt sent is not.
    let base = window.resumedFrom.map { earlier > 0 ? min(earlier, $0) : $0 } ?? 0
    links.note(acknowledged: window.acknowledged, of: place)
    session.journal.update { record in
      record.uploadBytes = (record.uploadBytes ?? 0) + max(0, window.acknowledged - base)
      record.uploadSeconds = (record.uploadSeconds ?? 0) + seconds
      record.retries += window.recoveries
      if let resumed = window.resumedFrom { record.resumedFrom = resumed }
      if let bytes = record.uploadBytes, let spent = record.uploadSeconds, spent > 0 { record.uploadSpeed = Double(bytes) / 1000 / spent }
    }
  }

  private static func explained(_ error: any Error, in phase: Phase, offset: Int) -> any Error {
    guard let failure = error as? SMPSession.Failure else { return error }
    return BoardFailure(smp: failure, in: phase, during: "the upload", offset: offset)
  }
}

/// Whether an upload stands still: the board's offset does not move, and the board has no reason to be silent.
private struct StallWatch {
  private let limit: Duration
  private var offset = 0
  private var since: Duration

  init(limit: Duration, at now: Duration) {
    self.limit = limit
    since = now
  }

  /// A step back is movement, too: the window itself limits how often an upload begins again.
  mutating func isOver(_ window: UploadWindow, at now: Duration) -> Bool {
    if window.acknowledged != offset || window.allowsSilence {
      offset = window.acknowledged
      since = now
    }
    return now - since >= limit
  }
}
