import Locks
import SMP
import Synchronization

/// Where each request of a link is: on its way, awaited, or over before anybody asked.
///
/// Behind a lock, so that a cancellation ends a wait at once, on whatever thread it comes.
final class Exchanges: Sendable {
  fileprivate enum State {
    case posted
    case awaited(CheckedContinuation<SMPFrame, any Error>)
    case over(Result<SMPFrame, any Error>)
  }

  private let states = Locked<[RequestID: State]>([:])

  /// Enters a request whose answer somebody is going to wait for.
  func post(_ id: RequestID) { states.withLock { $0[id] = .posted } }

  /// Ends an exchange; nothing happens when it is over already.
  func settle(_ id: RequestID, _ result: Result<SMPFrame, any Error>) {
    let waiter = states.withLock { $0.settle(id, result) }
    waiter?.resume(with: result)
  }

  /// Ends all exchanges.
  func settleAll(_ error: any Error) {
    let waiters = states.withLock { states in states.keys.compactMap { states.settle($0, .failure(error)) } }
    for waiter in waiters { waiter.resume(throwing: error) }
  }

  /// Waits for the end of a posted exchange; to be called once. Throws what it was settled with, or `CancellationError`.
  func answer(to id: RequestID) async throws -> SMPFrame {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let over = states.withLock { $0.wait(id, waiter) }
        if let over { waiter.resume(with: over) }
      }
    } onCancel: {
      settle(id, .failure(CancellationError()))
    }
  }
}

extension [RequestID: Exchanges.State] {
  /// Who is to be told.
  fileprivate mutating func settle(_ id: RequestID, _ result: Result<SMPFrame, any Error>) -> CheckedContinuation<SMPFrame, any Error>? {
    switch self[id] {
    case .awaited(let waiter)?:
      self[id] = nil
      return waiter
    case .posted?:
      self[id] = .over(result)
      return nil
    case .over?, nil: return nil
    }
  }

  /// What it was settled with before anybody asked.
  fileprivate mutating func wait(_ id: RequestID, _ waiter: CheckedContinuation<SMPFrame, any Error>) -> Result<SMPFrame, any Error>? {
    guard case .over(let result)? = self[id] else {
      self[id] = .awaited(waiter)
      return nil
    }
    self[id] = nil
    return result
  }
}
