import SMP

/// Moves one file to a board: keeps the window of `FileUploadWindow` full and reports its answers.
struct FileSending: Sendable {
  let client: SMPClient
  let name: String
  let content: [UInt8]
  let progress: @Sendable (Int) -> Void

  /// What came back from one child task.
  private enum Event: Sendable {
    case answered(Int, offset: Int)
    case refused(Int, SMPResponseError)
    case timedOut(Int)
    case waited
    case closed
    case broken(any Error)
  }

  /// Returns when the board has acknowledged every byte: how many losses and waits there were. Throws `SMPClientError` or `CancellationError`.
  func run(from offset: Int) async throws -> Int {
    let settings = UploadSettings(try await client.limits())
    var window = FileUploadWindow(length: content.count, name: name, from: offset, settings: settings)
    return try await withThrowingTaskGroup(of: Event.self) { group in
      defer { group.cancelAll() }
      var actions = window.start()
      while true {
        if try await perform(actions, &group) { return window.recoveries }
        guard let event = try await group.next() else { return window.recoveries }
        switch event {
        case .answered(let id, let offset): actions = window.answered(id, offset: offset)
        case .refused(let id, let error): actions = window.refused(id, error)
        case .timedOut(let id): actions = window.timedOut(id)
        case .waited: actions = window.waited()
        case .closed: actions = window.closed()
        case .broken(let error): throw error
        }
      }
    }
  }

  /// Starts what the window asks for; true when it has finished.
  private func perform(_ actions: [FileUploadWindow.Action], _ group: inout ThrowingTaskGroup<Event, any Error>) async throws -> Bool {
    for action in actions {
      switch action {
      case .send(let chunk):
        let request = FileUploadRequest(
          name: name, offset: chunk.offset, data: content[chunk.range], length: chunk.isFirst ? content.count : nil)
        let id: RequestID
        do {
          id = try await client.smp.post(request)
        } catch let failure as SMPSession.Failure {
          throw SMPClientError(failure, after: chunk.timeout)
        }
        group.addTask { await answer(to: id, chunk) }
      case .close: group.addTask { await close() }
      case .wait(let pause): group.addTask { await wait(pause) }
      case .progress(let offset): progress(offset)
      case .finished: return true
      case .failed(let failure): throw SMPClientError.file(failure)
      }
    }
    return false
  }

  private func answer(to request: RequestID, _ chunk: UploadChunk) async -> Event {
    do {
      return .answered(chunk.id, offset: try await client.smp.response(to: request, of: FileUploadRequest.self, limit: chunk.timeout))
    } catch SMPSession.Failure.refused(let error) {
      return .refused(chunk.id, error)
    } catch SMPSession.Failure.timedOut {
      return .timedOut(chunk.id)
    } catch let failure as SMPSession.Failure {
      return .broken(SMPClientError(failure, after: chunk.timeout))
    } catch {
      return .broken(error)
    }
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
