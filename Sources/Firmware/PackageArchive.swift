/// The zip form of a package: manifest and files, checked against each other.
struct PackageArchive {
  static let manifestName = "manifest.json"

  let name: String?
  let images: [PackageImage]
  let unlistedFiles: [String]

  init(_ bytes: [UInt8], _ limits: PackageLimits) throws(PackageError) {
    let archive = try ZipArchive(bytes, limits: limits)
    guard let size = archive.size(of: Self.manifestName) else { throw .manifestMissing }
    guard size <= limits.manifestSize else { throw .entryTooLarge(Self.manifestName, bytes: UInt64(size), limit: limits.manifestSize) }
    let manifest = try Manifest(json: try archive.read(Self.manifestName) ?? [])
    try Self.check(manifest, limits)

    var images: [PackageImage] = []
    for file in manifest.files {
      guard file.file != Self.manifestName, let actual = archive.size(of: file.file) else { throw .entryMissing(file.file) }
      guard actual == file.size else { throw .entrySizeDiffers(file.file, manifest: file.size, actual: actual) }
      images.append(try Self.image(file, try archive.read(file.file) ?? []))
    }
    self.images = images
    name = manifest.name
    let listed = Set(manifest.files.map(\.file) + [Self.manifestName])
    unlistedFiles = archive.names.filter { !listed.contains($0) }
  }

  /// Refuses what this version does not flash, before any file is unpacked.
  private static func check(_ manifest: Manifest, _ limits: PackageLimits) throws(PackageError) {
    guard !manifest.isNordicDFU else { throw .notSupported(.nordicDFU) }
    guard (0...1).contains(manifest.formatVersion) else { throw .manifestFormat(manifest.formatVersion) }
    let files = manifest.files
    guard !files.isEmpty else { throw .manifestEmpty }
    guard files.count <= limits.manifestFiles else { throw .manifestTooManyFiles(files.count, limit: limits.manifestFiles) }
    if files.contains(where: { $0.type == "suit-envelope" || $0.type == "cache" }) { throw .notSupported(.suit) }
    let sameNumber = Dictionary(grouping: files, by: \.image).values.contains { $0.count > 1 }
    if files.contains(where: { $0.xipVersion != nil }) || sameNumber { throw .notSupported(.directXIP) }
    guard files.count == 1, let file = files.first else { throw .notSupported(.severalImages(files.count)) }
    switch file.type {
    case "application"?, nil: break
    case "mcuboot"?: throw .notSupported(.bootloaderUpdate)
    case let type?: throw .notSupported(.fileType(type))
    }
    guard file.image <= limits.imageNumber else { throw .manifestInvalid("image number \(file.image) is larger than \(limits.imageNumber)") }
  }

  private static func image(_ file: Manifest.File, _ bytes: [UInt8]) throws(PackageError) -> PackageImage {
    let listing = PackageImage.Listing(board: file.board, soc: file.soc, loadAddress: file.loadAddress, version: file.version)
    do {
      // Manifests number the slots of all images through (2n and 2n + 1); here a slot is meant within its image.
      return try PackageImage(number: file.image, slot: (file.slot ?? 1) % 2, name: file.file, bytes: bytes, listing: listing)
    } catch {
      throw .inEntry(file.file, error)
    }
  }
}
