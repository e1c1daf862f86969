/// The flags at a slot's end that MCUboot decides by (smp.md §5, "Trailer").
struct SlotTrailer: Hashable, Sendable {
  var magic = false
  var imageOK = false
  var copyDone = false

  static let magicBytes: [UInt8] = [0x77, 0xC2, 0x95, 0xF3, 0x60, 0xD2, 0xEF, 0x7F, 0x35, 0x52, 0x50, 0x0F, 0x2C, 0xB6, 0x79, 0x80]
  /// Of an image that runs for good.
  static let confirmed = SlotTrailer(magic: true, imageOK: true, copyDone: true)

  init(magic: Bool = false, imageOK: Bool = false, copyDone: Bool = false) {
    self.magic = magic
    self.imageOK = imageOK
    self.copyDone = copyDone
  }

  /// Read from a file as long as its slot (`imgtool sign --pad` or `--confirm`), write alignment 8.
  init(endOf bytes: [UInt8]) {
    guard bytes.count >= 32, Array(bytes.suffix(16)) == Self.magicBytes else { return }
    magic = true
    imageOK = bytes[bytes.count - 24] == 1
    copyDone = bytes[bytes.count - 32] == 1
  }
}

/// One flash slot: what was written to it, and its trailer.
struct FlashSlot: Sendable {
  private enum Content: Sendable {
    case blank
    /// An upload that is not whole (yet).
    case partial([UInt8])
    /// Bytes that are no image.
    case junk([UInt8])
    case image(StoredImage)
  }

  let size: Int
  /// Where it begins in flash.
  let address: UInt32
  var trailer = SlotTrailer()
  private var content = Content.blank

  init(size: Int, address: UInt32 = 0, image: StoredImage? = nil) {
    self.size = size
    self.address = address
    if let image { content = .image(image) }
  }

  var isBlank: Bool {
    if case .blank = content { return trailer == SlotTrailer() }
    return false
  }

  /// Nil without a valid header and hash TLV.
  var image: StoredImage? {
    if case .image(let image) = content { return image }
    return nil
  }

  /// What MCUboot would start.
  var runnable: StoredImage? { image.flatMap { $0.valid && $0.bootable ? $0 : nil } }

  var count: Int {
    switch content {
    case .blank: 0
    case .partial(let bytes), .junk(let bytes): bytes.count
    case .image(let image): image.bytes.count
    }
  }

  mutating func erase() {
    content = .blank
    trailer = SlotTrailer()
  }

  /// Appends to an upload; the bytes leave the enum while they grow, so that they are not copied at each chunk.
  mutating func append(_ data: [UInt8]) {
    var bytes: [UInt8] = []
    if case .partial(let written) = content { bytes = written }
    content = .blank
    bytes += data
    content = .partial(bytes)
  }

  /// Ends an upload: what was written is now an image, or junk. `spoilt` turns one byte of the payload over first.
  mutating func finish(spoilt: Bool) {
    guard case .partial(var bytes) = content else { return }
    if spoilt, let last = bytes.indices.last { bytes[min(last, 600)] ^= 0xFF }
    if bytes.count == size { trailer = SlotTrailer(endOf: bytes) }
    content = StoredImage(bytes).map { .image($0) } ?? .junk(bytes)
  }

  mutating func put(_ image: StoredImage?, _ trailer: SlotTrailer) {
    content = image.map { .image($0) } ?? .blank
    self.trailer = trailer
  }

  /// Lets this slot use `image`'s bytes when they are the same: the line's memory, not the board's behaviour.
  mutating func share(_ image: StoredImage) {
    if case .image(let own) = content, own == image { content = .image(image) }
  }
}
