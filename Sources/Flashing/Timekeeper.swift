/// Time as the middle sees it: a monotonic clock for durations and limits, and the wall clock for records.
///
/// Made from any clock, so that a test turns it by hand. That of a session stands still in a pause (`SessionControl.time`).
public struct Timekeeper: Sendable {
  /// Time since an arbitrary start; never goes back, whatever happens to the wall clock.
  public let now: @Sendable () -> Duration
  /// Milliseconds since 1970-01-01T00:00:00Z, as the machine believes.
  public let wall: @Sendable () -> Int64
  /// Returns when time goes on: at once, but for a time that stands still in a pause. Throws `CancellationError` when the work is given up.
  public let passage: @Sendable () async throws -> Void
  private let wait: @Sendable (Duration) async throws -> Void

  public init<C: Clock<Duration>>(_ clock: C, wall: @escaping @Sendable () -> Int64) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    self.wall = wall
    passage = { try Task.checkCancellation() }
    wait = { try await clock.sleep(for: $0) }
  }

  init(
    now: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Int64, wait: @escaping @Sendable (Duration) async throws -> Void,
    passage: @escaping @Sendable () async throws -> Void
  ) {
    self.now = now
    self.wall = wall
    self.wait = wait
    self.passage = passage
  }

  /// Returns after `duration`; throws `CancellationError` when the task is cancelled first.
  public func sleep(_ duration: Duration) async throws {
    try await wait(duration)
  }
}
