/// What a file is, by its first bytes.
enum FileContent: Hashable {
  case image, zip, suit

  /// Recognises what can be used and refuses the rest with its reason; the name's extension is asked only where the bytes say nothing.
  init(_ bytes: [UInt8], fileName: String) throws(PackageError) {
    guard !bytes.isEmpty else { throw .fileEmpty }
    // APPNOTE.TXT 4.3.7 (local file header) and 4.3.16 (end of central directory: an empty archive).
    if bytes.starts(with: [0x50, 0x4b, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4b, 0x05, 0x06]) {
      self = .zip
      return
    }
    var reader = ByteReader(bytes)
    switch reader.u32() {
    case MCUbootImage.magic?, MCUbootImage.oldMagic?, MCUbootImage.magic.byteSwapped?:
      self = .image
      return
    default: break
    }
    // SUIT envelope: CBOR tag 107 (facts/smp.md §7).
    if bytes.starts(with: [0xd8, 0x6b]) {
      self = .suit
      return
    }
    if bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46]) { throw .notFirmware(.elf) }
    if Self.isIntelHex(bytes) { throw .notFirmware(.intelHex) }
    if fileName.lowercased().hasSuffix(".zip") { throw .archiveBroken("it does not begin like one") }
    let isText = bytes.prefix(256).allSatisfy { (0x20...0x7e).contains($0) || (0x09...0x0d).contains($0) }
    throw .notFirmware(isText ? .text : nil)
  }

  /// A record's colon, and the eight digits that follow in every line.
  static func isIntelHex(_ bytes: [UInt8]) -> Bool {
    bytes.first == UInt8(ascii: ":") && bytes.prefix(9).dropFirst().allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }
}
