/// Writes a zip archive without compression (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16): sound, whatever its entries hold.
struct StoredZip {
  private var body: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  mutating func add(_ name: String, _ content: [UInt8]) {
    let name = [UInt8](name.utf8)
    let offset = body.count
    // Version 2.0, no flags, stored, no time, 1 January 1980.
    let size = long(UInt32(content.count))
    let common = word(20) + word(0) + word(0) + word(0) + word(0x21) + long(Self.checksum(content)) + size + size
    body += long(0x0403_4b50) + common + word(UInt16(name.count)) + word(0) + name + content
    directory += long(0x0201_4b50) + word(20) + common + word(UInt16(name.count)) + [UInt8](repeating: 0, count: 12) + long(UInt32(offset)) + name
    count += 1
  }

  var bytes: [UInt8] {
    let counts = word(0) + word(0) + word(UInt16(count)) + word(UInt16(count))
    return body + directory + long(0x0605_4b50) + counts + long(UInt32(directory.count)) + long(UInt32(body.count)) + word(0)
  }

  private func word(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
  private func long(_ value: UInt32) -> [UInt8] { word(UInt16(value & 0xFFFF)) + word(UInt16(value >> 16)) }

  /// CRC-32 of zip, bit by bit.
  private static func checksum(_ content: [UInt8]) -> UInt32 {
    ~content.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
  }
}
