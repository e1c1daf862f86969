import Bluetooth

/// The Memfault Diagnostic Service as a GATT database has it (smp.md §8, device-manager.md §7.3).
enum DiagnosticAttributes {
  static let service = uuid(0)
  /// One byte, 0: nothing beyond what is here.
  static let features = uuid(1)
  static let deviceID = uuid(2)
  /// Where chunks are sent.
  static let dataURI = uuid(3)
  /// A header's name, a colon, the project key.
  static let authorization = uuid(4)
  static let dataExport = uuid(5)

  private static func uuid(_ number: Int) -> BluetoothUUID {
    // The text is one, so that the second never counts.
    BluetoothUUID("5422000\(number)-f6a5-4007-a371-722f4ebd8436") ?? BluetoothUUID(short: 0)
  }

  /// Behind SMP's service, which has 0x20 and on.
  static let attributes = BoardAttributes.Service(
    handle: 0x40, uuid: service,
    characteristics: [
      (features, ["read"]), (deviceID, ["read"]), (dataURI, ["read"]), (authorization, ["read"]), (dataExport, ["write", "notify"]),
    ].enumerated().map { BoardAttributes.Characteristic(handle: 0x41 + 3 * $0.offset, uuid: $0.element.0, flags: $0.element.1) })

  /// ATT errors: the first two are the service's own (smp.md §8), the others Bluetooth Core 5.4 Vol 3 Part F, table 3.4, and its Supplement Part B.
  enum Failure {
    /// Another client has subscribed already.
    static let subscribedElsewhere: UInt8 = 0x80
    /// Data export is switched on before the notifications are.
    static let notSubscribed: UInt8 = 0x81
    static let readNotPermitted: UInt8 = 0x02
    static let writeNotPermitted: UInt8 = 0x03
    static let invalidLength: UInt8 = 0x0D
    static let insufficientEncryption: UInt8 = 0x0F
    static let outOfRange: UInt8 = 0xFF
  }
}
