import FoundationEssentials

/// Synthetic MetaWear firmware for the virtual line's stranded boards: Legacy DFU packages and the catalogue that names them.
///
/// The chain is that of the public catalogue for hardware 0.2, model 6 (metaboot.md §3.4); the images are made here and hold `ImageMetadata`.
public enum RescueFirmware {
  /// The application version that the catalogue's latest build has.
  public static let version = "1.4.5"
  public static let model = "6"
  public static let hardware = "0.2"
  public static let manufacturer = "MbientLab Inc"
  /// Bytes of the application's image.
  public static let imageSize = 16_000

  static let softDevice: UInt16 = 0x88
  /// What the SoftDevice of `sd_bl.zip` has.
  static let newSoftDevice: UInt16 = 0x8C

  private struct Stage {
    var version: String
    var part: DFUPart
    var requires: String
    var file: String { part == .both ? "sd_bl.zip" : "bl.zip" }
  }

  private static let chain = [
    Stage(version: "0.2.2", part: .bootloader, requires: "0.2.1"), Stage(version: "0.3.1", part: .both, requires: "0.2.2"),
    Stage(version: "0.3.2", part: .bootloader, requires: "0.3.1"), Stage(version: "0.3.3", part: .bootloader, requires: "0.3.2"),
  ]

  /// The bootloader that the application needs: the last of the chain.
  static let requiredBootloader = "0.3.3"

  /// Writes `info2.json` and below it the packages, `0.2/6/vanilla/1.4.5/firmware.zip` and so on. Throws what the file system says.
  ///
  /// - Returns: the path of `info2.json`.
  public static func write(into folder: String) throws -> String {
    for (path, content) in try files() {
      let url = URL(filePath: folder + "/" + path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content).write(to: url, options: .atomic)
    }
    return folder + "/info2.json"
  }

  /// All files by their paths in the catalogue's folder.
  static func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var bootloaders: [String: [String: String]] = [:]
    for stage in chain {
      let metadata = ImageMetadata(version: stage.version, softDevice: stage.part == .both ? newSoftDevice : nil)
      files["\(hardware)/\(model)/bootloader/\(stage.version)/\(stage.file)"] = try package(stage.part, image(8000, metadata))
      bootloaders[stage.version] = leaf(stage.file, stage.requires)
    }
    let application = ImageMetadata(version: version, requiresBootloader: requiredBootloader)
    files["\(hardware)/\(model)/vanilla/\(version)/firmware.zip"] = try package(.application, image(imageSize, application))
    let catalogue = [hardware: [model: ["vanilla": [version: leaf("firmware.zip", requiredBootloader)], "bootloader": bootloaders]]]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    files["info2.json"] = Array(try encoder.encode(catalogue))
    return files
  }

  private static func leaf(_ file: String, _ requires: String) -> [String: String] {
    ["filename": file, "required-bootloader": requires, "min-ios-version": "3.0.0", "min-android-version": "3.0.0"]
  }

  /// Bytes that differ with the version and do not compress, and the metadata at their end; a multiple of four.
  static func image(_ size: Int, _ metadata: ImageMetadata) throws -> [UInt8] {
    let block = try metadata.block()
    var state = (metadata.version ?? "").utf8.reduce(UInt64(size)) { $0 &* 31 &+ UInt64($1) }
    let body = (0..<max(64, size - block.count)).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    return body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4) + block
  }

  /// The 14-byte or longer init packet of SDK 7 and later with its CRC-16 (nordic-dfu.md §2.6).
  static func initPacket(_ image: [UInt8], deviceType: UInt16 = 6, revision: UInt16 = 2, softDevices: [UInt16] = [softDevice, newSoftDevice]) -> [UInt8] {
    let head = LittleEndian.bytes(UInt32(deviceType), 2) + LittleEndian.bytes(UInt32(revision), 2) + LittleEndian.bytes(0xFFFF_FFFF)
    let list = LittleEndian.bytes(UInt32(clamping: softDevices.count), 2) + softDevices.flatMap { LittleEndian.bytes(UInt32($0), 2) }
    return head + list + LittleEndian.bytes(UInt32(Checksums.crc16(image)), 2)
  }

  private struct Manifest: Encodable {
    struct Content: Encodable {
      var application: Part?
      var bootloader: Part?
      var softdevice_bootloader: Part?
      var dfu_version = 0.5
    }

    struct Part: Encodable {
      struct InitData: Encodable {
        var application_version: UInt32 = 0xFFFF_FFFF
        var device_revision: UInt16 = 2
        var device_type: UInt16 = 6
        var firmware_crc16: UInt16
        var softdevice_req: [UInt16]
      }

      var bin_file: String
      var dat_file: String
      var init_packet_data: InitData
      var sd_size: Int?
      var bl_size: Int?
    }

    var manifest: Content
  }

  /// A package with one part; SoftDevice and bootloader share the image half and half.
  static func package(_ part: DFUPart, _ image: [UInt8]) throws -> [UInt8] {
    let stem = part == .application ? "firmware" : part.word
    let half = image.count / 8 * 4
    let entry = Manifest.Part(
      bin_file: "\(stem).bin", dat_file: "\(stem).dat",
      init_packet_data: .init(firmware_crc16: Checksums.crc16(image), softdevice_req: [softDevice, newSoftDevice]),
      sd_size: part == .both ? half : nil, bl_size: part == .both ? image.count - half : nil)
    var content = Manifest.Content()
    switch part {
    case .application: content.application = entry
    case .both: content.softdevice_bootloader = entry
    case .bootloader, .softDevice: content.bootloader = entry
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let manifest = Array(try encoder.encode(Manifest(manifest: content)))
    return StoredZip.archive([("manifest.json", manifest), ("\(stem).bin", image), ("\(stem).dat", initPacket(image))])
  }
}
