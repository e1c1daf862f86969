import Firmware

/// The hash of an MCUboot image, by its TLV type (smp.md §5).
public enum ImageDigest: UInt16, Hashable, Sendable, CaseIterable {
  case sha256 = 0x10
  case sha384 = 0x11
  case sha512 = 0x12

  /// Length of the hash in bytes.
  public var length: Int { kind.byteCount }

  private var kind: Digest.Kind {
    switch self {
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    }
  }

  /// Empty when libcrypto refuses: such an image is then invalid on every board.
  func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    (try? Digest(kind, of: bytes))?.bytes ?? []
  }
}
