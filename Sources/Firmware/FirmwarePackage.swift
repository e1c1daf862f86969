/// A file with firmware for one kind of board, read and checked before any board is touched.
public struct FirmwarePackage: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable {
    /// A bare MCUboot image.
    case image = "mcuboot_image"
    /// A zip archive with a `manifest.json`.
    case package = "mcumgr_package"
    /// A bare SUIT envelope.
    case suit = "suit_envelope"
    /// A zip archive with a `manifest.json` that names a SUIT envelope.
    case suitPackage = "suit_package"
  }

  public let kind: Kind
  /// Name of the file, without its folder.
  public let fileName: String
  /// Size of the file in bytes.
  public let size: Int
  /// SHA-256 of the file: what a profile pins, and what records name.
  public let sha256: Digest
  /// The package's own name, when its manifest has one.
  public let name: String?
  /// `format-version` of the manifest; nil without one.
  public let formatVersion: Int?
  /// What is uploaded, in the manifest's order: at most one for each slot of each image. Empty for SUIT only.
  public let images: [PackageImage]
  /// What a board with SUIT gets; nil for MCUboot.
  public let suit: SUITPackage?
  /// What the manifest says of each file, in its order; empty without one.
  public let listedFiles: [ListedFile]
  /// Entries of the archive that the manifest does not name.
  public let unlistedFiles: [String]

  /// Takes a file that is in memory already. What it is, its first bytes decide; its name only makes the messages better.
  public init(fileName: String, bytes: [UInt8], limits: PackageLimits = PackageLimits()) throws(PackageError) {
    guard bytes.count <= limits.fileSize else { throw .fileTooLarge(bytes: bytes.count, limit: limits.fileSize) }
    self.fileName = fileName
    size = bytes.count
    switch try FileContent(bytes, fileName: fileName) {
    case .image:
      kind = .image
      (name, formatVersion, suit, listedFiles, unlistedFiles) = (nil, nil, nil, [], [])
      images = [try PackageImage(number: 0, slot: 1, name: fileName, bytes: bytes)]
    case .suit:
      kind = .suit
      (name, formatVersion, images, listedFiles, unlistedFiles) = (nil, nil, [], [], [])
      suit = SUITPackage(envelope: try SUITEnvelope(bytes, limits: limits), envelopeName: fileName)
    case .zip:
      let archive = try PackageArchive(bytes, limits)
      kind = archive.suit == nil ? .package : .suitPackage
      name = archive.name
      formatVersion = archive.formatVersion
      images = archive.images
      suit = archive.suit
      listedFiles = archive.listedFiles
      unlistedFiles = archive.unlistedFiles
    }
    sha256 = try Digest(.sha256, of: bytes)
  }

  /// The package holds a build for each slot of an image, of which the board gets the one for the slot that it does not run from.
  public var isDirectXIP: Bool { images.contains(where: hasOtherBuild) }

  /// Whether the package holds the same image for the other slot, too.
  func hasOtherBuild(_ image: PackageImage) -> Bool {
    !image.isBootloader && images.contains { $0.number == image.number && $0.slot != image.slot && !$0.isBootloader }
  }
}
