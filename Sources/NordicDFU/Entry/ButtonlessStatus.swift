/// The status in an indication of a secure buttonless characteristic (nordic-dfu.md §3.2).
public enum ButtonlessStatus: UInt8, Hashable, Sendable, CaseIterable {
  case success = 1
  case notSupported = 2
  case operationFailed = 4
  case invalidName = 5
  case busy = 6
  case notBonded = 7

  /// What the board says, for an operator.
  public var sentence: String {
    switch self {
    case .success: "done"
    case .notSupported: "the request is not supported"
    case .operationFailed: "the operation failed"
    case .invalidName: "the advertising name is not valid"
    case .busy: "the board is busy"
    case .notBonded: "the board is not bonded to this station"
    }
  }

  /// True when the same request may end well later.
  public var isTransient: Bool { self == .busy || self == .operationFailed }
}
