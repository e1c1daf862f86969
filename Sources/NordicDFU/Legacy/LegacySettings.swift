/// The limits of one Legacy transfer.
public struct LegacySettings: Hashable, Sendable {
  /// A board has eight buffers (nordic-dfu.md §2.5); MbientLab's own client asks for 10.
  public static let usualReceiptInterval = 8
  /// Whatever the MTU: older bootloaders get stuck with longer packets (§6.4).
  public static let usualPacketSize = 20
  /// With the old start form some boards take no more.
  public static let oldReceiptInterval = 1

  /// Packets between two receipts, 1 to 65535. They are never off: bluetoothd takes packets without end, so that receipts are the only brake (§6.4).
  public let receiptInterval: Int
  /// Bytes of a packet, a multiple of 4.
  public let packetSize: Int
  public var limits: DFULimits

  public init(receiptInterval: Int = usualReceiptInterval, packetSize: Int = usualPacketSize, limits: DFULimits = DFULimits()) {
    self.receiptInterval = min(max(1, receiptInterval), Int(UInt16.max))
    self.packetSize = min(max(4, packetSize), 244) / 4 * 4
    self.limits = limits
  }

  /// For the next try after this failure.
  public func next(after failure: DFUFailure) -> LegacySettings {
    LegacySettings(receiptInterval: failure.receiptInterval(after: receiptInterval), packetSize: packetSize, limits: limits)
  }
}
