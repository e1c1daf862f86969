/// A Bluetooth device address: six octets, most significant first, printed as `C0:DE:00:00:00:01`.
///
/// Source: Bluetooth Core 5.4, Vol 6, Part B, 1.3.
public struct BluetoothAddress: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The 48 bits of the address, the first printed octet in bits 47…40.
  public let bits: UInt64

  public init(bits: UInt64) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
  }

  /// Reads six pairs of hexadecimal digits separated by colons, upper or lower case; anything else is nil.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var bits: UInt64 = 0
    for part in parts {
      guard part.count == 2, part.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }), let octet = UInt8(String(Substring(part)), radix: 16) else {
        return nil
      }
      bits = bits << 8 | UInt64(octet)
    }
    self.init(bits: bits)
  }

  /// The octets as printed, most significant first.
  public var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * UInt64($0))) } }

  /// Upper case with colons, the form of every column and message (contract §4).
  public var description: String {
    octets.map { $0 < 16 ? "0" + String($0, radix: 16, uppercase: true) : String($0, radix: 16, uppercase: true) }.joined(separator: ":")
  }

  public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }

  /// True for a random address that changes with time (resolvable `01` or non-resolvable `00` in the two top bits).
  ///
  /// Such a board cannot be told from another tomorrow, so the station refuses it.
  public func isPrivate(_ type: AddressType) -> Bool {
    type == .random && bits >> 46 != 0b11
  }
}

/// How an address was made: bought from the IEEE, or drawn at random. The same six octets of both kinds are two boards.
public enum AddressType: String, Hashable, Sendable, CaseIterable {
  case `public`
  case random
}
