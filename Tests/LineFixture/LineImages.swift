import Firmware
public import VirtualLine

/// Firmware for tests, as bytes of MCUboot image files.
public enum LineImages {
  /// What boards run at first: 1.0.0.
  public static let old = VirtualFirmware.make(version: ImageVersion(major: 1, minor: 0, revision: 0), size: 2000)
  /// What is flashed: 1.1.0.
  public static let new = VirtualFirmware.make(version: ImageVersion(major: 1, minor: 1, revision: 0), size: 20_000)

  public static func make(_ major: UInt8, _ minor: UInt8, size: Int = 4000) -> [UInt8] {
    VirtualFirmware.make(version: ImageVersion(major: major, minor: minor, revision: 0), size: size)
  }

  /// An update for boards that are built like `settings`, as a package of the SDK holds it: several images, one build for each slot, and so on.
  public static func package(_ settings: BoardSettings, _ major: UInt8 = 1, _ minor: UInt8 = 1, size: Int = 20_000) -> VirtualPackage {
    VirtualPackage(for: settings, version: ImageVersion(major: major, minor: minor, revision: 0), size: size)
  }

  /// The MCUboot hash, from the image's TLV (facts/smp.md §5).
  public static func hash(_ image: [UInt8]) -> [UInt8] { StoredImage(image)?.hash ?? [] }

  /// SHA-256 over the whole file.
  public static func digest(_ image: [UInt8]) -> [UInt8] { StoredImage(image)?.fileDigest ?? [] }
}
