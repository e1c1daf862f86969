/// The zip form of a package: manifest and files, checked against each other.
struct PackageArchive {
  static let manifestName = "manifest.json"
  static let envelopeType = "suit-envelope"
  static let cacheType = "cache"

  let formatVersion: Int
  let name: String?
  /// Empty when there is an envelope.
  let images: [PackageImage]
  let suit: SUITPackage?
  let listedFiles: [ListedFile]
  let unlistedFiles: [String]

  init(_ bytes: [UInt8], _ limits: PackageLimits) throws(PackageError) {
    let archive = try ZipArchive(bytes, limits: limits)
    guard let size = archive.size(of: Self.manifestName) else { throw .manifestMissing }
    guard size <= limits.manifestSize else { throw .entryTooLarge(Self.manifestName, bytes: UInt64(size), limit: limits.manifestSize) }
    let manifest = try Manifest(json: try archive.read(Self.manifestName) ?? [])
    try Self.check(manifest, limits)

    if manifest.files.contains(where: { $0.type == Self.envelopeType }) {
      suit = try Self.suit(manifest, archive, limits)
      images = []
    } else {
      suit = nil
      images = try Self.images(manifest, archive, limits)
    }
    formatVersion = manifest.formatVersion
    name = manifest.name
    listedFiles = manifest.files.map { ListedFile(name: $0.file, type: $0.type, board: $0.board, soc: $0.soc, namesImage: $0.namesImage) }
    let listed = Set(manifest.files.map(\.file) + [Self.manifestName])
    unlistedFiles = archive.names.filter { !listed.contains($0) }
  }

  /// What can be said before any file is unpacked.
  private static func check(_ manifest: Manifest, _ limits: PackageLimits) throws(PackageError) {
    guard !manifest.isNordicDFU else { throw .notSupported(.nordicDFU) }
    guard (0...1).contains(manifest.formatVersion) else { throw .manifestFormat(manifest.formatVersion) }
    let files = manifest.files
    guard !files.isEmpty else { throw .manifestEmpty }
    guard files.count <= limits.manifestFiles else { throw .manifestTooManyFiles(files.count, limit: limits.manifestFiles) }
    var names: Set<String> = []
    for file in files where !names.insert(file.file).inserted { throw .fileListedTwice(file.file) }
  }

  /// One file, as long as the manifest says.
  static func content(_ file: Manifest.File, _ archive: borrowing ZipArchive) throws(PackageError) -> [UInt8] {
    guard file.file != manifestName, let actual = archive.size(of: file.file) else { throw .entryMissing(file.file) }
    guard actual == file.size else { throw .entrySizeDiffers(file.file, manifest: file.size, actual: actual) }
    return try archive.read(file.file) ?? []
  }

  // MARK: MCUboot

  /// What the types mean that images have; a manifest without a type means an application.
  private static let imageTypes: Set<String> = ["application", "bin", PackageImage.bootloaderType]

  private static func images(_ manifest: Manifest, _ archive: borrowing ZipArchive, _ limits: PackageLimits) throws(PackageError) -> [PackageImage] {
    var images: [PackageImage] = []
    for file in manifest.files {
      if let type = file.type {
        guard type != cacheType else { throw .envelopeMissing(file.file) }
        guard imageTypes.contains(type) else { throw .notSupported(.fileType(type)) }
      }
      guard file.image <= limits.imageNumber else { throw .manifestInvalid("image number \(file.image) is larger than \(limits.imageNumber)") }
      let highestSlot = 2 * limits.imageNumber + 1
      if let slot = file.slot, slot > highestSlot { throw .manifestInvalid("slot \(slot) is larger than \(highestSlot)") }
      let image = try image(file, slot: slot(of: file, among: manifest.files), try content(file, archive))
      if let twin = images.first(where: { $0.number == image.number && $0.slot == image.slot }) {
        throw .imageTwice(image: image.number, slot: image.slot, twin.name, image.name)
      }
      images.append(image)
    }
    return images
  }

  /// The slot within the image: manifests number the slots of all images through (2n and 2n + 1), and mean the secondary one when they name none.
  ///
  /// The two builds of a bootloader come without slots before NCS 3.0: they count by their order (facts/device-manager.md §3.3).
  private static func slot(of file: Manifest.File, among files: [Manifest.File]) -> Int {
    if let slot = file.slot { return slot % 2 }
    guard file.type == PackageImage.bootloaderType else { return 1 }
    let builds = files.filter { $0.type == file.type && $0.image == file.image && $0.slot == nil }
    guard builds.count == 2 else { return 1 }
    return builds.firstIndex { $0.file == file.file } ?? 1
  }

  private static func image(_ file: Manifest.File, slot: Int, _ bytes: [UInt8]) throws(PackageError) -> PackageImage {
    do throws(PackageError) {
      return try PackageImage(number: file.image, slot: slot, name: file.file, bytes: bytes, listing: file.listing)
    } catch {
      // A program signed for B0 alone has no header for MCUboot, and with it no name for what it is.
      let isB0 = file.b0Version != nil && file.version == nil && file.xipVersion == nil
      throw .inEntry(file.file, isB0 && error == .notFirmware(nil) ? .notSupported(.b0Image) : error)
    }
  }
}

extension Manifest.File {
  fileprivate var listing: PackageImage.Listing {
    PackageImage.Listing(
      type: type, board: board, soc: soc, loadAddress: loadAddress, version: xipVersion ?? version, isXIP: xipVersion != nil, otherVersion: otherVersion,
      b0Version: b0Version, slot: slot, slotIndex: slotIndex, namesImage: namesImage)
  }
}
