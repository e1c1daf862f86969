import Catalogue
import FoundationEssentials
import Glibc
import Locks
import Synchronization

/// One request under way: what came so far, and the first thing that went wrong, which is what the caller hears.
final class Transfer: Sendable {
  fileprivate struct State {
    var answer: HTTPAnswer?
    var announced: Int?
    var redirects: Int
    var failure: FetchError?
    /// The body of this answer is nobody's business: the connection was given up on purpose.
    var isEnough = false
    /// No connection came about, so that nothing of the request is there.
    var isUnsent = false
  }

  private let request: HTTPRequest
  private let state: Locked<State>

  /// A file of the request's stays open until the outcome is known; it is closed by whoever opened it.
  init(_ request: HTTPRequest, redirects: Int) {
    self.request = request
    state = Locked(State(redirects: redirects))
  }

  /// Keeps the first failure.
  func fail(_ failure: FetchError) {
    state.withLock { state in if state.failure == nil { state.failure = failure } }
  }

  func noteUnsent() { state.withLock { $0.isUnsent = true } }

  var isUnsent: Bool { state.withLock { $0.isUnsent } }

  /// Whether the body is wanted, after status, header and length are known.
  ///
  /// - Parameter length: negative when the server does not say.
  func answered(_ answer: HTTPAnswer, length: Int64) -> Bool {
    state.withLock { state in
      state.answer = answer
      if case .nowhere = request.sink {
        state.isEnough = length > request.limit
        return !state.isEnough
      }
      guard request.wanted.contains(answer.status) else {
        state.isEnough = true
        return false
      }
      if length > request.limit, state.failure == nil { state.failure = .tooLarge(limit: request.limit) }
      if length >= 0 { state.announced = Int(length) }
      return state.failure == nil
    }
  }

  /// Whether an address that the server sends on to is followed.
  func redirected(to url: URL?) -> Bool {
    guard let url, request.follows(url), state.withLock({ $0.takeRedirect() }) else {
      fail(.redirected(to: url.map { Self.shown($0.absoluteString) } ?? "nowhere"))
      return false
    }
    return true
  }

  /// Whether more is wanted; what came is kept then.
  func received(_ data: Data) -> Bool {
    let isWanted = state.withLock { state in
      guard state.failure == nil, !state.isEnough else { return false }
      state.answer?.received += data.count
      if case .nowhere = request.sink {
        state.isEnough = state.answer?.received ?? 0 > request.limit
        return !state.isEnough
      }
      if state.answer?.received ?? 0 > request.limit { state.failure = .tooLarge(limit: request.limit) }
      guard state.failure == nil else { return false }
      if case .memory = request.sink { state.answer?.body += data }
      return true
    }
    guard isWanted else { return false }
    guard case .file(let descriptor) = request.sink else { return true }
    return write(data, to: descriptor)
  }

  private func write(_ data: Data, to descriptor: Int32) -> Bool {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        fail(.cannotWrite(String(cString: strerror(errno))))
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The end, as URLSession sees it; an own failure outranks its error.
  func outcome(_ error: FetchError?) -> Result<HTTPAnswer, FetchError> {
    state.withLock { state in
      // What the server said stands, also when the rest of its answer did not come.
      if case .nowhere = request.sink, let answer = state.answer { return .success(answer) }
      if let failure = state.failure { return .failure(failure) }
      if let answer = state.answer, state.isEnough { return .success(answer) }
      if let error { return .failure(error) }
      guard let answer = state.answer else { return .failure(.unreachable("no answer came")) }
      if let announced = state.announced, announced != answer.received {
        return .failure(.truncated(bytes: answer.received, announced: announced))
      }
      return .success(answer)
    }
  }

  /// An address from a server, on one line and harmless on a terminal.
  private static func shown(_ address: String) -> String {
    String(address.unicodeScalars.prefix(200).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" })
  }
}

extension Transfer.State {
  fileprivate mutating func takeRedirect() -> Bool {
    redirects -= 1
    return redirects >= 0
  }
}
