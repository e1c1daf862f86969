/// The status in an answer of Legacy DFU (nordic-dfu.md §2.3).
public enum LegacyStatus: UInt8, Hashable, Sendable, CaseIterable {
  case success = 1
  case invalidState = 2
  case notSupported = 3
  case sizeExceedsLimit = 4
  case checksumError = 5
  /// Also the answer to a wrong board or SoftDevice (for the init packet), and to a full buffer (for the image).
  case operationFailed = 6
}
