/// The value of Legacy DFU's version characteristic (nordic-dfu.md §2.2). Bootloaders of nRF5 SDK 6.1 and older have none.
public struct DFUVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Who answers with this version.
  public enum Mode: Hashable, Sendable {
    /// The application, which can be asked to start the bootloader.
    case application
    case bootloader
  }

  /// What a board wants to know of an image before the image.
  public enum InitPacketForm: Hashable, Sendable {
    /// The checksum alone, after the one-byte op code; nothing at all when the package has none.
    case checksum
    /// The packet of §2.6, between `02 00` and `02 01`. The board does not take an image without it.
    case extended
  }

  public var major: UInt8
  public var minor: UInt8

  public init(major: UInt8, minor: UInt8) {
    self.major = major
    self.minor = minor
  }

  /// Reads the characteristic's value: minor, major. Nil when it is shorter than two bytes.
  public init?(_ value: some Collection<UInt8>) {
    guard value.count >= 2, let minor = value.first, let major = value.dropFirst().first else { return nil }
    self.init(major: major, minor: minor)
  }

  /// 0.1, told by applications with a buttonless jump.
  public static let buttonlessApplication = DFUVersion(major: 0, minor: 1)
  /// 0.5 (SDK 7.0), the first with an extended init packet.
  public static let extendedInit = DFUVersion(major: 0, minor: 5)
  /// 0.8 (SDK 9 to 11, MetaBoot, Adafruit).
  public static let latest = DFUVersion(major: 0, minor: 8)

  /// As bytes of the characteristic.
  public var bytes: [UInt8] { [minor, major] }

  public var mode: Mode { self == .buttonlessApplication ? .application : .bootloader }

  public var initPacketForm: InitPacketForm { self >= .extendedInit ? .extended : .checksum }

  /// `0.8`, as Nordic's tools print it.
  public var description: String { "\(major).\(minor)" }

  public static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }
}
