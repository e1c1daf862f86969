/// What a refusal means in the SUIT group, which answers with the protocol's own numbers (NCS documentation, device-manager.md §4.2).
public struct SUITRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public let error: SMPResponseError

  public init(_ error: SMPResponseError) {
    self.error = error
  }

  /// Whether the same request may be sent again: EUNKNOWN and EMSGSIZE, and what every server may answer when a request did not get through to the
  /// group. Everything else ends the installation.
  public var mayBeRetried: Bool {
    switch error {
    case .status(.unknown, _), .status(.messageTooLong, _), .status(.busy, _), .status(.timeout, _), .status(.corrupt, _): true
    default: false
    }
  }

  /// What the board says, for an operator.
  public var sentence: String {
    switch error {
    case .status(.unknown, _): "the board could not do it and gives no reason"
    case .status(.noMemory, _): "this part of the package is larger than the board's partition for it"
    case .status(.invalidValue, _): "the board finds the request empty or unreadable"
    case .status(.noEntry, _): "the board has no partition of this number"
    case .status(.badState, _): "the board is not ready for it: nothing is being transferred, or its partition is not prepared"
    case .status(.messageTooLong, _): "the request is too long for the board"
    case .status(.notSupported, _): "the board's firmware does not know this command"
    case .status(let status, _): status.sentence
    case .group(let group): group.sentence
    }
  }

  public var description: String {
    switch error {
    case .status(let status, nil): "\(sentence) (suit, rc \(status.code))"
    case .status(let status, let reason?): "\(sentence): \(reason) (suit, rc \(status.code))"
    case .group(let group): group.description
    }
  }
}
