/// An MCUboot image: header, body, protected entries, entries; everything that a plan or a report asks of it.
///
/// Source of the layout: MCUboot design document, "Image format", and `bootutil/image.h`; all fields little-endian (facts/smp.md §5).
public struct MCUbootImage: Hashable, Sendable {
  /// The image has the format before MCUboot 1.0 (magic number 0x96f3b83c).
  public let isOldFormat: Bool
  /// The address in flash or RAM that the image is linked for; means something with `romFixed` or `ramLoad` only.
  public let loadAddress: UInt32
  /// Length of the header with its padding, in bytes.
  public let headerSize: Int
  /// Length of the body in bytes.
  public let bodySize: Int
  /// Length of the protected entries with their own 4-byte head; 0 when there are none.
  public let protectedSize: Int
  public let flags: ImageFlags
  public let version: ImageVersion
  public let protectedEntries: [ImageEntry]
  public let entries: [ImageEntry]
  /// The image's own hash: the first hash entry of the unprotected area. This is what a board lists; it is not the hash of the file.
  public let hash: Digest
  public let hashCheck: HashCheck
  /// Length of the image up to its last entry, in bytes.
  public let length: Int
  /// What stands behind the image in its file.
  public let trailing: ImageTrailing

  /// Whether the hash entry fits the bytes.
  public enum HashCheck: String, Hashable, Sendable {
    case matches, differs
    /// The image is encrypted and its hash is of the plaintext: it cannot be checked here.
    case encrypted
  }

  /// The body is encrypted, or may be when it is swapped out again.
  public var isEncrypted: Bool { !flags.isDisjoint(with: [.encryptedAES128, .encryptedAES256]) }

  /// The body is compressed: the bootloader unpacks it, and the board then lists another hash.
  public var isCompressed: Bool { !flags.isDisjoint(with: [.compressedLZMA1, .compressedLZMA2]) }

  /// The kinds of signature; empty for an unsigned image.
  public var signatures: [ImageEntry.Kind] { entries.compactMap(\.kind).filter(\.isSignature) }

  public var isSigned: Bool { !signatures.isEmpty }

  /// The signature is over the image itself instead of its hash.
  public var hasPureSignature: Bool { entries.contains { $0.kind == .pureSignature && $0.value.first != 0 } }

  /// How the key of an encrypted image is wrapped.
  public var encryption: ImageEntry.Kind? { entries.compactMap(\.kind).first(where: \.isEncryptionKey) }

  /// The hash of the public key that the signature is for.
  public var keyHash: [UInt8]? { first(.keyHash, in: entries) }

  /// The security counter against downgrades (u32); nil also when the entry has another length, as some vendors write it.
  public var securityCounter: UInt32? {
    guard let value = first(.securityCounter, in: protectedEntries), value.count == 4 else { return nil }
    var reader = ByteReader(value)
    return reader.u32()
  }

  /// Other images that must be there.
  public var dependencies: [ImageDependency] {
    protectedEntries.filter { $0.kind == .dependency }.compactMap { entry in
      var reader = ByteReader(entry.value)
      guard let image = reader.u8(), reader.take(3) != nil, let version = ImageVersion(from: &reader) else { return nil }
      return ImageDependency(image: image, version: version)
    }
  }

  /// Hash entries of the unprotected area; more than one is refused by Zephyr (image error 6).
  public var hashCount: Int { entries.count { $0.kind?.digest != nil } }

  private func first(_ kind: ImageEntry.Kind, in entries: [ImageEntry]) -> [UInt8]? {
    entries.first { $0.kind == kind }?.value
  }
}
