import SMP

/// Moves one file to a board: keeps the window of `FileUploadWindow` full and reports its answers.
struct FileSending: Sendable {
  let client: SMPClient
  let name: String
  let content: [UInt8]
  let progress: @Sendable (Int) -> Void

  private enum Event: Sendable {
    case piece(UploadChunk, PieceOutcome)
    case waited
    case closed
    case broken(any Error)
  }

  /// Returns when the board has acknowledged every byte: how many losses and waits there were. Throws `SMPClientError` or `CancellationError`.
  func run(from offset: Int) async throws -> Int {
    let settings = UploadSettings(try await client.limits())
    var window = FileUploadWindow(length: content.count, name: name, from: offset, settings: settings)
    // No longer than what is under way: the window bounds the pieces, and beside them there is one wait or one request to close.
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    return try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      if try await perform(window.start(), &group, feed) { return window.recoveries }
      for await event in events {
        let actions: [FileUploadWindow.Action]
        switch event {
        case .piece(let chunk, .answered(let answer)): actions = window.answered(chunk.id, offset: answer.offset)
        case .piece(let chunk, .refused(let error)): actions = window.refused(chunk.id, error)
        case .piece(let chunk, .timedOut): actions = window.timedOut(chunk.id)
        case .piece(let chunk, .broken(let failure as SMPSession.Failure)): throw SMPClientError(failure, after: chunk.timeout)
        case .piece(_, .broken(let error)), .broken(let error): throw error
        case .waited: actions = window.waited()
        case .closed: actions = window.closed()
        }
        if try await perform(actions, &group, feed) { return window.recoveries }
      }
      throw CancellationError()
    }
  }

  /// Starts what the window asks for; true when it has finished.
  private func perform(
    _ actions: [FileUploadWindow.Action], _ group: inout ThrowingDiscardingTaskGroup<any Error>, _ feed: AsyncStream<Event>.Continuation
  ) async throws -> Bool {
    for action in actions {
      switch action {
      case .send(let chunk):
        let request = FileUploadRequest(
          name: name, offset: chunk.offset, data: content[chunk.range], length: chunk.isFirst ? content.count : nil)
        do {
          try await client.smp.post(request, limit: chunk.timeout) { feed.yield(.piece(chunk, PieceOutcome($0, of: FileUploadRequest.self))) }
        } catch let failure as SMPSession.Failure {
          throw SMPClientError(failure, after: chunk.timeout)
        }
      case .close: group.addTask { feed.yield(await close()) }
      case .wait(let pause): group.addTask { feed.yield(await wait(pause)) }
      case .progress(let offset): progress(offset)
      case .finished: return true
      case .failed(let failure): throw SMPClientError.file(failure)
      }
    }
    return false
  }

  /// Firmware that cannot close a file refuses; that and silence are for the window to live with.
  private func close() async -> Event {
    do {
      try await client.send(FileCloseRequest())
      return .closed
    } catch SMPClientError.refused, SMPClientError.silent, SMPClientError.malformed {
      return .closed
    } catch {
      return .broken(error)
    }
  }

  private func wait(_ pause: Duration) async -> Event {
    do {
      try await client.time.sleep(pause)
      return .waited
    } catch {
      return .broken(error)
    }
  }
}
