/// Why a part cannot be transferred at all; said before anything is written.
public enum PartComplaint: Hashable, Sendable {
  case imageEmpty
  /// In bytes; both protocols count in words of four bytes.
  case imageNotWords(length: Int)
  case imageTooLong(length: Int, limit: Int)
  /// The sizes do not add up to the image, or do not belong to its type.
  case sizesWrong
  case initPacketMissing
  /// The board wants a longer one: the package is for an older bootloader.
  case initPacketTooShort(length: Int)
  case initPacketTooLong(length: Int, limit: Int)
  /// The board is older than the package and takes only a checksum of two bytes.
  case initPacketTooNew(length: Int)

  public var sentence: String {
    switch self {
    case .imageEmpty: "the image is empty"
    case .imageNotWords(let length): "the image's length of \(length) bytes is no multiple of 4"
    case .imageTooLong(let length, let limit): "the image has \(length) bytes, more than \(limit)"
    case .sizesWrong: "the part's sizes do not fit its image"
    case .initPacketMissing: "the package has no init packet, and this bootloader needs one"
    case .initPacketTooShort(let length): "the init packet has only \(length) bytes: the package is for an older bootloader"
    case .initPacketTooLong(let length, let limit): "the init packet has \(length) bytes, and this bootloader takes \(limit)"
    case .initPacketTooNew(let length):
      "the init packet has \(length) bytes, and this old bootloader takes only a checksum of 2: the package is for a newer one"
    }
  }
}
