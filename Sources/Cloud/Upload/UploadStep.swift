import Catalogue

/// One request of a lane and what follows from it.
struct UploadStep {
  let uploader: ChunkUploader
  let lane: WaitingLane
  let desk: UploadDesk
  var course: UploadCourse

  /// - Returns: whether the track goes on.
  mutating func run(_ heard: @Sendable (UploadEvent) async -> Void) async -> Bool {
    if let reason = desk.reason(keyFile: lane.keyFile) { return await hold(reason, heard) }
    await uploader.gate.enter()
    let sent = await send()
    await uploader.gate.leave()
    switch sent {
    case .empty: return true
    case .given: return false
    case .held(let reason): return await hold(reason, heard)
    case .failed(let error): return await pause(for: error, heard)
    case .answered(let batch, let answer): return await follow(answer, batch, heard)
    }
  }

  private enum Sent {
    case answered(OutgoingBatch, UploadCourse.Answer)
    /// Nothing waits any more.
    case empty
    /// The task was cancelled.
    case given
    case held(String)
    case failed(ChunkQueueError)
  }

  private func send() async -> Sent {
    guard !Task.isCancelled else { return .given }
    do throws(ChunkQueueError) {
      guard let batch = try await uploader.queue.takeOut(lane.id, chunks: course.mostChunks, bytes: uploader.limits.batchBytes) else { return .empty }
      guard uploader.hosts.permits(batch.destination.url) else {
        try await uploader.queue.putBack(batch)
        return .held(
          "\(NetworkAddress.host(of: batch.destination.url) ?? "its host") is not on [cloud] allowed_hosts any more: add it, if it is meant, and start again")
      }
      guard let answer = await answer(to: batch) else { return .given }
      return .answered(batch, answer)
    } catch {
      if case .keyFile = error { return .held(error.description) }
      return .failed(error)
    }
  }

  /// Sends a batch. One that is under way when the run is cancelled is granted a moment for its answer: an unstructured task on purpose, it does not inherit that.
  private func answer(to batch: OutgoingBatch) async -> UploadCourse.Answer? {
    let (post, roll, clock, grace) = (uploader.post, uploader.roll, uploader.clock, uploader.limits.lastAnswer)
    let request = Task { await post.send(batch, roll: roll) }
    return await withTaskCancellationHandler {
      await request.value
    } onCancel: {
      Task {
        try? await clock.sleep(for: grace)
        request.cancel()
      }
    }
  }

  private mutating func follow(
    _ answer: UploadCourse.Answer, _ batch: OutgoingBatch, _ heard: @Sendable (UploadEvent) async -> Void
  ) async -> Bool {
    let (queue, lane) = (uploader.queue, lane.id)
    let action = course.answered(answer, chunks: batch.chunks.count, roll: uploader.roll())
    switch action {
    case .remove:
      guard await commit(heard, { () async throws(ChunkQueueError) in try await queue.remove(batch) }) else { return false }
      await heard(.uploaded(lane, chunks: batch.chunks.count))
      return true
    case .reject(let status):
      guard await commit(heard, { () async throws(ChunkQueueError) in try await queue.reject(batch, status: status) }) else { return false }
      await heard(.rejected(lane, status: status))
      return true
    case .again, .wait, .holdKey, .holdLane: break
    }
    if case .lost = answer {
    } else {
      guard await commit(heard, { () async throws(ChunkQueueError) in try await queue.putBack(batch) }) else { return false }
    }
    switch action {
    case .wait(let pause, let reason):
      await heard(.waiting(lane, pause, reason: reason))
      return (try? await uploader.clock.sleep(for: pause)) != nil
    case .holdKey(let reason):
      desk.hold(keyFile: batch.keyFile, reason: reason)
      return await hold(reason, heard)
    case .holdLane(let reason): return await hold(reason, heard)
    case .again, .remove, .reject: return true
    }
  }

  /// Writes down what an answer means. Until that is done nothing else of this lane is sent, or it would be there twice.
  private mutating func commit(
    _ heard: @Sendable (UploadEvent) async -> Void, _ body: () async throws(ChunkQueueError) -> Void
  ) async -> Bool {
    while true {
      do throws(ChunkQueueError) {
        try await body()
        return true
      } catch {
        guard await pause(for: error, heard) else { return false }
      }
    }
  }

  private mutating func pause(for error: ChunkQueueError, _ heard: @Sendable (UploadEvent) async -> Void) async -> Bool {
    guard error.mayPass else {
      desk.fail(error)
      return false
    }
    guard case .wait(let pause, let reason) = course.answered(.failed(reason: error.description), chunks: 1, roll: uploader.roll()) else { return false }
    await heard(.waiting(lane.id, pause, reason: reason))
    return (try? await uploader.clock.sleep(for: pause)) != nil
  }

  /// Leaves the lane alone until the next start; the track goes on with its next lane.
  private func hold(_ reason: String, _ heard: @Sendable (UploadEvent) async -> Void) async -> Bool {
    desk.hold(lane.id)
    do throws(ChunkQueueError) {
      try await uploader.queue.hold(lane.id, reason: reason)
    } catch {
      // Only the status of later would show it; it is told now.
      if !error.mayPass { desk.fail(error) }
    }
    await heard(.held(lane.id, reason: reason))
    return true
  }
}
