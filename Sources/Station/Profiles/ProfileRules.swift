public import Bluetooth
public import Catalogue
import Firmware
public import Flashing

/// `[identity]`: what the board must say of itself before anything is written. Nil is not asked.
public struct IdentityRules: Hashable, Sendable {
  public enum Serial: String, Hashable, Sendable, CaseIterable {
    case none
    /// The board must have one.
    case required
    /// The board must have one, and no other board may have the same.
    case unique
  }

  public var modelNumber: String?
  public var hardwareRevision: String?
  public var manufacturer: String?
  public var serial: Serial

  init(_ values: IniValues) throws(ConfigurationError) {
    modelNumber = try values.optional(ProfileKeys.modelNumber, "text") { $0 }
    hardwareRevision = try values.optional(ProfileKeys.hardwareRevision, "text") { $0 }
    manufacturer = try values.optional(ProfileKeys.manufacturer, "text") { $0 }
    serial = try values.choice(ProfileKeys.serial)
  }
}

/// `[firmware]`: which package boards of this kind get.
public struct FirmwareRules: Hashable, Sendable {
  /// The path, already relative to the profile's folder.
  public var package: String?
  /// Lower-case hexadecimal digest of the package file; another file is refused.
  public var sha256: String?
  /// The version that the image must have, in a form that `ImageVersion` reads; for boards without MCUboot in one that `FirmwareVersion` reads.
  public var version: String?
  public var allowDowngrade: Bool

  init(_ values: IniValues, family: BoardProfile.Family) throws(ConfigurationError) {
    package = try values.path(ProfileKeys.package)
    sha256 = try values.optional(ProfileKeys.sha256, "the 64 hexadecimal digits that sha256sum prints") {
      $0.count == 64 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } ? $0.lowercased() : nil
    }
    if family == .mcuboot {
      version = try values.optional(ProfileKeys.version, "a version like 1.2.3+4") { ImageVersion($0) == nil ? nil : $0 }
    } else {
      version = try values.optional(ProfileKeys.version, "a version like 1.7.3 or 2.0.0-beta") { FirmwareVersion($0) == nil ? nil : $0 }
    }
    allowDowngrade = try values.flag(ProfileKeys.allowDowngrade)
  }
}

/// `[upgrade]`: how an MCUboot board is updated.
public struct UpgradeRules: Hashable, Sendable {
  public var mode: UpgradeMode
  /// Requests under way at once; nil follows what the board says of its buffers.
  public var pipelineDepth: Int?
  /// Chunks of an upload are a multiple of it, the last one aside; 1 is any size.
  public var byteAlignment: Int
  /// The largest request that the board reassembles, in bytes; 0 when it cannot; nil finds out.
  public var reassemblyBufferSize: Int?
  public var eraseAppSettings: Bool
  /// What holds when the board does not tell: MCUboot's number (facts/device-manager.md §1.2); nil is unknown.
  public var bootloaderMode: UInt8?
  /// How long the swap usually takes: only shown, for the board's advertisement is waited for anyway.
  public var estimatedSwapTime: Duration

  /// MCUboot's bootloader modes; the place in the list is the number (facts/device-manager.md §1.2).
  static let bootloaderModes = [
    "single-application", "swap-scratch", "overwrite", "swap-move", "direct-xip", "direct-xip-revert", "ram-load", "firmware-loader",
  ]

  init(_ values: IniValues) throws(ConfigurationError) {
    mode = try values.choice(ProfileKeys.mode)
    pipelineDepth = try Self.autoOr(values, ProfileKeys.pipelineDepth, in: 1...32)
    byteAlignment = try values.value(ProfileKeys.byteAlignment, "one of 1, 2, 4, 8, 16") { text in [1, 2, 4, 8, 16].first { String($0) == text } }
    reassemblyBufferSize = try Self.autoOr(values, ProfileKeys.reassemblyBufferSize, in: 0...65_535)
    eraseAppSettings = try values.flag(ProfileKeys.eraseAppSettings)
    let modes = "auto, or one of " + Self.bootloaderModes.joined(separator: ", ")
    bootloaderMode = try values.value(ProfileKeys.bootloaderMode, modes) { (text) -> UInt8?? in
      if text == "auto" { return .some(nil) }
      return Self.bootloaderModes.firstIndex(of: text).map { .some(UInt8($0)) }
    }
    estimatedSwapTime = try values.duration(ProfileKeys.estimatedSwapTime, in: .zero...(.seconds(600)))
  }

  static func autoOr(_ values: IniValues, _ key: IniKey, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
    try values.value(key, "auto, or a whole number from \(range.lowerBound) to \(range.upperBound)") { (text) -> Int?? in
      if text == "auto" { return .some(nil) }
      return IniValues.integer(text, in: range).map { .some($0) }
    }
  }
}

/// `[rescue]`: how a board that is stuck in its bootloader is recognised and flashed.
public struct RescueRules: Hashable, Sendable {
  public enum DFUProtocol: String, Hashable, Sendable, CaseIterable {
    case auto, legacy, secure
  }

  /// The local name of the bootloader; nil is the family's (MetaBoot for MetaWear boards), otherwise any.
  public var name: String?
  /// What the bootloader advertises; nil is the family's and the protocol's.
  public var service: BluetoothUUID?
  public var `protocol`: DFUProtocol
  /// A board counts as stranded only after advertising as a bootloader for so long without a break.
  public var strandedAfter: Duration
  /// Where the catalogue of its firmware is; nil: the profile or the job names a package.
  public var catalog: CatalogueLocation?
  /// Which kind of application build of the catalogue.
  public var flavor: String
  /// Packets between two receipts; 0 counts as 1, because nothing else would slow the station down.
  public var packetReceipt: Int
  /// Bytes a packet; nil follows the protocol and the connection.
  public var packetSize: Int?
  /// `hw_version` of these boards' Secure bootloader, which an init packet must name; nil is not known.
  public var hwVersion: UInt32?
  /// `fw_version` of the application that these boards have, below which their Secure bootloader takes none; nil is not known.
  public var fwVersion: UInt32?
  /// The bootloader takes signed images only, and so has room for their long init packets.
  public var signed: Bool

  init(_ values: IniValues, family: BoardProfile.Family) throws(ConfigurationError) {
    name = try values.optional(ProfileKeys.rescueName, "a name of at most 64 characters") { $0.count <= 64 ? $0 : nil }
    service = try values.optional(ProfileKeys.rescueService, "a service like 0xFE59") { BluetoothUUID($0) }
    `protocol` = try values.choice(ProfileKeys.rescueProtocol)
    // MetaBoot speaks Legacy DFU only, and never shows the service of Secure DFU (facts/metaboot.md §1.2).
    if family == .metawear, `protocol` == .secure {
      throw values.complaint(ProfileKeys.rescueProtocol, "MetaWear boards have no Secure DFU", "write protocol = auto, or family = nordic-dfu")
    }
    strandedAfter = try values.duration(ProfileKeys.strandedAfter, in: .seconds(1)...(.seconds(86_400)))
    let folder = values.file?.folder ?? "."
    catalog = try values.optional(ProfileKeys.catalog, "an address like https://host/info2.json, or a path from / or relative to this file") {
      $0.hasPrefix("~") ? nil : CatalogueLocation($0, relativeTo: folder)
    }
    flavor = try values.value(ProfileKeys.flavor, "a word like vanilla; \(CatalogueBuild.bootloaderFlavor) is not for applications") {
      $0.count <= 64 && $0 != CatalogueBuild.bootloaderFlavor && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._+-".contains($0)) } ? $0 : nil
    }
    packetReceipt = try values.integer(ProfileKeys.packetReceipt, in: 0...65_535)
    packetSize = try UpgradeRules.autoOr(values, ProfileKeys.packetSize, in: 20...509)
    hwVersion = try Self.number(values, ProfileKeys.hwVersion)
    fwVersion = try Self.number(values, ProfileKeys.fwVersion)
    signed = try values.flag(ProfileKeys.signed)
  }

  private static func number(_ values: IniValues, _ key: IniKey) throws(ConfigurationError) -> UInt32? {
    try values.optional(key, "a whole number from 0 to \(UInt32.max)") { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(text) : nil
    }
  }
}
