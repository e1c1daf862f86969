/// Errors of the enumeration group (10), smp.md §1.5.
public enum EnumerationError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case tooManyEntries
  case noHeap
  case indexTooLarge

  public var sentence: String {
    switch self {
    case .unknown: "the board cannot list its command groups and gives no reason"
    case .tooManyEntries: "more command groups were named than the board can list"
    case .noHeap: "the board has no memory left to list its command groups"
    case .indexTooLarge: "the board has no command group of this index"
    }
  }
}
