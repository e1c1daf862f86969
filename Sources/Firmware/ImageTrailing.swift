/// What stands behind an image in its file: nothing, in a file that is meant to be uploaded.
///
/// Source of the trailer: MCUboot design document, "Image trailer" (facts/smp.md §5). `imgtool sign --pad` and `--confirm` write it.
public enum ImageTrailing: Hashable, Sendable {
  case nothing
  /// Erased flash (all 0xff or all 0x00) and no trailer.
  case padding(bytes: Int)
  /// A whole slot with MCUboot's trailer; `confirmed` when its `image_ok` is set.
  case trailer(bytes: Int, confirmed: Bool)
  /// Bytes that are neither.
  case other(bytes: Int)

  /// The last 16 bytes of a slot with BOOT_MAX_ALIGN 8; with larger alignments, u16 alignment and the 14 bytes of `alignedMagic`.
  private static let magic: [UInt8] = [0x77, 0xc2, 0x95, 0xf3, 0x60, 0xd2, 0xef, 0x7f, 0x35, 0x52, 0x50, 0x0f, 0x2c, 0xb6, 0x79, 0x80]
  private static let alignedMagic: [UInt8] = [0x2d, 0xe1, 0x5d, 0x29, 0x41, 0x0b, 0x8d, 0x77, 0x67, 0x9c, 0x11, 0x0f, 0x1f, 0x8a]

  init(_ bytes: [UInt8], after end: Int) {
    let rest = bytes.dropFirst(end)
    if rest.isEmpty {
      self = .nothing
    } else if let alignment = Self.alignment(rest) {
      // image_ok stands one alignment unit before the magic number, which itself is rounded up to whole units.
      let position = (Self.magic.count + alignment - 1) / alignment * alignment + alignment
      let imageOK = rest.count >= position ? rest[rest.endIndex - position] : 0xff
      self = .trailer(bytes: rest.count, confirmed: imageOK == 1)
    } else if rest.allSatisfy({ $0 == 0xff }) || rest.allSatisfy({ $0 == 0 }) {
      self = .padding(bytes: rest.count)
    } else {
      self = .other(bytes: rest.count)
    }
  }

  /// BOOT_MAX_ALIGN, when `rest` ends with a trailer's magic number.
  private static func alignment(_ rest: ArraySlice<UInt8>) -> Int? {
    if rest.suffix(magic.count).elementsEqual(magic) { return 8 }
    guard rest.count >= magic.count, rest.suffix(alignedMagic.count).elementsEqual(alignedMagic) else { return nil }
    var reader = ByteReader(Array(rest.suffix(magic.count)))
    return reader.u16().map(Int.init).flatMap { [16, 32].contains($0) ? $0 : nil }
  }
}
