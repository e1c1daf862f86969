import CCrypto

/// A SHA-2 hash of some bytes, computed by libcrypto or read from a file or a board.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
  /// The hash functions that MCUboot images use (`bootutil/image.h`: TLV types 0x10 to 0x12).
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case sha256, sha384, sha512

    /// Length of the hash in bytes.
    public var byteCount: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }

    fileprivate var algorithm: OpaquePointer? {
      switch self {
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    }
  }

  public let kind: Kind
  public let bytes: [UInt8]

  /// Takes a hash that was read somewhere; nil when its length does not fit the kind.
  public init?(_ kind: Kind, bytes: [UInt8]) {
    guard bytes.count == kind.byteCount else { return nil }
    self.kind = kind
    self.bytes = bytes
  }

  /// Hashes `content`; throws `hashingUnavailable` when libcrypto refuses (no memory, or a system policy that forbids the function).
  public init(_ kind: Kind, of content: some Collection<UInt8>) throws(PackageError) {
    let hashed = content.withContiguousStorageIfAvailable { Self.hash(kind, $0) } ?? Array(content).withUnsafeBufferPointer { Self.hash(kind, $0) }
    guard let hashed else { throw .hashingUnavailable(kind) }
    self.kind = kind
    bytes = hashed
  }

  /// Lower-case hexadecimal, as every column and message shows it.
  public var hex: String { bytes.hex }

  public var description: String { hex }

  private static func hash(_ kind: Kind, _ content: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(content.baseAddress, content.count, &result, &length, kind.algorithm, nil) == 1, Int(length) == kind.byteCount else { return nil }
    return Array(result.prefix(kind.byteCount))
  }
}

extension Sequence where Element == UInt8 {
  /// Lower-case hexadecimal without separators.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
