public import Firmware
import FoundationEssentials

/// Makes firmware for virtual boards: unsigned MCUboot images with a right header and a right hash (smp.md §5).
public enum VirtualFirmware {
  /// Smallest and largest payload that is made, in bytes.
  public static let sizes = 32...0x10_0000

  /// The bytes of an image file: header of 512 bytes as NCS builds them, a payload that differs with the version, one hash TLV.
  ///
  /// - Parameters:
  ///   - size: the length of the payload in bytes; brought into `sizes`.
  ///   - hash: the hash TLV's kind.
  ///   - place: where it runs.
  ///   - number: the image number that it is for; it only makes the payload another one.
  public static func make(
    version: ImageVersion, size: Int, hash: ImageDigest = .sha256, place: Place = .anywhere, number: Int = 0
  ) -> [UInt8] {
    let size = min(max(size, sizes.lowerBound), sizes.upperBound)
    let headerSize = 512
    var header: [UInt8] = StoredImage.magics[0]
    header += little(place.address, 4) + little(UInt32(headerSize), 2) + little(0, 2) + little(UInt32(size), 4) + little(place.flags, 4)
    header += [version.major, version.minor] + little(UInt32(version.revision), 2) + little(version.build, 4) + little(0, 4)
    header += [UInt8](repeating: 0xFF, count: headerSize - header.count)
    // A linear congruential sequence from the version: no two versions share a payload, and none compresses.
    var state = UInt64(version.major) << 56 | UInt64(version.minor) << 48 | UInt64(version.revision) << 32 | UInt64(version.build)
    state &+= (UInt64(clamping: number) << 32 | UInt64(place.address)) &* 0x9E37_79B9_7F4A_7C15
    var payload: [UInt8] = []
    payload.reserveCapacity(size)
    for _ in 0..<size {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      payload.append(UInt8(truncatingIfNeeded: state >> 56))
    }
    let body = header + payload
    let digest = hash.digest(body[...])
    return body + little(0x6907, 2) + little(UInt32(8 + digest.count), 2) + little(UInt32(hash.rawValue), 2) + little(UInt32(digest.count), 2) + digest
  }

  /// Where an image runs.
  public enum Place: Hashable, Sendable {
    /// From the first slot, to which the bootloader brings it.
    case anywhere
    /// From this address of flash, and nowhere else (`imgtool sign --rom-fixed`).
    case flash(UInt32)
    /// From RAM, to which the bootloader copies it.
    case memory(UInt32)

    /// `load_addr` and the flags of the image's header.
    var address: UInt32 {
      switch self {
      case .anywhere: 0
      case .flash(let address), .memory(let address): address
      }
    }

    var flags: UInt32 {
      switch self {
      case .anywhere: 0
      case .flash: StoredImage.romFixed
      case .memory: StoredImage.ramLoad
      }
    }
  }

  /// The same as a board holds it.
  public static func image(
    version: ImageVersion, size: Int, hash: ImageDigest = .sha256, place: Place = .anywhere, number: Int = 0
  ) -> StoredImage? {
    StoredImage(make(version: version, size: size, hash: hash, place: place, number: number))
  }

  /// Writes an image as `virtual-line-M.m.r.bin` into a folder and returns its path. Throws what the file system says.
  public static func write(version: ImageVersion, size: Int, hash: ImageDigest = .sha256, into folder: String) throws -> String {
    let path = folder + "/virtual-line-\(version.smpText).bin"
    try Data(make(version: version, size: size, hash: hash)).write(to: URL(filePath: path), options: .atomic)
    return path
  }

  private static func little(_ value: UInt32, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }
}
