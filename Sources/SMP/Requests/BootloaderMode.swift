/// How a board's bootloader exchanges images (`mode` of OS group, command 8; smp.md §3.1).
public struct BootloaderMode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static let unknown = BootloaderMode(rawValue: -1)
  public static let singleApplication = BootloaderMode(rawValue: 0)
  public static let swapScratch = BootloaderMode(rawValue: 1)
  public static let overwriteOnly = BootloaderMode(rawValue: 2)
  public static let swapMove = BootloaderMode(rawValue: 3)
  public static let directXIP = BootloaderMode(rawValue: 4)
  public static let directXIPWithRevert = BootloaderMode(rawValue: 5)
  public static let ramLoad = BootloaderMode(rawValue: 6)
  public static let firmwareLoader = BootloaderMode(rawValue: 7)
  public static let singleSlotRAMLoad = BootloaderMode(rawValue: 8)
  public static let swapOffset = BootloaderMode(rawValue: 9)

  /// True when the old image is kept and comes back unless the new one is confirmed.
  public var swaps: Bool {
    [.swapScratch, .swapMove, .swapOffset].contains(self)
  }

  /// A word for messages.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .singleApplication: "single application"
    case .swapScratch: "swap using scratch"
    case .overwriteOnly: "overwrite only"
    case .swapMove: "swap using move"
    case .directXIP: "direct XIP"
    case .directXIPWithRevert: "direct XIP with revert"
    case .ramLoad: "RAM load"
    case .firmwareLoader: "firmware loader"
    case .singleSlotRAMLoad: "single slot RAM load"
    case .swapOffset: "swap using offset"
    default: "mode \(rawValue)"
    }
  }
}
