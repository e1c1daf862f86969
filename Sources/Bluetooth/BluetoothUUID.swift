/// A 128-bit attribute type; 16-bit values stand for `0000xxxx-0000-1000-8000-00805f9b34fb`.
///
/// Source: Bluetooth Core 5.4, Vol 3, Part B, 2.5.1.
public struct BluetoothUUID: Hashable, Sendable, LosslessStringConvertible {
  /// Lower case with dashes, as BlueZ prints it.
  public let description: String

  private init(canonical: String) {
    description = canonical
  }

  public init(short: UInt16) {
    let hex = String(short, radix: 16)
    self.init(canonical: String(repeating: "0", count: 8 - hex.count) + hex + "-0000-1000-8000-00805f9b34fb")
  }

  /// Reads `180a`, `0x180A` or the full form with dashes; anything else is nil.
  public init?(_ text: String) {
    let lower = text.lowercased()
    let bare = lower.hasPrefix("0x") ? String(lower.dropFirst(2)) : lower
    if bare.utf8.count == 4, let short = UInt16(bare, radix: 16), !bare.hasPrefix("+") {
      self.init(short: short)
      return
    }
    let groups = bare.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } }) else { return nil }
    self.init(canonical: bare)
  }

  /// Device Information Service and its characteristics (Bluetooth assigned numbers).
  public static let deviceInformation = BluetoothUUID(short: 0x180A)
  public static let modelNumber = BluetoothUUID(short: 0x2A24)
  public static let serialNumber = BluetoothUUID(short: 0x2A25)
  public static let firmwareRevision = BluetoothUUID(short: 0x2A26)
  public static let hardwareRevision = BluetoothUUID(short: 0x2A27)
  public static let manufacturerName = BluetoothUUID(short: 0x2A29)

  /// The SMP service over Bluetooth (facts/smp.md §2.1; Zephyr's `SMP_BT_SVC_UUID`).
  public static let simpleManagement = BluetoothUUID(canonical: "8d53dc1d-1db7-4cd3-868b-8a527460aa84")
}
