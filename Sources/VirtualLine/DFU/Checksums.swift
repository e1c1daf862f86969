/// The two checksums of Nordic's bootloaders, computed here as the boards compute them and not by the client's rooms.
enum Checksums {
  /// CRC-16/CCITT-FALSE: polynomial 1021, start FFFF; "123456789" gives 29B1 (nordic-dfu.md §2.6).
  static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0xFFFF) { crc, byte in
      var crc = crc ^ UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
      return crc
    }
  }

  /// CRC-32 of zlib: polynomial 04C11DB7 reflected, start and end FFFFFFFF (nordic-dfu.md §3.4).
  static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
  }

  private static let table: [UInt32] = (0..<256).map { entry in
    (0..<8).reduce(UInt32(entry)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
  }
}

/// Little-endian numbers, as all of Nordic's DFU has them.
enum LittleEndian {
  static func bytes(_ value: UInt32, _ size: Int = 4) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }

  /// Nil when the bytes are not there.
  static func read(_ bytes: [UInt8], at offset: Int, _ size: Int) -> UInt32? {
    guard offset >= 0, size <= 4, offset + size <= bytes.count else { return nil }
    return (0..<size).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
  }
}
