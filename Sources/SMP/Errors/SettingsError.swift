/// Errors of the settings group (3), smp.md §1.5.
public enum SettingsError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case keyTooLong
  case keyNotFound
  case readNotSupported
  case rootKeyNotFound
  case writeNotSupported
  case deleteNotSupported

  public var sentence: String {
    switch self {
    case .unknown: "the board's settings report an error without a reason"
    case .keyTooLong: "the name of the setting is too long"
    case .keyNotFound: "the board has no setting of this name"
    case .readNotSupported: "this setting cannot be read"
    case .rootKeyNotFound: "the board has no settings under this name"
    case .writeNotSupported: "this setting cannot be written"
    case .deleteNotSupported: "this setting cannot be deleted"
    }
  }
}
