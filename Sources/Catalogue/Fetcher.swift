public import FoundationEssentials

/// Brings what an address names into a file: the port behind which files and the network are alike.
public protocol Fetcher: Sendable {
  /// Writes what `url` names to a new file, which must not exist. What is left there after an error is of no use.
  ///
  /// - Parameters:
  ///   - url: a file, or an https address.
  ///   - path: where to write. The name comes from the caller and never from the server.
  ///   - limit: most bytes; more is an error, found out before the disk fills.
  /// - Returns: how many bytes were written.
  func fetch(_ url: URL, to path: String, limit: Int) async throws(FetchError) -> Int
}

/// Why something could not be fetched: classes that call for different remedies.
public enum FetchError: Error, Hashable, Sendable {
  /// Nothing is there (404, 410, or no such file).
  case notFound
  /// It is there, but not for us (401, 403, 407, or no permission).
  case notAllowed(status: Int?)
  /// The server wants to be left alone for a while (429, 503).
  case busy(status: Int)
  /// The server failed (other 5xx).
  case serverFailed(status: Int)
  /// Any other status than 200.
  case unexpected(status: Int)
  /// Sent on to an address that is not https, or in a circle.
  case redirected(to: String)
  case tooLarge(limit: Int)
  /// Fewer bytes came than were announced.
  case truncated(bytes: Int, announced: Int)
  /// Nothing came for too long, or the whole took too long.
  case timeout
  /// No network, no such host, nobody listens, the connection broke; or a fault of TLS that URLSession has no code for.
  case unreachable(String)
  /// The server could not prove who it is.
  case untrusted(String)
  case badAddress
  case cannotRead(String)
  case cannotWrite(String)
  case cancelled

  /// Whether the next address on the same server will hardly do better.
  public var isLasting: Bool {
    switch self {
    case .busy, .timeout, .unreachable, .untrusted, .cannotWrite: true
    default: false
    }
  }
}

extension FetchError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .notFound: "nothing is there: check the address or path"
    case .notAllowed(let status?): "the server does not give it to us (status \(status)): check with whoever runs the server"
    case .notAllowed(nil): "the file may not be read: check its permissions"
    case .busy(let status): "the server asks for a pause (status \(status)): try again later"
    case .serverFailed(let status): "the server failed (status \(status)): try again later, or tell whoever runs it"
    case .unexpected(let status): "the server answered with status \(status): check the address"
    case .redirected(let address): "the server sends on to \(address), which is not followed: only https is, a few times; name the final address"
    case .tooLarge(let limit): "it has more than \(limit) bytes: check the address"
    case .truncated(let bytes, let announced): "only \(bytes) of \(announced) bytes came: try again"
    case .timeout: "it took too long: check the network and try again"
    case .unreachable(let reason):
      "the server cannot be reached (\(reason)): check the network, the name and the proxy; where it speaks of a certificate, "
        + "the clock, and its authority (update-ca-certificates)"
    case .untrusted(let reason): "the server's certificate is not trusted (\(reason)): check the clock, and install its authority with update-ca-certificates"
    case .badAddress: "this is no address that is fetched: write https://… or a file"
    case .cannotRead(let reason): "it cannot be read (\(reason)): check the disk"
    case .cannotWrite(let reason): "it cannot be written (\(reason)): check the disk and the permissions"
    case .cancelled: "stopped: run it again"
    }
  }
}
