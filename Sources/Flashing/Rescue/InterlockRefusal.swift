public import Firmware

/// Why a board's bootloader keeps an application off it. Nothing was written when it is thrown.
public enum InterlockRefusal: Error, Hashable, Sendable {
  /// The catalogue's bootloaders do not lead from the installed one to the required one; `reached` is as far as they go.
  case unreachable(required: FirmwareVersion, installed: FirmwareVersion, reached: FirmwareVersion)
  /// The application is older than the installed bootloader: `boundary` is the bootloader that newer applications begin to require.
  case downgrade(to: FirmwareVersion, installed: FirmwareVersion, boundary: FirmwareVersion)

  /// The row of the failure table.
  public var code: FailureCode {
    switch self {
    case .unreachable: .policyBootloader
    case .downgrade: .policyDowngrade
    }
  }
}

extension InterlockRefusal: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .unreachable(let required, let installed, let reached):
      "the firmware needs bootloader \(required), the board has \(installed), and the catalogue leads "
        + (reached == installed ? "nowhere from there" : "only to \(reached)")
        + ": refresh the catalogue, or choose a firmware version that takes bootloader \(installed)"
    case .downgrade(let version, let installed, let boundary):
      "firmware \(version) is from before bootloader \(boundary), and the board has \(installed): on this bootloader it would not start again; "
        + "choose a newer version, or set allow_downgrade = yes if the board is meant to be risked"
    }
  }
}
