/// How a board's MCUboot brings a new image into use (`mode` of SMP's bootloader information; facts/smp.md §3.1, command 8).
public enum Bootloader: Hashable, Sendable {
  /// Modes 1, 3, 9, or not told: the images change places, and an unconfirmed one is given up at the next start.
  case swap
  /// Mode 2: the new image replaces the old one; there is no way back.
  case overwrite
  /// A mode that this update cannot serve; the words say which.
  case other(String)

  /// - Parameter mode: the number the board told, or nil when it told none (older servers).
  public init(mode: Int?) {
    switch mode {
    case nil, -1, 1, 3, 9: self = .swap
    case 2: self = .overwrite
    case 0: self = .other("single application slot (mode 0)")
    case 4: self = .other("Direct-XIP (mode 4)")
    case 5: self = .other("Direct-XIP with revert (mode 5)")
    case 6: self = .other("RAM load (mode 6)")
    case 7: self = .other("firmware loader (mode 7)")
    case 8: self = .other("RAM load with a single slot (mode 8)")
    case .some(let number): self = .other("unknown mode \(number)")
    }
  }
}
