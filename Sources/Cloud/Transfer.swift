import Catalogue
import FoundationEssentials
import Glibc
import Locks
import Synchronization

/// One fetch under way: what came so far, and the first thing that went wrong, which is what the caller hears.
final class Transfer: Sendable {
  fileprivate struct State {
    var received = 0
    var announced: Int?
    var redirects: Int
    var failure: FetchError?
  }

  private let descriptor: Int32
  private let limit: Int
  private let state: Locked<State>

  /// - Parameter descriptor: stays open until the outcome is known; closed by whoever opened it.
  init(descriptor: Int32, limit: Int, redirects: Int) {
    self.descriptor = descriptor
    self.limit = limit
    state = Locked(State(redirects: redirects))
  }

  /// Keeps the first failure.
  func fail(_ failure: FetchError) {
    state.withLock { state in if state.failure == nil { state.failure = failure } }
  }

  /// Whether the body is wanted, after status and length are known.
  ///
  /// - Parameter length: negative when the server does not say.
  func answered(status: Int, length: Int64) -> Bool {
    if let failure = Self.failure(status: status) { fail(failure) } else if length > limit { fail(.tooLarge(limit: limit)) }
    return state.withLock { state in
      if length >= 0 { state.announced = Int(length) }
      return state.failure == nil
    }
  }

  /// Whether an address that the server sends on to is followed.
  func redirected(to url: URL?) -> Bool {
    guard let url, url.scheme?.lowercased() == "https", state.withLock({ $0.takeRedirect() }) else {
      fail(.redirected(to: url.map { Self.shown($0.absoluteString) } ?? "nowhere"))
      return false
    }
    return true
  }

  /// Whether more is wanted; what came is in the file then.
  func received(_ data: Data) -> Bool {
    let isWanted = state.withLock { state in
      guard state.failure == nil else { return false }
      state.received += data.count
      if state.received > limit { state.failure = .tooLarge(limit: limit) }
      return state.failure == nil
    }
    guard isWanted else { return false }
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
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
  func outcome(_ error: FetchError?) -> Result<Int, FetchError> {
    state.withLock { state in
      if let failure = state.failure ?? error { return .failure(failure) }
      if let announced = state.announced, announced != state.received { return .failure(.truncated(bytes: state.received, announced: announced)) }
      return .success(state.received)
    }
  }

  /// RFC 9110, 15, by who has to act.
  static func failure(status: Int) -> FetchError? {
    switch status {
    case 200: nil
    case 404, 410: .notFound
    case 401, 403, 407, 451: .notAllowed(status: status)
    case 429, 503: .busy(status: status)
    case 500...599: .serverFailed(status: status)
    default: .unexpected(status: status)
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
