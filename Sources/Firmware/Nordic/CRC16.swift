/// CRC-16/CCITT-FALSE as Legacy DFU uses it over a whole image: polynomial 0x1021, start 0xFFFF, nothing reflected, no final xor
/// (facts/nordic-dfu.md §2.6; "123456789" gives 0x29B1).
public struct CRC16: Hashable, Sendable, CustomStringConvertible {
  public private(set) var value: UInt16 = 0xffff

  public init() {}

  public init(of bytes: some Sequence<UInt8>) {
    update(bytes)
  }

  public mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value << 8) ^ Self.table[Int(UInt8(value >> 8) ^ byte)] }
  }

  /// Four hexadecimal digits with `0x`.
  public var description: String { value.hexText }

  private static let table: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index) << 8) { crc, _ in (crc << 1) ^ (crc & 0x8000 == 0 ? 0 : 0x1021) }
  }
}

extension FixedWidthInteger {
  /// All digits in hexadecimal with `0x`, as registers and identifiers are written: `0x0088`.
  var hexText: String {
    let digits = String(self, radix: 16)
    return "0x" + String(repeating: "0", count: Swift.max(0, Self.bitWidth / 4 - digits.count)) + digits
  }
}
