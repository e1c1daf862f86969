public import SMP

/// How a board's MCUboot brings a new image into use (facts/smp.md §3.1, command 8).
public enum Bootloader: Hashable, Sendable {
  /// The images change places, and one that is not confirmed is given up at the next start. Also assumed when a board tells no mode.
  case swap
  /// The new image replaces the old one; there is no way back.
  case overwrite
  /// A way of updating that a swap update cannot serve.
  case other(BootloaderMode)

  /// - Parameter mode: what the board told, or the profile assumes; nil when neither does.
  public init(_ mode: BootloaderMode?) {
    switch mode {
    case nil, .unknown: self = .swap
    case .overwriteOnly: self = .overwrite
    case .some(let told): self = told.swaps ? .swap : .other(told)
    }
  }
}
