/// Errors of the statistics group (2), smp.md §1.5.
public enum StatisticsError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case groupNotFound
  case nameNotFound
  case sizeNotHandled
  case walkAborted

  public var sentence: String {
    switch self {
    case .unknown: "the board's statistics report an error without a reason"
    case .groupNotFound: "the board has no such group of statistics"
    case .nameNotFound: "the board has no statistic of this name"
    case .sizeNotHandled: "the board cannot report a statistic of this size"
    case .walkAborted: "the board stopped in the middle of its statistics"
    }
  }
}
