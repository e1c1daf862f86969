/// Why a board's data URI and authorization are not taken. No case carries anything of the authorization, which may be a key wherever it stands.
public enum DestinationRefusal: Error, Hashable, Sendable {
  case uriMissing
  case uriTooLong(limit: Int)
  /// Bytes that no address has: control characters, spaces, what is no ASCII.
  case uriUnreadable
  /// No `https://HOST/…`.
  case uriMalformed
  /// User or password in the address.
  case uriHasUser
  /// The key stands in the address, which is no secret.
  case uriHasKey
  /// http without TLS, to another computer.
  case notEncrypted(host: String)
  case hostNotAllowed(String)
  case authorizationMissing
  case authorizationTooLong(limit: Int)
  case authorizationUnreadable
  /// No `NAME:KEY`.
  case authorizationMalformed
  /// A header field that the station does not send.
  case headerNotAllowed
  /// Nothing that can be a key.
  case keyUnusable
}

extension DestinationRefusal: CustomStringConvertible {
  /// What happened and what to do about it, on one line and without a secret.
  public var description: String {
    let firmware = "correct the firmware's diagnostics settings"
    return switch self {
    case .uriMissing: "the board names no address for its diagnostics: \(firmware)"
    case .uriTooLong(let limit): "the board's address for diagnostics is longer than \(limit) bytes: \(firmware)"
    case .uriUnreadable: "the board's address for diagnostics has bytes that no address has: \(firmware)"
    case .uriMalformed: "the board's address for diagnostics is no https://HOST/PATH: \(firmware)"
    case .uriHasUser: "the board's address for diagnostics has a user name or password in it, which is never followed: \(firmware)"
    case .uriHasKey: "the board's address for diagnostics has the project key in it, which belongs into the authorization: \(firmware)"
    case .notEncrypted(let host): "the board wants its diagnostics sent to \(host) without encryption: give it an https address"
    case .hostNotAllowed(let host):
      "the board wants its diagnostics sent to \(host), which is not on the list of hosts that this station speaks to: add it to [cloud] allowed_hosts, if it is meant"
    case .authorizationMissing: "the board names no project key for its diagnostics: \(firmware)"
    case .authorizationTooLong(let limit): "the board's authorization is longer than \(limit) bytes: \(firmware)"
    case .authorizationUnreadable: "the board's authorization has bytes that no header field has: \(firmware)"
    case .authorizationMalformed: "the board's authorization is no NAME:KEY: \(firmware)"
    case .headerNotAllowed: "the board wants a header field sent that is none of \(ChunkDestination.headerNames.joined(separator: ", ")): \(firmware)"
    case .keyUnusable: "the board's project key is empty, longer than \(ChunkDestination.longestKey) bytes or has bytes that no key has: \(firmware)"
    }
  }
}
