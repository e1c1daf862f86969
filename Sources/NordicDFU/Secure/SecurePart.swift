/// One part of a Secure package: what is to be transferred in one connection. Its kind stands in the init packet, which only the board reads.
public struct SecurePart: Hashable, Sendable {
  public var initPacket: [UInt8]
  public var image: [UInt8]

  /// More than any chip of this family has, external flash included, in bytes.
  public static let longestImage = 16 << 20

  public init(initPacket: [UInt8], image: [UInt8]) {
    self.initPacket = initPacket
    self.image = image
  }

  /// Why the part cannot be transferred; nil when it can. The board's own limits come later.
  public var complaint: PartComplaint? {
    if image.isEmpty { return .imageEmpty }
    if image.count % 4 != 0 { return .imageNotWords(length: image.count) }
    if image.count > Self.longestImage { return .imageTooLong(length: image.count, limit: Self.longestImage) }
    return initPacket.isEmpty ? .initPacketMissing : nil
  }
}
