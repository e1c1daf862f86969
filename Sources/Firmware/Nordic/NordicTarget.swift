/// What is known of a board before its package is sent, as far as a package can be compared with it. Nil is not known, and not compared.
public struct NordicTarget: Hashable, Sendable {
  /// The DFU Version characteristic of Legacy bootloaders (facts/nordic-dfu.md §2.2).
  public enum DFUVersion: Hashable, Sendable {
    /// SDK 6.1 and older: the bootloader does not have it, and takes images without init packet.
    case absent
    /// u16 as read: major in the upper byte; 0x0008 is 0.8.
    case version(UInt16)

    /// 0.1, which applications show: it says nothing about the bootloader.
    static let application = DFUVersion.version(0x0001)
    /// MetaBoot's (facts/nordic-dfu.md §1).
    static let metaBoot = DFUVersion.version(0x0008)
  }

  /// By the services that the bootloader offers, or by the profile.
  public var dfuProtocol: NordicProtocol?
  public var dfuVersion: DFUVersion?
  /// What Legacy init packets name as device type: the model number of a MetaWear board.
  public var deviceType: UInt16?
  /// What Legacy init packets name as device revision: the minor number of a MetaWear board's hardware revision.
  public var deviceRevision: UInt16?
  /// `hw_version` of Secure DFU, usually 51 or 52.
  public var hardwareVersion: UInt32?
  /// The SoftDevice that is installed.
  public var softDevice: SoftDevice?
  /// Version of the installed bootloader as Secure DFU counts them.
  public var bootloaderVersion: UInt32?
  /// Version of the installed application as Secure DFU counts them.
  public var applicationVersion: UInt32?
  /// The bootloader is known to take signed images only; a Legacy one then has room for the long init packets.
  public var checksSignatures = false

  public init() {}

  /// What a MetaWear board says of itself, in either mode; nil when a text has another form than a model number (`6`) and a hardware revision
  /// (`0.2`, also `r0.2`), for then no package can be compared with the board (facts/metaboot.md §3.5).
  public init?(metaWearModel model: String, hardwareRevision revision: String) {
    let numbers = revision.drop { $0 == "r" || $0 == "R" }.split(separator: ".", omittingEmptySubsequences: false)
    guard let type = Self.number(model[...]), numbers.count == 2, Self.number(numbers[0]) != nil, let minor = Self.number(numbers[1]) else { return nil }
    dfuProtocol = .legacy
    dfuVersion = .metaBoot
    deviceType = type
    deviceRevision = minor
  }

  /// Digits only: FFFF is left out, for it means every board.
  private static func number(_ text: Substring) -> UInt16? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(text), number != LegacyInitPacket.anyBoard else { return nil }
    return number
  }
}

extension NordicTarget.DFUVersion: CustomStringConvertible {
  public var description: String {
    switch self {
    case .absent: "none"
    case .version(let number): "\(number >> 8).\(number & 0xff)"
    }
  }
}
