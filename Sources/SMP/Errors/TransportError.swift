/// Errors of the transport group (11); the numbers between have no documented meaning yet; smp.md §1.5.
public enum TransportError: Int, SMPGroupCode, Hashable, CaseIterable {
  case invalidMode = 5
  case allContextsUsed = 6
  case notBridged = 8
  case connectParameterMissing = 14
  case connectParameterInvalid = 15
  case connectParameterUnsupported = 16
  case connectFailed = 17

  public var sentence: String {
    switch self {
    case .invalidMode: "the board's transport has no such mode"
    case .allContextsUsed: "all transports of the board are in use"
    case .notBridged: "the board is not connected to another transport"
    case .connectParameterMissing: "a parameter for connecting the board's transport is missing"
    case .connectParameterInvalid: "a parameter for connecting the board's transport is invalid"
    case .connectParameterUnsupported: "the board does not support a parameter for connecting its transport"
    case .connectFailed: "the board could not connect its transport"
    }
  }
}
