public import Bluetooth
public import SMP

/// Why an `SMPClient` could not do what it was asked.
public enum SMPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The board was not heard for so long.
  case notHeard(Duration)
  /// What the Bluetooth stack said: no link, no such service, no pairing, or no adapter any more.
  case link(CentralError)
  /// The link ended while something was asked.
  case linkLost
  /// No answer within the limit.
  case silent(Duration)
  /// The board refused, with a name in its group's list or the protocol's.
  case refused(SMPResponseError)
  /// The board's answer cannot be understood.
  case malformed(String)
  /// The request has more bytes than the board's buffer or the link takes; nothing was sent.
  case requestTooLong(size: Int, limit: Int)
  /// A file did not get through.
  case file(FileTransferFailure)

  public var description: String {
    switch self {
    case .notHeard(let limit): "the board was not heard for \(limit.words)"
    case .link(let error): Self.words(of: error)
    case .linkLost: "the link to the board was lost"
    case .silent(let limit): "the board did not answer within \(limit.words)"
    case .refused(let error): error.description
    case .malformed(let words): words
    case .requestTooLong(let size, let limit): "the request has \(size) bytes, and the board takes \(limit)"
    case .file(let failure): failure.description
    }
  }

  /// The refusal that is behind it, also behind a file that did not get through.
  public var refusal: SMPResponseError? {
    switch self {
    case .refused(let error), .file(.refused(let error, _)): error
    default: nil
    }
  }

  private static func words(of error: CentralError) -> String {
    switch SessionError.of(error, in: .connect) {
    case .board(let failure): failure.message
    case .station(_, _, let words): words
    case .stopped, .pausedTooLong: "stopped"
    }
  }

  init(_ failure: SMPSession.Failure, after limit: Duration) {
    switch failure {
    case .linkLost: self = .linkLost
    case .timedOut: self = .silent(limit)
    case .refused(let error): self = .refused(error)
    case .malformed(let words): self = .malformed(words)
    }
  }
}
