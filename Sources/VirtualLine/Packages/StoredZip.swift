/// A zip archive without compression, as MbientLab's packages are (nordic-dfu.md §1): PKWARE APPNOTE 6.3.10, §4.3.7 and §4.3.12.
enum StoredZip {
  /// 1 January 2026 in MS-DOS form, so that equal content gives equal bytes.
  private static let date: UInt32 = (2026 - 1980) << 9 | 1 << 5 | 1

  static func archive(_ entries: [(name: String, content: [UInt8])]) -> [UInt8] {
    var body: [UInt8] = []
    var directory: [UInt8] = []
    for (name, content) in entries {
      let size = LittleEndian.bytes(UInt32(clamping: content.count))
      // Version 2.0, no flags, stored, time, date, CRC-32, both sizes, name length, no extra field.
      var common = LittleEndian.bytes(20, 2) + LittleEndian.bytes(0, 2) + LittleEndian.bytes(0, 2) + LittleEndian.bytes(0, 2) + LittleEndian.bytes(date, 2)
      common += LittleEndian.bytes(Checksums.crc32(content)) + size + size + LittleEndian.bytes(UInt32(name.utf8.count), 2) + LittleEndian.bytes(0, 2)
      // No comment, disk 0, no attributes.
      directory += LittleEndian.bytes(0x0201_4B50) + LittleEndian.bytes(20, 2) + common + [UInt8](repeating: 0, count: 10)
      directory += LittleEndian.bytes(UInt32(clamping: body.count)) + Array(name.utf8)
      body += LittleEndian.bytes(0x0403_4B50) + common + Array(name.utf8) + content
    }
    let count = LittleEndian.bytes(UInt32(clamping: entries.count), 2)
    let end = LittleEndian.bytes(0x0605_4B50) + LittleEndian.bytes(0, 4) + count + count + LittleEndian.bytes(UInt32(clamping: directory.count))
    return body + directory + end + LittleEndian.bytes(UInt32(clamping: body.count)) + LittleEndian.bytes(0, 2)
  }
}
