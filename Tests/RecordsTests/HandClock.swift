import Locks
import Synchronization

/// A clock that a test turns by hand; who sleeps is woken when the hand passes his time.
final class HandClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var lastID = 0
    var sleepers: [Int: (until: Instant, wake: CheckedContinuation<Void, Never>)] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(hasSleepers: Bool, wake: CheckedContinuation<Void, Never>)] = []

    /// Takes out those who wait for what is now so.
    mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
      let hasSleepers = !sleepers.isEmpty
      defer { watchers.removeAll { $0.hasSleepers == hasSleepers } }
      return watchers.filter { $0.hasSleepers == hasSleepers }.map(\.wake)
    }
  }

  private let state = Locked(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let wakes: [CheckedContinuation<Void, Never>] = state.withLock { state in
          if state.cancelled.remove(id) != nil { return [continuation] }
          state.sleepers[id] = (deadline, continuation)
          return state.takeWatchers()
        }
        for wake in wakes { wake.resume() }
      }
    } onCancel: {
      let wakes: [CheckedContinuation<Void, Never>] = state.withLock { state in
        guard let sleeper = state.sleepers.removeValue(forKey: id) else {
          state.cancelled.insert(id)
          return []
        }
        return [sleeper.wake] + state.takeWatchers()
      }
      for wake in wakes { wake.resume() }
    }
    try Task.checkCancellation()
  }

  /// Returns when somebody sleeps.
  func untilSomebodySleeps() async { await until(hasSleepers: true) }

  /// Returns when nobody sleeps any more.
  func untilNobodySleeps() async { await until(hasSleepers: false) }

  private func until(hasSleepers: Bool) async {
    await withCheckedContinuation { continuation in
      let isSo = state.withLock { state in
        guard state.sleepers.isEmpty == hasSleepers else { return true }
        state.watchers.append((hasSleepers, continuation))
        return false
      }
      if isSo { continuation.resume() }
    }
  }

  func turn(by duration: Duration) {
    let wakes = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.until < $1.until }.map(\.wake) + state.takeWatchers()
    }
    for wake in wakes { wake.resume() }
  }
}
