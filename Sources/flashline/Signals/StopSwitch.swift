import Locks
import Synchronization

/// Hands the operator's wish to end on to whoever does the work, also when the wish comes first.
final class StopSwitch: Sendable {
  private struct State {
    var isDraining = false
    var isStopping = false
    var drain: (@Sendable () -> Void)?
    var stop: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Whether a stop was asked for.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether either was asked for.
  var isEnding: Bool { state.withLock { $0.isStopping || $0.isDraining } }

  /// Says what to do; what was asked for before happens now. Both must return at once.
  func connect(drain: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void) {
    let (drains, stops) = state.withLock { state in
      state.drain = drain
      state.stop = stop
      return (state.isDraining, state.isStopping)
    }
    if drains { drain() }
    if stops { stop() }
  }

  func drain() {
    let action = state.withLock { state in
      state.isDraining = true
      return state.drain
    }
    action?()
  }

  func stop() {
    let action = state.withLock { state in
      state.isStopping = true
      return state.stop
    }
    action?()
  }
}
