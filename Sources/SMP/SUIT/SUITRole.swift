/// What a SUIT manifest of a board is for (device-manager.md §4.2).
public struct SUITRole: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static let topSecure = SUITRole(rawValue: 0x10)
  public static let secureDomain = SUITRole(rawValue: 0x11)
  public static let systemController = SUITRole(rawValue: 0x12)
  /// The root of the application's firmware: what an update of an application installs.
  public static let applicationRoot = SUITRole(rawValue: 0x20)
  public static let applicationRecovery = SUITRole(rawValue: 0x21)
  public static let applicationLocal1 = SUITRole(rawValue: 0x22)
  public static let applicationLocal2 = SUITRole(rawValue: 0x23)
  public static let applicationLocal3 = SUITRole(rawValue: 0x24)
  public static let radioRecovery = SUITRole(rawValue: 0x30)
  public static let radioLocal1 = SUITRole(rawValue: 0x31)
  public static let radioLocal2 = SUITRole(rawValue: 0x32)

  /// A word for messages; `role 77` for one without a name.
  public var description: String {
    switch self {
    case .topSecure: "secure top"
    case .secureDomain: "secure domain"
    case .systemController: "system controller"
    case .applicationRoot: "application root"
    case .applicationRecovery: "application recovery"
    case .applicationLocal1: "application local 1"
    case .applicationLocal2: "application local 2"
    case .applicationLocal3: "application local 3"
    case .radioRecovery: "radio recovery"
    case .radioLocal1: "radio local 1"
    case .radioLocal2: "radio local 2"
    default: "role \(rawValue)"
    }
  }
}
