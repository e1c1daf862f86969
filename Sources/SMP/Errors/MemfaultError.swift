/// Errors of Memfault's group (128), smp.md §1.5.
public enum MemfaultError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case noProjectKey

  public var sentence: String {
    switch self {
    case .unknown: "the board's diagnostics report an error without a reason"
    case .noProjectKey: "the board has no project key for its diagnostics"
    }
  }
}
