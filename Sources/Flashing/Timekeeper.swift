/// Time as the middle sees it: a monotonic clock for durations and limits, and the wall clock for records.
///
/// Made from any clock, so that a test turns it by hand.
public struct Timekeeper: Sendable {
  /// Time since an arbitrary start; never goes back, whatever happens to the wall clock.
  public let now: @Sendable () -> Duration
  /// Milliseconds since 1970-01-01T00:00:00Z, as the machine believes.
  public let wall: @Sendable () -> Int64
  private let wait: @Sendable (Duration) async throws -> Void

  public init<C: Clock<Duration>>(_ clock: C, wall: @escaping @Sendable () -> Int64) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    self.wall = wall
    wait = { try await clock.sleep(for: $0) }
  }

  /// Returns after `duration`; throws `CancellationError` when the task is cancelled first.
  public func sleep(_ duration: Duration) async throws {
    try await wait(duration)
  }
}
