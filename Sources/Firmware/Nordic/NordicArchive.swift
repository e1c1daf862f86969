/// The zip form of a Nordic DFU package: manifest and files, or the bare files of old tools (facts/nordic-dfu.md §4).
struct NordicArchive {
  let dfuVersion: String?
  let parts: [NordicPart]
  let unlistedFiles: [String]

  init(_ bytes: [UInt8], _ limits: PackageLimits) throws(PackageError) {
    let archive = try ZipArchive(bytes, layout: .folders, limits: limits)
    let used: Set<String>
    if let place = try Self.manifest(in: archive.names) {
      let manifest = try Self.manifest(archive, place, limits)
      let folder = String(place.dropLast(PackageArchive.manifestName.utf8.count))
      dfuVersion = manifest.dfuVersion
      (parts, used) = try Self.parts(archive, manifest, folder, limits)
      unlistedFiles = archive.names.filter { $0 != place && !used.contains($0) }
    } else {
      guard let old = try OldNordicFiles(archive, limits) else { throw .manifestMissing }
      dfuVersion = nil
      parts = old.parts
      unlistedFiles = archive.names.filter { !old.files.contains($0) }
    }
  }

  /// The manifest at the root, or the only one that is one folder deep.
  static func manifest(in names: [String]) throws(PackageError) -> String? {
    if names.contains(PackageArchive.manifestName) { return PackageArchive.manifestName }
    let found = names.filter { name in
      let path = name.split(separator: "/")
      return path.count == 2 && path[1] == PackageArchive.manifestName
    }
    guard found.count < 2 else { throw .manifestAmbiguous(found) }
    return found.first
  }

  private static func manifest(_ archive: borrowing ZipArchive, _ place: String, _ limits: PackageLimits) throws(PackageError) -> NordicManifest {
    let size = archive.size(of: place) ?? 0
    guard size <= limits.manifestSize else { throw .entryTooLarge(place, bytes: UInt64(size), limit: limits.manifestSize) }
    let json = try archive.read(place) ?? []
    let manifest: NordicManifest
    do throws(PackageError) {
      manifest = try NordicManifest(json: json)
    } catch {
      // The other kind of manifest, with `files`, is valid on its own terms.
      if let other = try? Manifest(json: json), !other.isNordicDFU { throw .notSupported(.managerPackage) }
      throw error
    }
    guard !manifest.parts.isEmpty else { throw .manifestEmpty }
    for kinds in [manifest.parts.filter(\.kind.isSystem), manifest.parts.filter { !$0.kind.isSystem }] where kinds.count > 1 {
      throw .nordicPartsClash(kinds.map(\.kind.rawValue))
    }
    return manifest
  }

  private static func parts(
    _ archive: borrowing ZipArchive, _ manifest: NordicManifest, _ folder: String, _ limits: PackageLimits
  ) throws(PackageError) -> ([NordicPart], Set<String>) {
    var parts: [NordicPart] = []
    var used: Set<String> = []
    for listed in manifest.parts {
      let image = try content(archive, folder + listed.binFile, limits.nordicImageSize)
      used.insert(folder + listed.binFile)
      var initPacket: [UInt8] = []
      var parsed: NordicInitPacket?
      if let datFile = listed.datFile {
        (initPacket, parsed) = try self.initPacket(archive, folder + datFile, saysLegacy: manifest.dfuVersion != nil, limits)
        used.insert(folder + datFile)
      }
      var sizes: NordicSizes?
      if let softDevice = listed.softDeviceSize, let bootloader = listed.bootloaderSize {
        sizes = NordicSizes(softDevice: softDevice, bootloader: bootloader)
      }
      let part = try NordicPart(
        kind: listed.kind, name: listed.binFile, image: image, initPacket: initPacket, parsed: parsed, listing: listed, namedSizes: sizes)
      guard part.dfuProtocol == .secure || !part.kind.isCombined else { throw .notSupported(.combinedLegacyPart(part.kind.rawValue)) }
      parts.append(part)
    }
    return (parts, used)
  }

  static func content(_ archive: borrowing ZipArchive, _ name: String, _ limit: Int) throws(PackageError) -> [UInt8] {
    guard let size = archive.size(of: name) else { throw .entryMissing(name) }
    guard size <= limit else { throw .entryTooLarge(name, bytes: UInt64(size), limit: limit) }
    return try archive.read(name) ?? []
  }

  static func initPacket(
    _ archive: borrowing ZipArchive, _ name: String, saysLegacy: Bool, _ limits: PackageLimits
  ) throws(PackageError) -> ([UInt8], NordicInitPacket) {
    let bytes = try content(archive, name, SecureInitPacket.largest)
    do throws(PackageError) {
      return (bytes, try NordicInitPacket(bytes, saysLegacy: saysLegacy))
    } catch {
      throw .inEntry(name, error)
    }
  }
}

extension NordicPackage {
  /// Whether a file is a zip archive that holds a Nordic DFU package, sound or not.
  static func isArchive(_ bytes: [UInt8], _ limits: PackageLimits) throws(PackageError) -> Bool {
    guard (try? FileContent(bytes, fileName: "")) == .zip else { return false }
    let archive = try ZipArchive(bytes, layout: .folders, limits: limits)
    guard let place = try? NordicArchive.manifest(in: archive.names) else { return try OldNordicFiles(archive, limits) != nil }
    guard let size = archive.size(of: place), size <= limits.manifestSize, let json = try archive.read(place) else { return false }
    return (try? Manifest(json: json))?.isNordicDFU == true
  }
}
