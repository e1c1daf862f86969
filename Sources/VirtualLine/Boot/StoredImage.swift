public import Firmware

/// An MCUboot image that lies whole in a slot: its bytes and what its header and TLVs say (smp.md §5).
///
/// A value; copies share the bytes, so that four thousand boards with one firmware hold it once.
public struct StoredImage: Hashable, Sendable {
  public let bytes: [UInt8]
  public let version: ImageVersion
  /// The hash TLV: 32, 48 or 64 bytes.
  public let hash: [UInt8]
  /// False when the bytes do not have that hash: MCUboot will refuse it.
  public let valid: Bool
  public let bootable: Bool
  /// Where the image must lie to run (flag ROM_FIXED, `load_addr`); nil when it may lie anywhere.
  public let fixedAddress: UInt32?
  /// SHA-256 of the whole file, what `sha` in an upload means (smp.md §4.2).
  public let fileDigest: [UInt8]

  static let magics: [[UInt8]] = [[0x3D, 0xB8, 0xF3, 0x96], [0x3C, 0xB8, 0xF3, 0x96]]
  static let headerSize = 32
  private static let encrypted: UInt32 = 0x0C
  private static let nonBootable: UInt32 = 0x10
  static let ramLoad: UInt32 = 0x20
  static let romFixed: UInt32 = 0x100

  /// Nil without a valid header, TLV areas and a hash TLV of the right length: such a slot is left out of the image list (smp.md §3.2).
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerSize, Self.magics.contains(Array(bytes[0..<4])) else { return nil }
    let header = Int(Self.number(bytes, 8, 2))
    let protected = Int(Self.number(bytes, 10, 2))
    let end = header + Int(Self.number(bytes, 12, 4))
    let flags = Self.number(bytes, 16, 4)
    guard header >= Self.headerSize, end + protected <= bytes.count, let found = Self.hashEntry(bytes, end: end, protected: protected) else { return nil }
    self.bytes = bytes
    version = ImageVersion(
      major: bytes[20], minor: bytes[21], revision: UInt16(Self.number(bytes, 22, 2)), build: Self.number(bytes, 24, 4))
    hash = found.value
    // An encrypted image's hash is of the plaintext, which is not to be seen here (smp.md §5).
    valid = flags & Self.encrypted != 0 || found.kind.digest(bytes[0..<(end + protected)]) == found.value
    bootable = flags & Self.nonBootable == 0
    fixedAddress = flags & Self.romFixed == 0 ? nil : Self.number(bytes, 4, 4)
    fileDigest = ImageDigest.sha256.digest(bytes[...])
  }

  /// The version that an upload's first chunk announces; nil below 32 bytes.
  static func announcedVersion(_ chunk: [UInt8]) -> ImageVersion? {
    guard chunk.count >= headerSize else { return nil }
    return ImageVersion(major: chunk[20], minor: chunk[21], revision: UInt16(number(chunk, 22, 2)), build: number(chunk, 24, 4))
  }

  /// The address that an upload's first chunk is linked for; nil below 32 bytes, and for an image that may lie anywhere.
  static func announcedAddress(_ chunk: [UInt8]) -> UInt32? {
    chunk.count >= headerSize && number(chunk, 16, 4) & romFixed != 0 ? number(chunk, 4, 4) : nil
  }

  private static func hashEntry(_ bytes: [UInt8], end: Int, protected: Int) -> (kind: ImageDigest, value: [UInt8])? {
    var start = end
    for magic in protected > 0 ? [0x6908, 0x6907] : [0x6907] {
      guard start + 4 <= bytes.count, number(bytes, start, 2) == UInt32(magic) else { return nil }
      let total = Int(number(bytes, start + 2, 2))
      guard total >= 4, start + total <= bytes.count else { return nil }
      var entry = start + 4
      while entry + 4 <= start + total {
        let length = Int(number(bytes, entry + 2, 2))
        guard entry + 4 + length <= start + total else { return nil }
        if let kind = ImageDigest(rawValue: UInt16(number(bytes, entry, 2))) {
          return length == kind.length ? (kind, Array(bytes[(entry + 4)..<(entry + 4 + length)])) : nil
        }
        entry += 4 + length
      }
      start += total
    }
    return nil
  }

  /// A little-endian number; the caller has checked that the bytes are there.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt32 {
    (0..<size).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
  }
}

extension ImageVersion {
  /// Without the build number, as a board compares an upload that asks for an upgrade (smp.md §3.2).
  var base: ImageVersion { ImageVersion(major: major, minor: minor, revision: revision) }
}
