import CZlib

/// CRC-32 of ISO 3309, computed by zlib: what Secure DFU compares after each object, cumulative from byte 0 of the init packet or of the
/// image (facts/nordic-dfu.md §3.4).
public struct CRC32: Hashable, Sendable, CustomStringConvertible {
  public private(set) var value: UInt32 = 0

  public init() {}

  public init(of bytes: some Collection<UInt8>) {
    update(bytes)
  }

  /// Goes on with more bytes: after them, `value` is that of everything so far.
  public mutating func update(_ bytes: some Collection<UInt8>) {
    value = bytes.withContiguousStorageIfAvailable { Self.update(value, $0) } ?? Array(bytes).withUnsafeBufferPointer { Self.update(value, $0) }
  }

  /// The values at the end of each object: after `step` bytes, twice `step`, and at last after all bytes.
  ///
  /// - Parameter step: size of an object in bytes (`max` of the board's answer to Select); empty when it is not positive.
  public static func atEnds(of bytes: [UInt8], every step: Int) -> [UInt32] {
    guard step > 0 else { return [] }
    var crc = CRC32()
    return stride(from: 0, to: bytes.count, by: step).map { start in
      crc.update(bytes[start..<(start + min(step, bytes.count - start))])
      return crc.value
    }
  }

  /// Eight hexadecimal digits with `0x`.
  public var description: String { value.hexText }

  private static func update(_ crc: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return crc }
    return UInt32(truncatingIfNeeded: crc32_z(UInt(crc), start, bytes.count))
  }
}
