/// How a board is paired before it lets anybody at its update service.
///
/// Source: Bluetooth Core 5.4, Vol 3, Part H, 2.3.5.
public enum PairingMethod: Hashable, Sendable {
  /// Encrypted, without proof of who the other side is.
  case justWorks
  /// The board's fixed passkey, 0…999999, is entered on our side.
  case passkey(UInt32)

  public static let largestPasskey: UInt32 = 999_999
}
