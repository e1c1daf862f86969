/// The identifier of a SoftDevice (FWID), as init packets list it and a bootloader compares it with the installed one.
public struct SoftDevice: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Any SoftDevice will do (facts/nordic-dfu.md §2.6, §3.6).
  public static let any = SoftDevice(rawValue: 0xfffe)
  /// Any SoftDevice, in the packages of Nordic's samples (§3.6).
  public static let sample = SoftDevice(rawValue: 0xcafe)
  /// The application runs without a SoftDevice, or overwrites it (§3.6; Secure DFU only).
  public static let none = SoftDevice(rawValue: 0)

  /// `0x0088 (S132 2.0.1)`; the number alone where Nordic's list has no name for it.
  public var description: String {
    switch self {
    case .any, .sample: "\(rawValue.hexText) (any)"
    case .none: "\(rawValue.hexText) (none)"
    default: rawValue.hexText + (Self.names[rawValue].map { " (\($0))" } ?? "")
    }
  }

  /// Nordic's list, as far as DFU packages use it (facts/nordic-dfu.md §2.6).
  private static let names: [UInt16: String] = [
    0x67: "S130 1.0.0", 0x80: "S130 2.0.0", 0x87: "S130 2.0.1",
    0x81: "S132 2.0.0", 0x88: "S132 2.0.1", 0x8c: "S132 3.0.0", 0x91: "S132 3.1.0", 0x98: "S132 4.0.2", 0x9d: "S132 5.0.0", 0xa8: "S132 6.0.0",
    0xaf: "S132 6.1.0", 0xb7: "S132 6.1.1", 0xcb: "S132 7.0.1", 0x101: "S132 7.2.0", 0x124: "S132 7.3.0",
    0xa9: "S140 6.0.0", 0xb6: "S140 6.1.1", 0xca: "S140 7.0.1", 0x100: "S140 7.2.0", 0x123: "S140 7.3.0",
  ]
}
