/// Why a Secure bootloader refused a request: the result, or the extended error behind it.
public enum SecureRefusal: Hashable, Sendable {
  case result(SecureResult)
  case extended(SecureExtendedError)
  /// An extended error without a byte that says which, or with one that the protocol does not know.
  case unknownExtended(UInt8?)
  case unknown(UInt8)

  /// Reads result and payload of a response; nil for success.
  public init?(result: UInt8, payload: some Collection<UInt8>) {
    switch SecureResult(rawValue: result) {
    case .success: return nil
    case .extendedError:
      self = payload.first.flatMap(SecureExtendedError.init).map(SecureRefusal.extended) ?? .unknownExtended(payload.first)
    case let known?: self = .result(known)
    case nil: self = .unknown(result)
    }
  }

  public var recovery: DFURecovery {
    switch self {
    case .result(let result): result.recovery ?? .gentler
    case .extended(let error): error.recovery
    case .unknownExtended, .unknown: .gentler
    }
  }

  /// What the board says, for an operator.
  public var sentence: String {
    switch self {
    case .result(let result): result.sentence
    case .extended(let error): error.sentence
    case .unknownExtended(let code?): "an error of the unknown kind \(code)"
    case .unknownExtended(nil): "an error of a kind that it does not name"
    case .unknown(let result): "the unknown result \(result)"
    }
  }
}
