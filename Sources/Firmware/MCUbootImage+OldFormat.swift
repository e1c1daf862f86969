/// Images of the format before MCUboot 1.0, as Mynewt's first bootloader took them.
///
/// Source: the boot loader chapter of Mynewt's documentation, "Image Format" (facts/device-manager.md §3.5: type 0x01 is the hash there). The header has the
/// same length, but at offset 4 the size of the entries (u16) and a key number (u8); the entries have no head of their own, and a u8 type with a u8 of padding.
extension MCUbootImage {
  /// `IMAGE_F_PIC` and `IMAGE_F_NON_BOOTABLE`, which kept their bits. The other bits meant kinds of signature.
  static let oldFlags: ImageFlags = [.positionIndependent, .nonBootable]

  /// The entries of an image in the old format, with the types that mean the same today.
  static func oldEntries(_ bytes: [UInt8], at start: Int, size: Int) throws(PackageError) -> [ImageEntry] {
    guard size > 0 else { throw .imageEntriesMissing }
    guard start + size <= bytes.count else { throw .imageTruncated(.entries, needed: start + size, have: bytes.count) }
    var reader = ByteReader(bytes, from: start, to: start + size)
    var entries: [ImageEntry] = []
    while reader.remaining > 0 {
      let offset = reader.offset
      guard let type = reader.u8(), reader.u8() != nil, let length = reader.u16() else { throw .imageEntryBroken(type: nil, offset: offset) }
      guard let value = reader.take(Int(length)) else { throw .imageEntryBroken(type: UInt16(type), offset: offset) }
      entries.append(ImageEntry(type: oldTypes[type] ?? UInt16(type) << 8, value: value))
    }
    return entries
  }

  /// `IMAGE_TLV_SHA256`, `IMAGE_TLV_RSA2048`, `IMAGE_TLV_ECDSA224`, `IMAGE_TLV_ECDSA256` of then. Unknown types go where today's have no meaning.
  private static let oldTypes: [UInt8: UInt16] = [
    1: ImageEntry.Kind.sha256.rawValue, 2: ImageEntry.Kind.rsa2048.rawValue, 3: ImageEntry.Kind.ecdsa224.rawValue, 4: ImageEntry.Kind.ecdsa.rawValue,
  ]
}
