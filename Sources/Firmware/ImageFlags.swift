/// The flags of an MCUboot image header.
///
/// Source: `IMAGE_F_*` of MCUboot's `bootutil/image.h` (facts/smp.md §5).
public struct ImageFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let positionIndependent = ImageFlags(rawValue: 0x1)
  public static let encryptedAES128 = ImageFlags(rawValue: 0x4)
  public static let encryptedAES256 = ImageFlags(rawValue: 0x8)
  public static let nonBootable = ImageFlags(rawValue: 0x10)
  public static let ramLoad = ImageFlags(rawValue: 0x20)
  public static let romFixed = ImageFlags(rawValue: 0x100)
  public static let compressedLZMA1 = ImageFlags(rawValue: 0x200)
  public static let compressedLZMA2 = ImageFlags(rawValue: 0x400)
  public static let compressedARMThumb = ImageFlags(rawValue: 0x800)

  private static let names: [(ImageFlags, String)] = [
    (.positionIndependent, "position_independent"), (.encryptedAES128, "encrypted_aes128"), (.encryptedAES256, "encrypted_aes256"),
    (.nonBootable, "non_bootable"), (.ramLoad, "ram_load"), (.romFixed, "rom_fixed"), (.compressedLZMA1, "compressed_lzma1"),
    (.compressedLZMA2, "compressed_lzma2"), (.compressedARMThumb, "compressed_arm_thumb"),
  ]

  /// The flags by name, in bit order; bits without a name as one hexadecimal number.
  public var texts: [String] {
    let known = Self.names.filter { contains($0.0) }
    let unknown = rawValue & ~Self.names.reduce(0) { $0 | $1.0.rawValue }
    return known.map(\.1) + (unknown == 0 ? [] : ["0x" + String(unknown, radix: 16)])
  }
}
