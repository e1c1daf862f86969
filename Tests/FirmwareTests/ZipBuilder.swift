/// Writes zip archives by hand, right ones and wrong ones. Source: PKWARE APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16.
struct ZipBuilder {
  struct Entry {
    var name: [UInt8]
    var content: [UInt8]
    /// What the archive says the content's size is, when it lies.
    var declaredSize: UInt32?
    var crc: UInt32?
    /// Bit 0: encrypted.
    var flags: UInt16 = 0
    /// As one stored block of a deflate stream (RFC 1951 3.2.4) instead of plain.
    var isDeflated = false

    init(_ name: String, _ content: [UInt8]) {
      self.name = Array(name.utf8)
      self.content = content
    }

    init(_ name: String, _ content: String) {
      self.init(name, Array(content.utf8))
    }
  }

  static func archive(_ entries: [Entry]) -> [UInt8] {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let length = UInt16(clamping: entry.content.count)
      let packed = entry.isDeflated ? [1] + little(length) + little(~length) + entry.content : entry.content
      let common =
        little(entry.flags) + little(UInt16(entry.isDeflated ? 8 : 0)) + little(UInt32(0x21 << 16)) + little(entry.crc ?? crc32(entry.content))
        + little(UInt32(packed.count)) + little(entry.declaredSize ?? UInt32(entry.content.count)) + little(UInt16(entry.name.count)) + [0, 0]
      let offset = UInt32(out.count)
      out += little(0x0403_4b50 as UInt32) + little(20 as UInt16) + common + entry.name + packed
      directory +=
        little(0x0201_4b50 as UInt32) + little(20 as UInt16) + little(20 as UInt16) + common + [UInt8](repeating: 0, count: 10) + little(offset) + entry.name
    }
    let start = UInt32(out.count)
    let count = little(UInt16(entries.count))
    return out + directory + little(0x0605_4b50 as UInt32) + [0, 0, 0, 0] + count + count + little(UInt32(directory.count)) + little(start) + [0, 0]
  }

  static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// CRC-32 of ISO 3309, bit by bit.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in (crc >> 1) ^ (crc & 1 == 0 ? 0 : 0xedb8_8320) }
    }
  }
}
