/// What a frame asks or answers (bits 2…0 of the first header byte, smp.md §1.1).
public enum SMPOperation: UInt8, Hashable, Sendable, CaseIterable {
  case read = 0
  case readResponse = 1
  case write = 2
  case writeResponse = 3

  public var isResponse: Bool { self == .readResponse || self == .writeResponse }

  /// The operation that answers this one; an answer has none.
  public var response: SMPOperation? {
    switch self {
    case .read: .readResponse
    case .write: .writeResponse
    case .readResponse, .writeResponse: nil
    }
  }
}
