import FoundationEssentials

/// What a synthetic image says of itself to the board that runs it, for real ones are encrypted and say nothing.
///
/// The block is the same as on the rig's boards (Tests/RealStack/boards/mcuboot.py): a zero, `FLASHLINE-APP`, a little-endian length, JSON.
public struct ImageMetadata: Hashable, Sendable, Codable {
  public var version: String?
  /// The lowest bootloader version over which the application starts.
  public var requiresBootloader: String?
  /// Above this bootloader version the application is dead, and so is the board (metaboot.md §9, thread 6781).
  public var deadAbove: String?
  /// The identifier that the SoftDevice in the image has.
  public var softDevice: UInt16?
  /// False: the application never starts.
  public var boots: Bool?

  public init(version: String? = nil, requiresBootloader: String? = nil, softDevice: UInt16? = nil) {
    self.version = version
    self.requiresBootloader = requiresBootloader
    self.softDevice = softDevice
  }

  enum CodingKeys: String, CodingKey {
    case version
    case requiresBootloader = "requires_bootloader"
    case deadAbove = "dead_above"
    case softDevice = "softdevice"
    case boots
  }

  private static let mark: [UInt8] = [0] + Array("FLASHLINE-APP".utf8)
  private static let longest = 1024

  /// The first block in an image; nil without one.
  init?(in image: [UInt8]) {
    guard let at = Self.find(in: image), let length = LittleEndian.read(image, at: at, 2), Int(length) <= Self.longest,
      at + 2 + Int(length) <= image.count,
      let found = try? JSONDecoder().decode(ImageMetadata.self, from: Data(image[(at + 2)..<(at + 2 + Int(length))]))
    else { return nil }
    self = found
  }

  /// The block, padded to a multiple of four.
  func block() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = Array(try encoder.encode(self))
    let block = Self.mark + LittleEndian.bytes(UInt32(text.count), 2) + text
    return block + [UInt8](repeating: 0, count: (4 - block.count % 4) % 4)
  }

  /// The index behind the mark.
  private static func find(in image: [UInt8]) -> Int? {
    guard image.count >= mark.count else { return nil }
    for start in 0...(image.count - mark.count) where image[start] == 0 {
      if mark.indices.allSatisfy({ image[start + $0] == mark[$0] }) { return start + mark.count }
    }
    return nil
  }
}
