/// Little-endian reading with every length checked: what is not there is nil.
struct ByteReader {
  let bytes: [UInt8]
  /// Reading never passes this offset.
  let end: Int
  private(set) var offset: Int

  init(_ bytes: [UInt8], from offset: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(end ?? bytes.count, bytes.count)
    self.offset = max(0, offset)
  }

  /// Bytes left; negative never.
  var remaining: Int { max(0, end - offset) }

  mutating func u8() -> UInt8? { number() }
  mutating func u16() -> UInt16? { number() }
  mutating func u32() -> UInt32? { number() }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  private mutating func number<Number: FixedWidthInteger & UnsignedInteger>() -> Number? {
    let width = Number.bitWidth / 8
    guard width <= remaining else { return nil }
    defer { offset += width }
    return bytes[offset..<offset + width].reversed().reduce(Number(0)) { Number(truncatingIfNeeded: UInt64($0) << 8) | Number($1) }
  }
}
