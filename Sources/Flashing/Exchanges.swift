import Locks
import SMP
import Synchronization

/// How each request of a link ends: somebody is told, once, also when it was over before anybody asked.
///
/// Behind a lock, so that a cancellation ends an exchange at once, on whatever thread it comes.
final class Exchanges: Sendable {
  typealias Reply = @Sendable (Result<SMPFrame, any Error>) -> Void

  fileprivate enum State {
    case open
    case awaited(Reply)
    case over(Result<SMPFrame, any Error>)
  }

  private let states = Locked<[RequestID: State]>([:])

  /// Enters a request whose end somebody is going to ask for.
  func open(_ id: RequestID) { states.withLock { $0[id] = .open } }

  /// Asks for the end of an open exchange; to be called once.
  func whenOver(_ id: RequestID, _ reply: @escaping Reply) {
    let over = states.withLock { $0.wait(id, reply) }
    if let over { reply(over) }
  }

  /// Ends an exchange; nothing happens when it is over already.
  func settle(_ id: RequestID, _ result: Result<SMPFrame, any Error>) {
    let reply = states.withLock { $0.settle(id, result) }
    reply?(result)
  }

  /// Ends all exchanges.
  func settleAll(_ error: any Error) {
    let replies = states.withLock { states in states.keys.compactMap { states.settle($0, .failure(error)) } }
    for reply in replies { reply(.failure(error)) }
  }
}

extension [RequestID: Exchanges.State] {
  /// Who is to be told.
  fileprivate mutating func settle(_ id: RequestID, _ result: Result<SMPFrame, any Error>) -> Exchanges.Reply? {
    switch self[id] {
    case .awaited(let reply)?:
      self[id] = nil
      return reply
    case .open?:
      self[id] = .over(result)
      return nil
    case .over?, nil: return nil
    }
  }

  /// What it was settled with before anybody asked.
  fileprivate mutating func wait(_ id: RequestID, _ reply: @escaping Exchanges.Reply) -> Result<SMPFrame, any Error>? {
    guard case .over(let result)? = self[id] else {
      self[id] = .awaited(reply)
      return nil
    }
    self[id] = nil
    return result
  }
}
