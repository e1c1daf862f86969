/// How a board got from its application into its bootloader; the address of the bootloader depends on it (nordic-dfu.md §5.4).
public enum EntryPath: Hashable, Sendable {
  /// `01 04` on Legacy DFU's control point.
  case legacyApplication
  /// Secure DFU's buttonless characteristic, without or with bonds.
  case secureApplication(bonded: Bool)
  /// The buttonless service of nRF5 SDK 12.
  case experimentalApplication
  /// `FE 02` on the MetaWear command characteristic.
  case metaWear
  /// Not through this station: a button, an application that is not valid, or the reset after a SoftDevice or bootloader.
  case unknown

  /// The addresses of the bootloader, the likelier one first, from the application's. Others are never this board.
  ///
  /// Which of the two it is differs by vendor, so that neither is excluded: who a board is says its serial number. Addresses as 48 bits, the
  /// first printed octet in bits 47 to 40.
  public func bootloaderAddresses(ofApplication address: UInt64) -> [UInt64] {
    let next = DFUAddress.next(address)
    switch self {
    case .secureApplication(bonded: false), .experimentalApplication: return [next, address]
    case .legacyApplication, .secureApplication(bonded: true), .metaWear, .unknown: return [address, next]
    }
  }

  /// The addresses of the application, the likelier one first, from the bootloader's.
  public func applicationAddresses(ofBootloader address: UInt64) -> [UInt64] {
    let previous = DFUAddress.previous(address)
    switch self {
    case .secureApplication(bonded: false), .experimentalApplication: return [previous, address]
    case .legacyApplication, .secureApplication(bonded: true), .metaWear, .unknown: return [address, previous]
    }
  }
}

/// Nordic's rule for a bootloader with an address of its own: the last printed octet plus one, FF to 00 without a carry (nordic-dfu.md §5.4).
public enum DFUAddress {
  public static func next(_ address: UInt64) -> UInt64 { replacingLast(address) { $0 &+ 1 } }
  public static func previous(_ address: UInt64) -> UInt64 { replacingLast(address) { $0 &- 1 } }

  private static func replacingLast(_ address: UInt64, _ change: (UInt8) -> UInt8) -> UInt64 {
    address & 0xFFFF_FFFF_FF00 | UInt64(change(UInt8(truncatingIfNeeded: address)))
  }
}
