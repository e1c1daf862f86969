/// The limits of one Secure transfer.
public struct SecureSettings: Hashable, Sendable {
  /// The interval of the next try when receipts were off and something went wrong on the way.
  public static let receiptsAfterTrouble = 12
  /// Times an object is transferred in all when its checksum is wrong (nordic-dfu.md §3.5).
  public static let objectTries = 3
  /// Objects that are transferred again, in one transfer.
  public static let repeatLimit = 16
  /// Times the init packet is sent anew because what the board had kept was of no use.
  public static let freshLimit = 1
  /// The range of useful object sizes, in bytes: boards say 1024 (nRF51), 4096 (nRF52) or small multiples of it. A board that takes more
  /// gets no larger ones, so that a loss never costs more.
  public static let objectSizes = 256...65_536

  /// Packets between two receipts, 0 (off) to 65535. The checksum of each object is a brake of its own.
  public let receiptInterval: Int
  /// Bytes of a packet, a multiple of 4.
  public let packetSize: Int
  /// Off for bootloaders that name an offset without having the data.
  public var resumes: Bool
  public var limits: DFULimits

  public init(mtu: Int, receiptInterval: Int = 0, resumes: Bool = true, limits: DFULimits = DFULimits()) {
    self.init(packetSize: Self.packetSize(mtu: mtu), receiptInterval: receiptInterval, resumes: resumes, limits: limits)
  }

  /// What an ATT MTU leaves for data, rounded down to words: flash is written in words (nordic-dfu.md §3.7).
  public static func packetSize(mtu: Int) -> Int {
    min(max(mtu - 3, 4), 512) / 4 * 4
  }

  /// For the next try after this failure. What the board found wrong as a whole is not kept.
  public func next(after failure: DFUFailure) -> SecureSettings {
    SecureSettings(
      packetSize: packetSize, receiptInterval: failure.receiptInterval(after: receiptInterval), resumes: resumes && failure.recovery != .verify, limits: limits)
  }

  private init(packetSize: Int, receiptInterval: Int, resumes: Bool, limits: DFULimits) {
    self.receiptInterval = min(max(0, receiptInterval), Int(UInt16.max))
    self.packetSize = packetSize
    self.resumes = resumes
    self.limits = limits
  }
}
