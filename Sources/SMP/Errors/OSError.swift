/// Errors of the OS group (0), smp.md §1.5.
public enum OSError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case invalidFormat
  case queryUnanswered
  case clockNotSet
  case clockFailed
  case queryValueInvalid

  public var sentence: String {
    switch self {
    case .unknown: "the board's system commands report an error without a reason"
    case .invalidFormat: "the board does not know the requested format"
    case .queryUnanswered: "the board's bootloader does not know this query"
    case .clockNotSet: "the board's clock has not been set"
    case .clockFailed: "the board's clock does not work"
    case .queryValueInvalid: "the board knows this query but has no valid answer to it"
    }
  }
}
