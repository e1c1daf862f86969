import Locks
import Synchronization

/// Between the task that hears a board and the one that takes its chunks: holds their `StreamFlow`, and wakes the one that waits.
final class StreamDesk: Sendable {
  private struct State {
    var flow: StreamFlow
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Locked<State>

  init(high: Int, low: Int) {
    state = Locked(State(flow: StreamFlow(high: high, low: low)))
  }

  var isStopping: Bool { state.withLock { $0.flow.isStopping } }
  var arrivals: Int { state.withLock { $0.flow.arrivals } }

  /// Changes the flow; whoever waits looks again.
  @discardableResult
  func change<Result: Sendable>(_ body: @Sendable (inout StreamFlow) -> Result) -> Result {
    let (result, waiter) = state.withLock { state in
      defer { state.waiter = nil }
      return (body(&state.flow), state.waiter)
    }
    waiter?.resume()
    return result
  }

  /// The next thing to do; never `wait`. One caller.
  func next() async -> StreamFlow.Next {
    while true {
      let next = state.withLock { $0.flow.next() }
      if next != .wait { return next }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          // Something may have come since the look above; it is found by looking again.
          if state.flow.hasNews { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}
