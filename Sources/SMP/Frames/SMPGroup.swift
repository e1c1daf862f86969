/// A command group of the Simple Management Protocol (smp.md §1.4).
public struct SMPGroup: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public static let os = SMPGroup(rawValue: 0)
  public static let image = SMPGroup(rawValue: 1)
  public static let statistics = SMPGroup(rawValue: 2)
  public static let settings = SMPGroup(rawValue: 3)
  /// Mynewt's; Zephyr leaves the number unused.
  public static let logs = SMPGroup(rawValue: 4)
  /// Mynewt's. Zephyr's header has 5 for crash and 7 for run, its page the other way round, and its code neither.
  public static let crash = SMPGroup(rawValue: 5)
  public static let run = SMPGroup(rawValue: 7)
  public static let fileSystem = SMPGroup(rawValue: 8)
  public static let shell = SMPGroup(rawValue: 9)
  public static let enumeration = SMPGroup(rawValue: 10)
  public static let transport = SMPGroup(rawValue: 11)
  public static let zephyrBasic = SMPGroup(rawValue: 63)
  public static let suit = SMPGroup(rawValue: 66)
  public static let memfault = SMPGroup(rawValue: 128)

  /// A word for messages; `group 77` for one without a name.
  public var description: String {
    switch self {
    case .os: "os"
    case .image: "image"
    case .statistics: "stat"
    case .settings: "settings"
    case .logs: "log"
    case .crash: "crash"
    case .run: "run"
    case .fileSystem: "fs"
    case .shell: "shell"
    case .enumeration: "enum"
    case .transport: "transport"
    case .zephyrBasic: "zephyr basic"
    case .suit: "suit"
    case .memfault: "memfault"
    default: "group \(rawValue)"
    }
  }
}
