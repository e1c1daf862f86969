/// What `flashline inspect` prints of a package, as one JSON document.
public struct PackageReport: Codable, Hashable, Sendable {
  public var file: String
  public var kind: Kind
  /// Bytes.
  public var size: Int
  /// Of the file.
  public var sha256: String
  public var name: String?
  /// `format-version` of the manifest; absent without one.
  public var formatVersion: Int?
  /// A build for each slot of an image, of which a board gets one; absent for what is not for MCUboot.
  public var directXIP: Bool?
  /// Images for MCUboot; empty for SUIT and for Nordic DFU.
  public var images: [Image]
  /// Absent for all but SUIT.
  public var suit: SUIT?
  /// Parts for Nordic DFU; absent for MCUboot.
  public var parts: [Part]?
  public var complaints: [Line]

  enum CodingKeys: String, CodingKey {
    case file, kind, size, sha256, name, images, suit, parts, complaints
    case formatVersion = "format_version", directXIP = "direct_xip"
  }

  public enum Kind: String, Hashable, Sendable, Codable {
    case image = "mcuboot_image"
    case package = "mcumgr_package"
    case suit = "suit_envelope"
    case suitPackage = "suit_package"
    case nordicPackage = "nordic_package"
    case nordicImage = "nordic_image"
  }

  /// One image; its keys follow the words of MCUboot's header and entries.
  public struct Image: Codable, Hashable, Sendable {
    public var image: Int
    public var slot: Int
    public var name: String
    public var size: Int
    /// Of the file in the package: the `sha` of an upload.
    public var sha256: String
    public var version: String
    /// What a board lists once it has this image.
    public var hash: String
    public var hashKind: Digest.Kind
    /// Absent when the hash cannot be checked (encrypted).
    public var hashOK: Bool?
    public var signed: Bool
    /// Kinds of signature, joined by commas; absent for an unsigned image.
    public var signature: String?
    public var pureSignature: Bool
    public var keyHash: String?
    public var encrypted: Bool
    public var encryption: String?
    public var headerSize: Int
    public var imageSize: Int
    public var loadAddress: UInt32
    public var flags: [String]
    public var securityCounter: UInt32?
    public var dependencies: [Dependency]
    public var entries: [Entry]
    public var board: String?
    public var soc: String?
    /// The manifest's word for what the file is.
    public var type: String?
    /// `version` of the manifest, which network core programs have.
    public var otherVersion: String?
    /// `version_B0` of the manifest: the number that Nordic's immutable bootloader goes by.
    public var b0Version: String?
    /// The image has the format before MCUboot 1.0.
    public var oldFormat: Bool
    public var networkCore: Bool
    public var bootloader: Bool
    /// Whether a board can show afterwards that it runs this image.
    public var readBack: Bool
    /// Where an update puts it, in words.
    public var goesTo: String

    enum CodingKeys: String, CodingKey {
      case image, slot, name, size, sha256, version, hash, signed, signature, encrypted, encryption, flags, dependencies, entries, board, soc, type, bootloader
      case otherVersion = "other_version", b0Version = "b0_version", oldFormat = "old_format", networkCore = "network_core", readBack = "read_back"
      case goesTo = "goes_to"
      case hashKind = "hash_kind", hashOK = "hash_ok", pureSignature = "pure_signature", keyHash = "key_hash", headerSize = "header_size"
      case imageSize = "image_size", loadAddress = "load_address", securityCounter = "security_counter"
    }
  }

  public struct Dependency: Codable, Hashable, Sendable {
    public var image: Int
    /// At least this version.
    public var version: String
  }

  /// One type-length-value entry, without its value.
  public struct Entry: Codable, Hashable, Sendable {
    /// A word, or the type's number in hexadecimal where it has none.
    public var type: String
    public var size: Int
    public var protected: Bool
  }

  public struct Line: Codable, Hashable, Sendable {
    public var severity: Complaint.Severity
    public var subject: Complaint.Subject
    public var message: String

    init(_ complaint: Complaint) {
      severity = complaint.severity
      subject = complaint.subject
      message = complaint.message
    }
  }

  /// - Parameter more: complaints beside the package's own, such as those against a profile.
  public init(_ package: FirmwarePackage, more: [Complaint] = []) {
    file = package.fileName
    kind =
      switch package.kind {
      case .image: .image
      case .package: .package
      case .suit: .suit
      case .suitPackage: .suitPackage
      }
    size = package.size
    sha256 = package.sha256.hex
    name = package.name
    formatVersion = package.formatVersion
    directXIP = package.suit == nil ? package.isDirectXIP : nil
    images = package.images.map { Image($0, in: package) }
    suit = package.suit.map(SUIT.init)
    complaints = (more + package.complaints).map(Line.init)
  }
}

extension PackageReport.Image {
  fileprivate init(_ packaged: PackageImage, in package: FirmwarePackage) {
    let mcuboot = packaged.image
    image = packaged.number
    slot = packaged.slot
    name = packaged.name
    size = packaged.bytes.count
    sha256 = packaged.sha256.hex
    version = mcuboot.version.description
    hash = mcuboot.hash.hex
    hashKind = mcuboot.hash.kind
    hashOK = mcuboot.hashCheck == .encrypted ? nil : mcuboot.hashCheck == .matches
    signed = mcuboot.isSigned
    signature = mcuboot.isSigned ? mcuboot.signatures.map(\.text).joined(separator: ",") : nil
    pureSignature = mcuboot.hasPureSignature
    keyHash = mcuboot.keyHash?.hex
    encrypted = mcuboot.isEncrypted
    encryption = mcuboot.encryption?.text
    headerSize = mcuboot.headerSize
    imageSize = mcuboot.bodySize
    loadAddress = mcuboot.loadAddress
    flags = mcuboot.flags.texts
    securityCounter = mcuboot.securityCounter
    dependencies = mcuboot.dependencies.map { PackageReport.Dependency(image: Int($0.image), version: $0.version.description) }
    entries =
      mcuboot.protectedEntries.map { PackageReport.Entry($0, protected: true) } + mcuboot.entries.map { PackageReport.Entry($0, protected: false) }
    board = packaged.listing?.board
    soc = packaged.listing?.soc
    type = packaged.listing?.type
    otherVersion = packaged.listing?.otherVersion
    b0Version = packaged.listing?.b0Version
    oldFormat = mcuboot.isOldFormat
    networkCore = packaged.isNetworkCore
    bootloader = packaged.isBootloader
    readBack = !networkCore && !bootloader
    goesTo = Self.place(of: packaged, in: package)
  }

  private static func place(of image: PackageImage, in package: FirmwarePackage) -> String {
    if image.isBootloader { return "no board: a bootloader is not flashed by jobs" }
    let place = "slot \(image.slot) of image \(image.number)"
    if package.hasOtherBuild(image) { return "\(place), on boards that run from slot \(1 - image.slot)" }
    return image.isNetworkCore ? "\(place): network core, cannot be read back" : place
  }
}

extension PackageReport.Entry {
  fileprivate init(_ entry: ImageEntry, protected: Bool) {
    type = entry.kind?.text ?? "0x" + String(entry.type, radix: 16)
    size = entry.value.count
    self.protected = protected
  }
}
