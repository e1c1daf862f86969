/// Both protocols count with the least significant byte first.
extension FixedWidthInteger where Self: UnsignedInteger {
  var littleEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }

  /// Nil when there are fewer bytes than it takes.
  init?(littleEndian bytes: some Collection<UInt8>) {
    guard bytes.count >= Self.bitWidth / 8 else { return nil }
    self = bytes.prefix(Self.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Self($1) }
  }
}
