import FoundationEssentials
import Glibc

/// Brings the chunks of a queue to their servers: one request at a time for each board and address, all boards at once.
public struct ChunkUploader: Sendable {
  let queue: ChunkQueue
  let hosts: AllowedHosts
  let limits: UploadLimits
  let clock: any Clock<Duration>
  let post: ChunkPost
  let roll: @Sendable () -> UInt64
  let gate: UploadGate

  /// - Parameters:
  ///   - hosts: whom the station speaks to; looked at again before every request.
  ///   - clock: for pauses; a test turns it.
  ///   - wall: seconds since 1970, for a `Retry-After` that is a date; nil for the computer's clock.
  ///   - random: for the jitter of pauses and the boundaries of batches.
  public init(
    queue: ChunkQueue, hosts: AllowedHosts, limits: UploadLimits = UploadLimits(), clock: any Clock<Duration> = ContinuousClock(),
    wall: (@Sendable () -> Int64)? = nil, random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    (self.queue, self.hosts, self.limits, self.clock, roll) = (queue, hosts, limits, clock, random)
    var http = HTTPFetcher.Limits()
    http.silence = limits.silence
    http.whole = limits.wholeRequest
    post = ChunkPost(session: HTTPSession(limits: http), wall: wall ?? { Int64(time(nil)) })
    gate = UploadGate(limits.requestsAtOnce)
  }

  /// Uploads until the task is cancelled; a request that is under way is waited for then (`UploadLimits.lastAnswer`), and what was not answered is sent again
  /// at the next start.
  ///
  /// Lanes that an earlier run held are tried again. One run at a time for a queue.
  ///
  /// - Parameters:
  ///   - drained: return when every lane is empty or held, instead of waiting for further chunks.
  ///   - heard: called for everything that happens, from several tasks.
  public func run(until drained: Bool, heard: @escaping @Sendable (UploadEvent) async -> Void) async {
    let desk = UploadDesk()
    // Nothing is carried: it only says that it is worth looking again.
    let (signals, again) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    await queue.whenChunksCome { again.yield() }
    again.yield()
    await withDiscardingTaskGroup { group in
      var isTold = false
      for await _ in signals {
        guard let lanes = await waiting(desk) else { break }
        let started = desk.start(lanes)
        for track in started {
          group.addTask {
            await work(track, desk, heard)
            again.yield()
          }
        }
        if !started.isEmpty { isTold = false }
        guard started.isEmpty, desk.isIdle else { continue }
        if !isTold { await heard(.drained) }
        isTold = true
        if drained { break }
      }
      group.cancelAll()
    }
    await queue.whenChunksCome(nil)
    if let failure = desk.failure, !Task.isCancelled { await heard(.failed(failure)) }
  }

  /// The lanes with something to send; nil when the queue fails for good, or has failed.
  private func waiting(_ desk: UploadDesk) async -> [WaitingLane]? {
    while desk.failure == nil, !Task.isCancelled {
      do throws(ChunkQueueError) {
        return try await queue.waitingLanes()
      } catch {
        guard error.mayPass else {
          desk.fail(error)
          return nil
        }
        guard (try? await clock.sleep(for: limits.firstPause)) != nil else { return nil }
      }
    }
    return nil
  }

  private func work(_ track: UploadTrack, _ desk: UploadDesk, _ heard: @Sendable (UploadEvent) async -> Void) async {
    var course = desk.course(track) ?? UploadCourse(limits)
    while let lanes = await waiting(desk), let lane = desk.next(lanes, of: track) {
      var step = UploadStep(uploader: self, lane: lane, desk: desk, course: course)
      let isGoingOn = await step.run(heard)
      course = step.course
      guard isGoingOn else { break }
    }
    desk.end(track, course)
  }
}
