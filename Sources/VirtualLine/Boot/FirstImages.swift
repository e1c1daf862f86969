import Firmware

/// What a board holds before anybody has flashed it: each image of its settings in its version, for the place where it runs.
enum FirstImages {
  /// Bytes of a firmware loader's payload.
  static let loaderSize = 8192
  /// Where an image of a bootloader that loads to RAM runs (the RAM of an nRF52).
  static let memory: UInt32 = 0x2000_0000

  /// By image number; nil where a version is none.
  ///
  /// - Parameter size: the length of a payload in bytes.
  static func make(_ settings: BoardSettings, size: Int) -> [StoredImage?] {
    (0..<settings.imageCount).map { image($0, settings, size: size) }
  }

  static func image(_ number: Int, _ settings: BoardSettings, size: Int) -> StoredImage? {
    guard let version = ImageVersion(settings.image(number).version ?? settings.version), let hash = settings.digest(of: number) else { return nil }
    return VirtualFirmware.image(version: version, size: size, hash: hash, place: settings.place(of: number, slot: 0), number: number)
  }

  static func loader(_ settings: BoardSettings) -> StoredImage? {
    guard let version = ImageVersion(settings.loader.version), let hash = settings.digest(of: 0) else { return nil }
    return VirtualFirmware.image(version: version, size: loaderSize, hash: hash)
  }
}
