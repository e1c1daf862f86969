/// One type-length-value entry of an MCUboot image.
public struct ImageEntry: Hashable, Sendable {
  /// The whole 16-bit type: vendor types end in 0xA0 to 0xFF and must not be taken for others with the same low byte.
  public let type: UInt16
  public let value: [UInt8]

  public init(type: UInt16, value: [UInt8]) {
    self.type = type
    self.value = value
  }

  /// What the type means, where this program knows it.
  public var kind: Kind? { Kind(rawValue: type) }

  /// Entry types. Source: `IMAGE_TLV_*` of MCUboot's `bootutil/image.h` (facts/smp.md §5).
  public enum Kind: UInt16, Hashable, Sendable, CaseIterable {
    case keyHash = 0x01, publicKey = 0x02
    case sha256 = 0x10, sha384 = 0x11, sha512 = 0x12
    case rsa2048 = 0x20, ecdsa224 = 0x21, ecdsa = 0x22, rsa3072 = 0x23, ed25519 = 0x24, pureSignature = 0x25
    case encryptedRSA2048 = 0x30, encryptedKeyWrap = 0x31, encryptedEC256 = 0x32, encryptedX25519 = 0x33, encryptedX25519SHA512 = 0x34
    case dependency = 0x40, securityCounter = 0x50, bootRecord = 0x60
    case decompressedSize = 0x70, decompressedHash = 0x71, decompressedSignature = 0x72, compressedSize = 0x73
    case vendorID = 0x74, classID = 0x75

    /// The word that `inspect` prints.
    public var text: String {
      switch self {
      case .keyHash: "key_hash"
      case .publicKey: "public_key"
      case .sha256: "sha256"
      case .sha384: "sha384"
      case .sha512: "sha512"
      case .rsa2048: "rsa2048"
      case .ecdsa224: "ecdsa224"
      case .ecdsa: "ecdsa"
      case .rsa3072: "rsa3072"
      case .ed25519: "ed25519"
      case .pureSignature: "pure_signature"
      case .encryptedRSA2048: "encrypted_rsa2048"
      case .encryptedKeyWrap: "encrypted_key_wrap"
      case .encryptedEC256: "encrypted_ec256"
      case .encryptedX25519: "encrypted_x25519"
      case .encryptedX25519SHA512: "encrypted_x25519_sha512"
      case .dependency: "dependency"
      case .securityCounter: "security_counter"
      case .bootRecord: "boot_record"
      case .decompressedSize: "decompressed_size"
      case .decompressedHash: "decompressed_hash"
      case .decompressedSignature: "decompressed_signature"
      case .compressedSize: "compressed_size"
      case .vendorID: "vendor_id"
      case .classID: "class_id"
      }
    }

    /// The hash function of a hash entry.
    var digest: Digest.Kind? {
      switch self {
      case .sha256: .sha256
      case .sha384: .sha384
      case .sha512: .sha512
      default: nil
      }
    }

    /// Whether the entry is a signature of the image.
    var isSignature: Bool {
      switch self {
      case .rsa2048, .ecdsa224, .ecdsa, .rsa3072, .ed25519: true
      default: false
      }
    }

    /// Whether the entry carries the wrapped key of an encrypted image.
    var isEncryptionKey: Bool {
      switch self {
      case .encryptedRSA2048, .encryptedKeyWrap, .encryptedEC256, .encryptedX25519, .encryptedX25519SHA512: true
      default: false
      }
    }
  }
}

/// Another image that must be there in at least this version (`struct image_dependency`: u8 id, 3 pad, 8 version).
public struct ImageDependency: Hashable, Sendable {
  public let image: UInt8
  public let version: ImageVersion
}
