import Firmware

@testable import Flashing
@testable import VirtualLine

/// Packages of Secure DFU with images of any length: an unsigned init packet by hand (facts/nordic-dfu.md §3.6), so that a virtual board can tell its version.
enum SecureFirmware {
  static let version = "2.0.0"
  /// Two whole objects of 4096 bytes and a part of a third.
  static let length = 2 * 4096 + 1808

  static func shelf(_ length: Int = length, fwVersion: UInt8 = 1, hwVersion: UInt8 = 52, softDevice: UInt16 = 0x88) throws -> PackageShelf {
    let image = try RescueFirmware.image(length, ImageMetadata(version: version))
    let packet = initPacket(image, fwVersion, hwVersion, softDevice)
    let manifest = Array(#"{"manifest":{"application":{"bin_file":"app.bin","dat_file":"app.dat"}}}"#.utf8)
    let archive = StoredZip.archive([("manifest.json", manifest), ("app.bin", image), ("app.dat", packet)])
    return PackageShelf(try NordicPackage(fileName: "secure.zip", bytes: archive), version: TestShelf.version(version))
  }

  private static func initPacket(_ image: [UInt8], _ fwVersion: UInt8, _ hwVersion: UInt8, _ softDevice: UInt16) -> [UInt8] {
    let hash = Array(ImageDigest.sha256.digest(image[...]).reversed())
    // fw_version, hw_version, sd_req (packed), type application, three sizes, hash of type SHA-256.
    let numbers: [UInt8] = [0x08, fwVersion, 0x10, hwVersion] + field(3, varint(UInt64(softDevice)))
    let content = numbers + [0x20, 0x00, 0x28, 0x00, 0x30, 0x00, 0x38] + varint(UInt64(image.count)) + field(8, [0x08, 0x03] + field(2, hash))
    return field(1, [0x08, 0x01] + field(2, content))
  }

  private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { [number << 3 | 2] + varint(UInt64(content.count)) + content }

  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(truncatingIfNeeded: value) | 0x80] + varint(value >> 7)
  }
}
