public import Firmware
import FoundationEssentials

/// An update for virtual boards as a build of the nRF Connect SDK leaves it: one image file, or a zip archive with a manifest (smp.md §6).
public struct VirtualPackage: Hashable, Sendable {
  /// One image file.
  public struct Part: Hashable, Sendable {
    /// Image number.
    public let image: Int
    /// 0 or 1 within the image: 1 unless it is linked for the first slot, or a firmware loader writes it there.
    public let slot: Int
    public let file: String
    public let bytes: [UInt8]
    /// Where it is linked for.
    public let loadAddress: UInt32
    fileprivate let kind: Kind
  }

  fileprivate enum Kind: Hashable, Sendable {
    case application
    case inPlace
    case other
    case networkCore
  }

  public let version: ImageVersion
  public let parts: [Part]

  /// An update to `version` for boards that are built like `settings`, with every image that they have.
  ///
  /// - Parameter size: bytes of the application's payload; other images have half of it.
  public init(for settings: BoardSettings, version: ImageVersion, size: Int) {
    self.version = version
    parts = (0..<settings.imageCount).flatMap { number in
      let runsInPlace = settings.mode(of: number).runsInPlace
      let slots = runsInPlace ? [0, 1] : [settings.bootMode == .firmwareLoader ? 0 : 1]
      return slots.map { slot in
        let bytes = VirtualFirmware.make(
          version: version, size: number == 0 ? size : size / 2, hash: settings.digest(of: number) ?? .sha256,
          place: settings.place(of: number, slot: slot), number: number)
        let kind: Kind =
          runsInPlace ? .inPlace : number == 0 ? .application : settings.image(number).listing == .full ? .other : .networkCore
        return Part(
          image: number, slot: slot, file: Self.file(number, slot, kind), bytes: bytes,
          loadAddress: settings.slotAddresses(of: number)[runsInPlace ? slot : 0], kind: kind)
      }
    }
  }

  /// Names as the SDK gives them.
  private static func file(_ number: Int, _ slot: Int, _ kind: Kind) -> String {
    let suffix = number == 0 ? "" : "_\(number)"
    return switch kind {
    case .application: "app.signed.bin"
    case .inPlace: (slot == 0 ? "app" : "mcuboot_secondary_app") + suffix + ".signed.bin"
    case .other: "nrf70\(suffix).bin"
    case .networkCore: "ipc_radio\(suffix).bin"
    }
  }

  /// One image file needs no archive.
  public var isArchive: Bool { parts.count > 1 }

  /// The file's content. Throws when JSON cannot be written.
  public func bytes() throws -> [UInt8] {
    guard isArchive else { return parts.first?.bytes ?? [] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let manifest = Array(try encoder.encode(PackageManifest(files: parts.map { PackageManifest.File($0, version) })))
    return StoredZip.archive([("manifest.json", manifest)] + parts.map { ($0.file, $0.bytes) })
  }

  /// Writes `virtual-line-M.m.r.zip` or `.bin` into a folder and returns its path. Throws what the file system says.
  public func write(into folder: String) throws -> String {
    let path = folder + "/virtual-line-\(version.smpText)." + (isArchive ? "zip" : "bin")
    try Data(try bytes()).write(to: URL(filePath: path), options: .atomic)
    return path
  }
}

/// `manifest.json` as `generate_zip.py` writes it: what was given as `key=value` is text, what began with `0x` a number (smp.md §6).
private struct PackageManifest: Encodable {
  struct File: Encodable {
    var type = "application"
    var board: String
    var soc: String
    var loadAddress: UInt32
    var imageIndex: String
    var slot: String?
    var slotPrimary: String?
    var slotSecondary: String?
    var version: String?
    var versionMCUboot: String?
    var versionXIP: String?
    var size: Int
    var file: String
    var modtime = 1_796_000_000

    enum CodingKeys: String, CodingKey {
      case type, board, soc, slot, version, size, file, modtime
      case loadAddress = "load_address"
      case imageIndex = "image_index"
      case slotPrimary = "slot_index_primary"
      case slotSecondary = "slot_index_secondary"
      case versionMCUboot = "version_MCUBOOT"
      case versionXIP = "version_MCUBOOT+XIP"
    }

    init(_ part: VirtualPackage.Part, _ version: ImageVersion) {
      let isNetwork = part.kind == .networkCore
      board = isNetwork ? "virtual_line/nrf5340/cpunet" : "virtual_line"
      soc = "nrf5340"
      loadAddress = part.loadAddress
      imageIndex = String(part.image)
      size = part.bytes.count
      file = part.file
      switch part.kind {
      case .inPlace:
        // Counted through all images.
        slot = String(2 * part.image + part.slot)
        versionXIP = version.description
      case .application, .other, .networkCore:
        slotPrimary = String(2 * part.image + 1)
        slotSecondary = String(2 * part.image + 2)
        if isNetwork { self.version = "1" } else { versionMCUboot = version.description }
      }
    }
  }

  var format = 1
  var time = 1_796_000_000
  var name = "virtual-line"
  var files: [File]

  enum CodingKeys: String, CodingKey {
    case format = "format-version"
    case time, name, files
  }
}
