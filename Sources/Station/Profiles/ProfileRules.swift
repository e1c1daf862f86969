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
  /// Where the package comes from.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// A file that the profile or the operator names.
    case package
    /// The latest release of a server, resolved when a batch begins.
    case ota
  }

  public var source: Source
  /// The path, already relative to the profile's folder.
  public var package: String?
  /// What a release is asked for by.
  public var release: ReleaseRules
  /// Lower-case hexadecimal digest of the package file; another file is refused.
  public var sha256: String?
  /// The version that the image must have, in a form that `ImageVersion` reads; for boards without MCUboot in one that `FirmwareVersion` reads.
  public var version: String?
  /// The boards that the package's manifest may name, compared up to the first `/`; empty is any.
  public var boards: [String]
  /// Likewise for `soc`.
  public var socs: [String]
  /// An image without a signature is taken, too.
  public var allowUnsigned: Bool
  public var allowDowngrade: Bool

  init(_ values: IniValues, family: BoardProfile.Family) throws(ConfigurationError) {
    source = try values.choice(ProfileKeys.source)
    package = try values.path(ProfileKeys.package)
    release = try ReleaseRules(values)
    try Self.checkSource(values, source, release)
    sha256 = try values.optional(ProfileKeys.sha256, "the 64 hexadecimal digits that sha256sum prints") {
      $0.count == 64 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } ? $0.lowercased() : nil
    }
    if family == .mcuboot {
      version = try values.optional(ProfileKeys.version, "a version like 1.2.3+4") { ImageVersion($0) == nil ? nil : $0 }
    } else {
      version = try values.optional(ProfileKeys.version, "a version like 1.7.3 or 2.0.0-beta") { FirmwareVersion($0) == nil ? nil : $0 }
    }
    boards = try Self.names(values, ProfileKeys.firmwareBoard, "boards as manifest.json names them, like nrf5340dk/nrf5340/cpuapp, with commas between")
    socs = try Self.names(values, ProfileKeys.firmwareSoC, "chips as manifest.json names them, like nrf5340, with commas between")
    allowUnsigned = try values.flag(ProfileKeys.allowUnsigned)
    allowDowngrade = try values.flag(ProfileKeys.allowDowngrade)
  }
}

extension FirmwareRules {
  /// A profile has one source, and a server must be told which board it is asked for.
  private static func checkSource(_ values: IniValues, _ source: Source, _ release: ReleaseRules) throws(ConfigurationError) {
    guard source == .ota else { return }
    for key in [ProfileKeys.package, ProfileKeys.catalog] where values.isSet(key) {
      throw values.complaint(key, "\(key.label) is set, and [firmware] source = ota takes the server's", "leave one of them out")
    }
    for (key, value) in [(ProfileKeys.hardwareVersion, release.hardwareVersion), (ProfileKeys.softwareType, release.softwareType)] where value == nil {
      throw values.complaint(ProfileKeys.source, "[firmware] source = ota needs \(key.name)", "write \(key.name) = what the cloud knows these boards by")
    }
  }

  private static func names(_ values: IniValues, _ key: IniKey, _ expected: String) throws(ConfigurationError) -> [String] {
    try values.optional(key, expected) { (text) -> [String]? in
      let names = text.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
      return names.isEmpty || names.contains { $0.hasPrefix("/") } ? nil : names
    } ?? []
  }
}

/// `[upgrade]`: how an MCUboot board is updated.
public struct UpgradeRules: Hashable, Sendable {
  public var mode: UpgradeMode
  /// Requests under way at once; nil follows what the board says of its buffers.
  public var pipelineDepth: Int?
  /// Chunks of an upload are a multiple of it, the last one aside; 1 is any size, and what 0 (disabled) comes to.
  public var byteAlignment: Int
  /// The largest request that the board reassembles, in bytes; 0 when it cannot; nil finds out.
  public var reassemblyBufferSize: Int?
  public var eraseAppSettings: Bool
  /// What holds when the board does not tell: MCUboot's number (facts/device-manager.md §1.2), -1…9; nil is unknown. The board's answer outranks it.
  public var bootloaderMode: Int?
  /// How long the swap usually takes: only shown, for the board's advertisement is waited for anyway.
  public var estimatedSwapTime: Duration

  /// MCUboot's bootloader modes by their words; the place in the list is the number (facts/device-manager.md §1.2, facts/smp.md §3.1).
  static let bootloaderModes = [
    "single-application", "swap-scratch", "overwrite", "swap-move", "direct-xip", "direct-xip-revert", "ram-load", "firmware-loader",
    "single-slot-ram-load", "swap-offset",
  ]

  /// Most requests under way that a profile may ask for; the board's buffers bound them further (facts/device-manager.md §2).
  static let deepestPipeline = 128

  init(_ values: IniValues) throws(ConfigurationError) {
    mode = try values.choice(ProfileKeys.mode)
    // Nordic's library takes 0 and means 1 (facts/device-manager.md §2).
    pipelineDepth = try Self.autoOr(values, ProfileKeys.pipelineDepth, in: 0...Self.deepestPipeline).map { max(1, $0) }
    byteAlignment = try values.value(ProfileKeys.byteAlignment, "one of 0, 1, 2, 4, 8, 16") { text in
      [0, 1, 2, 4, 8, 16].first { String($0) == text }.map { max(1, $0) }
    }
    reassemblyBufferSize = try Self.autoOr(values, ProfileKeys.reassemblyBufferSize, in: 0...UpdateOrder.largestReassemblyBuffer)
    eraseAppSettings = try values.flag(ProfileKeys.eraseAppSettings)
    bootloaderMode = try Self.bootloaderMode(values)
    estimatedSwapTime = try values.duration(ProfileKeys.estimatedSwapTime, in: .zero...(.seconds(600)))
  }

  /// A word, or MCUboot's number; -1 is its word for unknown.
  private static func bootloaderMode(_ values: IniValues) throws(ConfigurationError) -> Int? {
    let modes = "auto, a number from -1 to \(bootloaderModes.count - 1), or one of " + bootloaderModes.joined(separator: ", ")
    return try values.value(ProfileKeys.bootloaderMode, modes) { (text) -> Int?? in
      if text == "auto" || text == "-1" { return .some(nil) }
      return (bootloaderModes.firstIndex(of: text) ?? IniValues.integer(text, in: 0...(bootloaderModes.count - 1))).map { .some($0) }
    }
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
