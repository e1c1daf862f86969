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
  public static let softwareRevision = BluetoothUUID(short: 0x2A28)
  public static let manufacturerName = BluetoothUUID(short: 0x2A29)

  /// The SMP service over Bluetooth (facts/smp.md §2.1; Zephyr's `SMP_BT_SVC_UUID`).
  public static let simpleManagement = BluetoothUUID(canonical: "8d53dc1d-1db7-4cd3-868b-8a527460aa84")

  /// The Memfault Diagnostic Service (MDS) and its characteristics (facts/device-manager.md §7.3; facts/smp.md §8; nRF Connect SDK `bluetooth/services/mds`).
  public static let diagnostics = BluetoothUUID(canonical: "54220000-f6a5-4007-a371-722f4ebd8436")
  public static let diagnosticFeatures = BluetoothUUID(canonical: "54220001-f6a5-4007-a371-722f4ebd8436")
  public static let diagnosticDeviceID = BluetoothUUID(canonical: "54220002-f6a5-4007-a371-722f4ebd8436")
  public static let diagnosticDataURI = BluetoothUUID(canonical: "54220003-f6a5-4007-a371-722f4ebd8436")
  public static let diagnosticAuthorization = BluetoothUUID(canonical: "54220004-f6a5-4007-a371-722f4ebd8436")
  /// Notifies the chunks; a write switches them on and off.
  public static let diagnosticExport = BluetoothUUID(canonical: "54220005-f6a5-4007-a371-722f4ebd8436")

  /// Legacy DFU: the service and its characteristics (facts/nordic-dfu.md §2.1; Nordic's nRF5 SDK 4.3 to 11). The version is absent up to SDK 6.1.
  public static let legacyDFU = BluetoothUUID(canonical: "00001530-1212-efde-1523-785feabcd123")
  public static let legacyDFUControlPoint = BluetoothUUID(canonical: "00001531-1212-efde-1523-785feabcd123")
  public static let legacyDFUPacket = BluetoothUUID(canonical: "00001532-1212-efde-1523-785feabcd123")
  public static let legacyDFUVersion = BluetoothUUID(canonical: "00001534-1212-efde-1523-785feabcd123")

  /// Secure DFU: the service, the same in application and bootloader, and its characteristics (facts/nordic-dfu.md §3.1; nRF5 SDK 12 to 17).
  public static let secureDFU = BluetoothUUID(short: 0xFE59)
  public static let secureDFUControlPoint = BluetoothUUID(canonical: "8ec90001-f315-4f60-9fb8-838830daea50")
  public static let secureDFUPacket = BluetoothUUID(canonical: "8ec90002-f315-4f60-9fb8-838830daea50")
  /// How an application without bonds, or with bonds, is asked to start its bootloader.
  public static let buttonlessDFU = BluetoothUUID(canonical: "8ec90003-f315-4f60-9fb8-838830daea50")
  public static let buttonlessDFUBonded = BluetoothUUID(canonical: "8ec90004-f315-4f60-9fb8-838830daea50")
  /// Service and characteristic at once: the buttonless entry of nRF5 SDK 12.
  public static let experimentalButtonlessDFU = BluetoothUUID(canonical: "8e400001-f315-4f60-9fb8-838830daea50")

  /// What a board advertises that is in one of Nordic's bootloaders.
  public static let bootloaderServices: Set<BluetoothUUID> = [.legacyDFU, .secureDFU]

  /// The MetaWear service in application mode, its command and its notification characteristic (facts/metaboot.md §1.1).
  public static let metaWear = BluetoothUUID(canonical: "326a9000-85cb-9195-d9dd-464cfbbae75a")
  public static let metaWearCommand = BluetoothUUID(canonical: "326a9001-85cb-9195-d9dd-464cfbbae75a")
  public static let metaWearNotification = BluetoothUUID(canonical: "326a9006-85cb-9195-d9dd-464cfbbae75a")
}
