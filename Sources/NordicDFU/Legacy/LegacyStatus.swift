/// The status in an answer of Legacy DFU (nordic-dfu.md §2.3).
public enum LegacyStatus: UInt8, Hashable, Sendable, CaseIterable {
  case success = 1
  case invalidState = 2
  case notSupported = 3
  case sizeExceedsLimit = 4
  case checksumError = 5
  /// Also the answer to a wrong board or SoftDevice (for the init packet), and to a full buffer (for the image).
  case operationFailed = 6

  /// What the board says, for an operator.
  public var sentence: String {
    switch self {
    case .success: "done"
    case .invalidState: "the request does not fit its state"
    case .notSupported: "it is not supported"
    case .sizeExceedsLimit: "the size exceeds the board's limit"
    case .checksumError: "the checksum is wrong"
    case .operationFailed: "the operation failed"
    }
  }
}
