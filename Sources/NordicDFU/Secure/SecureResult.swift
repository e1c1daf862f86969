/// The result in a response of Secure DFU (nordic-dfu.md §3.3).
public enum SecureResult: UInt8, Hashable, Sendable, CaseIterable {
  case invalidOpCode = 0x00
  case success = 0x01
  case opCodeNotSupported = 0x02
  case invalidParameter = 0x03
  case insufficientResources = 0x04
  /// The init packet does not fit the board, its signature is wrong, or it cannot be read.
  case invalidObject = 0x05
  case signatureMismatch = 0x06
  case unsupportedType = 0x07
  case operationNotPermitted = 0x08
  case operationFailed = 0x0A
  /// The next byte says why: `SecureExtendedError`.
  case extendedError = 0x0B

  /// What may follow; nil for success, and for an extended error, which has its own.
  public var recovery: DFURecovery? {
    switch self {
    case .success, .extendedError: nil
    case .invalidOpCode, .opCodeNotSupported, .unsupportedType: .never
    case .invalidParameter, .insufficientResources, .invalidObject, .signatureMismatch: .package
    case .operationNotPermitted, .operationFailed: .gentler
    }
  }

  /// What the board says, for an operator.
  public var sentence: String {
    switch self {
    case .invalidOpCode: "the request is not valid"
    case .success: "done"
    case .opCodeNotSupported: "the request is not supported"
    case .invalidParameter: "a parameter is missing or wrong"
    case .insufficientResources: "the board has not enough memory for the object"
    case .invalidObject: "the init packet does not match the board, or its signature is wrong"
    case .signatureMismatch: "the signature does not match"
    case .unsupportedType: "the object's type is not supported"
    case .operationNotPermitted: "the request is not permitted in this state"
    case .operationFailed: "the operation failed"
    case .extendedError: "an error with a reason of its own"
    }
  }
}
