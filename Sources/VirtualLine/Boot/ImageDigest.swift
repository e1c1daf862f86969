import CCrypto

/// The hash of an MCUboot image, by its TLV type (smp.md §5).
public enum ImageDigest: UInt16, Hashable, Sendable, CaseIterable {
  case sha256 = 0x10
  case sha384 = 0x11
  case sha512 = 0x12

  /// Length of the hash in bytes.
  public var length: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: 64)
    var n: UInt32 = 0
    let kind = switch self {
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
    _ = bytes.withUnsafeBufferPointer { EVP_Digest($0.baseAddress, $0.count, &output, &n, kind, nil) }
    return Array(output.prefix(Int(n)))
  }
}
