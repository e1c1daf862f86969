import Locks
import Synchronization

/// A clock that a test turns by hand: sleepers and scheduled calls happen when it passes their time, in order.
public final class ManualClock: Clock, Sendable {
  public struct Instant: InstantProtocol, Hashable, Sendable {
    public var sinceStart: Duration
    public func advanced(by duration: Duration) -> Self { Instant(sinceStart: sinceStart + duration) }
    public func duration(to other: Self) -> Duration { other.sinceStart - sinceStart }
    public static func < (left: Self, right: Self) -> Bool { left.sinceStart < right.sinceStart }
  }

  private enum Waiter {
    case sleeper(CheckedContinuation<Void, any Error>)
    case call(@Sendable () -> Void)
  }

  private struct State {
    var now = Duration.zero
    var lastID = 0
    var waiters: [Int: (time: Duration, waiter: Waiter)] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  public init() {}

  public var now: Instant { Instant(sinceStart: state.withLock { $0.now }) }
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The time of the next sleeper or call; nil when nobody waits.
  public var next: Duration? { state.withLock { $0.waiters.values.map(\.time).min() } }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          if deadline.sinceStart <= state.now { return .success(()) }
          state.waiters[id] = (deadline.sinceStart, .sleeper(continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)?.waiter
        if waiter == nil { state.cancelled.insert(id) }
        return waiter
      }
      if case .sleeper(let continuation)? = waiter { continuation.resume(throwing: CancellationError()) }
    }
  }

  /// Calls `body` when so much time has passed.
  public func schedule(after duration: Duration, _ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.lastID += 1
      state.waiters[state.lastID] = (state.now + duration, .call(body))
    }
  }

  /// Turns the clock, stopping at each waiter on the way.
  public func advance(by duration: Duration) {
    let end = now.sinceStart + duration
    while true {
      let due: Waiter? = state.withLock { state in
        guard let first = state.waiters.min(by: { ($0.value.time, $0.key) < ($1.value.time, $1.key) }), first.value.time <= end else {
          state.now = max(state.now, end)
          return nil
        }
        state.now = max(state.now, first.value.time)
        state.waiters[first.key] = nil
        return first.value.waiter
      }
      switch due {
      case .sleeper(let continuation)?: continuation.resume()
      case .call(let body)?: body()
      case nil: return
      }
    }
  }
}
