import Locks
import Synchronization

/// Hands the operator's wishes (pause, drain, stop) on to whoever does the work, also when a wish comes first.
final class StopSwitch: Sendable {
  /// What whoever works does about a wish; all return at once.
  struct Work: Sendable {
    var pause: @Sendable () -> Void = {}
    var resume: @Sendable () -> Void = {}
    var drain: @Sendable () -> Void
    var stop: @Sendable () -> Void
  }

  private struct State {
    var isPaused = false
    var isDraining = false
    var isStopping = false
    var work: Work?
  }

  private let state = Locked(State())

  /// Whether a stop was asked for.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether an end was asked for, sooner or later.
  var isEnding: Bool { state.withLock { $0.isStopping || $0.isDraining } }

  /// Says what to do; what was asked for before happens now.
  func connect(_ work: Work) {
    let (pauses, drains, stops) = state.withLock { state in
      state.work = work
      return (state.isPaused, state.isDraining, state.isStopping)
    }
    if pauses { work.pause() }
    if drains { work.drain() }
    if stops { work.stop() }
  }

  func pause() {
    wish { $0.isPaused = true }?.pause()
  }

  func resume() {
    wish { $0.isPaused = false }?.resume()
  }

  func drain() {
    wish {
      $0.isDraining = true
      $0.isPaused = false
    }?.drain()
  }

  func stop() {
    wish {
      $0.isStopping = true
      $0.isPaused = false
    }?.stop()
  }

  private func wish(_ change: (inout State) -> Void) -> Work? {
    state.withLock { state in
      change(&state)
      return state.work
    }
  }
}
