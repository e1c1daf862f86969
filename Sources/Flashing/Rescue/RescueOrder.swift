public import Bluetooth
public import Firmware

/// Everything the flashing of one kind of board over Nordic DFU needs to know, in its bootloader or through it.
public struct RescueOrder: Sendable {
  /// How boards of a family are known (facts/metaboot.md §1, facts/nordic-dfu.md §1).
  public enum Family: Hashable, Sendable {
    /// Model number and hardware revision choose the firmware, and both must be read.
    case metaWear
    /// Whatever its bootloader tells; many tell nothing.
    case nordic
  }

  /// Images that one attempt may flash after each other: the longest chain of bootloaders in a public catalogue has four (facts/metaboot.md §4), and as many again.
  public static let stageLimit = 9

  public var family: Family
  public var shelf: any FirmwareShelf
  /// Which protocol the bootloader must speak; nil takes the one that it offers.
  public var wish: NordicProtocol?
  public var pairing: PairingMethod?
  public var identity: IdentityRule
  public var allowsDowngrade: Bool
  /// Packets between two receipts.
  public var receiptInterval: Int
  /// Bytes of a packet of Legacy DFU; nil: 20, whatever the MTU.
  public var packetSize: Int?
  /// What is known of the boards beside what they tell: init packets are held against it.
  public var known: NordicTarget
  /// A board that runs its application is sent to its bootloader; otherwise it is left alone.
  public var entersBootloader: Bool

  public init(
    family: Family, shelf: any FirmwareShelf, wish: NordicProtocol? = nil, pairing: PairingMethod? = nil, identity: IdentityRule = IdentityRule(),
    allowsDowngrade: Bool = false, receiptInterval: Int = 8, packetSize: Int? = nil, known: NordicTarget = NordicTarget(),
    entersBootloader: Bool
  ) {
    self.family = family
    self.shelf = shelf
    self.wish = wish
    self.pairing = pairing
    self.identity = identity
    self.allowsDowngrade = allowsDowngrade
    self.receiptInterval = receiptInterval
    self.packetSize = packetSize
    self.known = known
    self.entersBootloader = entersBootloader
  }
}
