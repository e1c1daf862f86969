/// One part of a Legacy package: what is to be transferred in one connection.
public struct LegacyPart: Hashable, Sendable {
  /// In bytes; together the length of the image, which holds them in this order (nordic-dfu.md §2.4, §4.3).
  public struct Sizes: Hashable, Sendable {
    public var softDevice: Int
    public var bootloader: Int
    public var application: Int

    public init(softDevice: Int = 0, bootloader: Int = 0, application: Int = 0) {
      self.softDevice = softDevice
      self.bootloader = bootloader
      self.application = application
    }
  }

  /// The board's buffer for init packets, in bytes (§2.5).
  public static let longestInitPacket = 128
  /// A packet of §2.6 without SoftDevices and with the shortest extension, in bytes.
  public static let shortestInitPacket = 12
  /// The init packet of the old form: a CRC-16.
  public static let checksumLength = 2
  /// More than any chip of this family has, in bytes.
  public static let longestImage = 4 << 20

  public var type: DFUImageType
  public var sizes: Sizes
  public var initPacket: [UInt8]
  public var image: [UInt8]

  public init(_ type: DFUImageType, sizes: Sizes, initPacket: [UInt8], image: [UInt8]) {
    self.type = type
    self.sizes = sizes
    self.initPacket = initPacket
    self.image = image
  }

  /// An application, or a SoftDevice or bootloader alone: the sizes follow from the image.
  public init?(single type: DFUImageType, initPacket: [UInt8], image: [UInt8]) {
    let sizes: Sizes
    switch type {
    case .softDevice: sizes = Sizes(softDevice: image.count)
    case .bootloader: sizes = Sizes(bootloader: image.count)
    case .application: sizes = Sizes(application: image.count)
    case .softDeviceAndBootloader: return nil
    }
    self.init(type, sizes: sizes, initPacket: initPacket, image: image)
  }

  /// Why the part cannot be transferred to a bootloader that wants this form of init packet; nil when it can.
  ///
  /// A board does not compare the sizes with the type, and would write one kind of image as another (§2.5).
  public func complaint(for form: DFUVersion.InitPacketForm) -> PartComplaint? {
    if image.isEmpty { return .imageEmpty }
    if image.count % 4 != 0 { return .imageNotWords(length: image.count) }
    if image.count > Self.longestImage { return .imageTooLong(length: image.count, limit: Self.longestImage) }
    if !sizesFit { return .sizesWrong }
    switch form {
    case .extended:
      if initPacket.isEmpty { return .initPacketMissing }
      if initPacket.count < Self.shortestInitPacket { return .initPacketTooShort(length: initPacket.count) }
      if initPacket.count > Self.longestInitPacket { return .initPacketTooLong(length: initPacket.count, limit: Self.longestInitPacket) }
    case .checksum:
      if initPacket.count > Self.checksumLength { return .initPacketTooNew(length: initPacket.count) }
      if initPacket.count == 1 { return .initPacketTooShort(length: 1) }
    }
    return nil
  }

  private var sizesFit: Bool {
    let all = [sizes.softDevice, sizes.bootloader, sizes.application]
    let expected: [Bool]
    switch type {
    case .softDevice: expected = [true, false, false]
    case .bootloader: expected = [false, true, false]
    case .softDeviceAndBootloader: expected = [true, true, false]
    case .application: expected = [false, false, true]
    }
    guard zip(all, expected).allSatisfy({ $1 ? $0 > 0 && $0 <= image.count && $0 % 4 == 0 : $0 == 0 }) else { return false }
    return all.reduce(0, +) == image.count
  }

  /// What follows the start on the packet characteristic: three sizes, or the application's alone in the old form.
  func startPacket(oldForm: Bool) -> [UInt8] {
    let words = oldForm ? [sizes.application] : [sizes.softDevice, sizes.bootloader, sizes.application]
    return words.flatMap { UInt32(clamping: $0).littleEndianBytes }
  }
}
