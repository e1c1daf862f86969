/// A file with firmware for one kind of board, read and checked before any board is touched.
public struct FirmwarePackage: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable {
    /// A bare MCUboot image.
    case image = "mcuboot_image"
    /// A zip archive with a `manifest.json`.
    case package = "mcumgr_package"
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
  /// What is uploaded, in the manifest's order; never empty.
  public let images: [PackageImage]
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
      name = nil
      images = [try PackageImage(number: 0, slot: 1, name: fileName, bytes: bytes, listing: nil)]
      unlistedFiles = []
    case .zip:
      let archive = try PackageArchive(bytes, limits)
      kind = .package
      name = archive.name
      images = archive.images
      unlistedFiles = archive.unlistedFiles
    }
    sha256 = try Digest(.sha256, of: bytes)
  }
}
