/// Errors of Zephyr's basic group (63), smp.md §1.5.
public enum ZephyrBasicError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case flashOpen
  case flashConfigurationQuery
  case eraseFailed

  public var sentence: String {
    switch self {
    case .unknown: "the board reports an error without a reason while erasing its settings"
    case .flashOpen: "the board cannot open the flash of its settings"
    case .flashConfigurationQuery: "the board cannot read the flash layout of its settings"
    case .eraseFailed: "the board cannot erase its settings"
    }
  }
}
