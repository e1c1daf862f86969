/// A notification of Legacy DFU's control point (nordic-dfu.md §2.3).
public enum LegacyNotification: Hashable, Sendable {
  /// `10 op status`; the status may be one that the protocol does not know.
  case response(LegacyOpCode, status: UInt8)
  /// `11` and the bytes received since the bootloader started; SDK 5 counts in 16 bits.
  case receipt(bytes: UInt32)

  /// Nil for what is none of these; bytes behind it are ignored.
  public init?(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return nil }
    switch LegacyOpCode(rawValue: first) {
    case .response:
      guard bytes.count >= 3, let op = LegacyOpCode(rawValue: bytes[1]) else { return nil }
      self = .response(op, status: bytes[2])
    case .receipt:
      guard let count = UInt32(littleEndian: bytes.dropFirst()) else { return nil }
      self = .receipt(bytes: count)
    default:
      return nil
    }
  }
}
