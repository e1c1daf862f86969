/// Restarts the board, about 250 ms after the answer, which may be lost (OS group, command 5; smp.md §3.1).
public struct ResetRequest: SMPRequest, Hashable {
  /// What the board starts into (Zephyr ≥ 4.2 with retained boot mode).
  public enum BootMode: UInt64, Hashable, Sendable {
    case normal = 0
    /// Serial recovery, or the firmware loader of a bare metal board.
    case bootloader = 1
  }

  public static let operation = SMPOperation.write
  public static let group = SMPGroup.os
  public static let command: UInt8 = 5

  /// True overrules a firmware that refuses to restart; a Boolean on the wire, though the documentation says integer.
  public var force: Bool
  public var bootMode: BootMode?

  public init(force: Bool = false, bootMode: BootMode? = nil) {
    self.force = force
    self.bootMode = bootMode
  }

  public var payload: CBORValue {
    var entries: [CBORValue.Entry] = []
    if force { entries.append(CBORValue.Entry(.text("force"), .bool(true))) }
    if let bootMode { entries.append(CBORValue.Entry(.text("boot_mode"), .unsigned(bootMode.rawValue))) }
    return .map(entries)
  }
}
