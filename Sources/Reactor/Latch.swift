import Locks
import Synchronization

/// Opened once; everybody who waits for it then goes on, and nobody waits any more.
public final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())

  public init() {}

  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens it; safe to repeat.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Returns when the latch is open, or at once when the task is cancelled.
  public func wait() async {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goOn = state.withLock { state in
          // A cancellation that came before this point found nobody waiting.
          if state.isOpen || Task.isCancelled { return true }
          state.waiting[id] = continuation
          return false
        }
        if goOn { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
      waiting?.resume()
    }
  }
}
