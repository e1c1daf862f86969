/// Continuous time whose sleepers wait for a reactor's timers.
///
/// A task on the reactor's thread that sleeps by it never leaves that thread; `ContinuousClock` would wake it by way of two threads of Dispatch.
public struct ReactorClock: Clock {
  private let reactor: Reactor

  public init(on reactor: Reactor) {
    self.reactor = reactor
  }

  public var now: ContinuousClock.Instant { .now }

  /// The reactor counts in whole milliseconds, rounded up.
  public var minimumResolution: Duration { .milliseconds(1) }

  /// Returns at `deadline` or up to a millisecond later; throws `CancellationError` when the task is cancelled first.
  public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    await reactor.sleep(deadline - now)
    try Task.checkCancellation()
  }
}
