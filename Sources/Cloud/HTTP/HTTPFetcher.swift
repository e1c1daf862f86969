public import Catalogue
public import FoundationEssentials
import Glibc

/// Fetches https addresses into files, with URLSession.
public final class HTTPFetcher: Fetcher {
  /// How long and how far a fetch goes.
  public struct Limits: Hashable, Sendable {
    /// Without a byte from the server.
    public var silence = Duration.seconds(30)
    /// One whole fetch: 32 MiB over a slow line.
    public var whole = Duration.seconds(600)
    /// Times that a server may send on to another address.
    public var redirects = 5

    public init() {}
  }

  private let session: HTTPSession

  public init(limits: Limits = Limits()) {
    session = HTTPSession(limits: limits)
  }

  public func fetch(_ url: URL, to path: String, limit: Int) async throws(FetchError) -> Int {
    guard NetworkAddress(url) != nil else { throw .badAddress }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotWrite(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    let answer = try await session.send(
      HTTPRequest(url: url, sink: .file(descriptor), limit: limit, follows: { $0.scheme?.lowercased() == "https" }))
    if let failure = Self.failure(status: answer.status) { throw failure }
    return answer.received
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
}
