/// The init packet (`.dat`) of Secure DFU: a message of Protocol Buffers, signed or not (facts/nordic-dfu.md §3.6, `dfu-cc.proto`).
///
/// What a field may hold a board decides; here every field is optional that is not needed to read the rest.
public struct SecureInitPacket: Hashable, Sendable {
  /// What a bootloader takes, in bytes: 256 in older ones, 512 in newer ones (§3.4).
  public static let largest = 512

  /// What the image is (`type`).
  public enum ImageType: UInt32, Hashable, Sendable {
    case application, softDevice, bootloader, softDeviceBootloader, externalApplication
  }

  /// The hash functions of `hash` and of boot validations that are compared here.
  public static let sha256Type: UInt32 = 3
  public static let sha512Type: UInt32 = 4

  public struct Hash: Hashable, Sendable {
    /// 0 none, 1 CRC, 2 SHA-128, 3 SHA-256, 4 SHA-512.
    public let type: UInt32
    /// As stored: the last byte of the hash first.
    public let bytes: [UInt8]

    /// The hash in its usual order; nil when it is of another kind or has another length.
    public var digest: Digest? {
      switch type {
      case SecureInitPacket.sha256Type: Digest(.sha256, bytes: bytes.reversed())
      case SecureInitPacket.sha512Type: Digest(.sha512, bytes: bytes.reversed())
      default: nil
      }
    }
  }

  public struct Signature: Hashable, Sendable {
    /// 0 ECDSA P-256 with SHA-256, 1 Ed25519.
    public let type: UInt32
    /// r and s, each with its last byte first; over the bytes of the command.
    public let bytes: [UInt8]

    public init(type: UInt32, bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
  }

  /// What the bootloader checks at each start.
  public struct BootValidation: Hashable, Sendable {
    /// 0 nothing, 1 a CRC that it computes itself, 2 SHA-256, 3 ECDSA P-256.
    public let type: UInt32
    public let bytes: [UInt8]

    public init(type: UInt32, bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
  }

  public internal(set) var fwVersion: UInt32?
  public internal(set) var hwVersion: UInt32?
  /// The board must have one of these; see also `SoftDevice.none`.
  public internal(set) var softDevices: [SoftDevice] = []
  public internal(set) var type: ImageType?
  public internal(set) var sizes = NordicSizes()
  public internal(set) var hash = Hash(type: 0, bytes: [])
  /// The version checks are skipped by bootloaders that are built for debugging.
  public internal(set) var isDebug = false
  public internal(set) var bootValidations: [BootValidation] = []
  /// Nil for an unsigned packet.
  public internal(set) var signature: Signature?
  /// Length of the packet in bytes.
  public let length: Int

  init(length: Int) {
    self.length = length
  }
}
