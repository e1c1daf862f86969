/// The files of a zip archive without manifest, as tools before nrfutil 0.3 packed them: `application.hex` or `.bin` with `application.dat`,
/// `softdevice` and `bootloader` with `system.dat` (facts/nordic-dfu.md §4.3). A file is HEX or raw by its content, not by its name.
struct OldNordicFiles {
  let parts: [NordicPart]
  /// Names of the entries that were used.
  let files: Set<String>

  private struct Image {
    let file: String
    let bytes: [UInt8]
    let address: UInt32?
  }

  /// Nil when the archive holds no such files.
  init?(_ archive: borrowing ZipArchive, _ limits: PackageLimits) throws(PackageError) {
    var parts: [NordicPart] = []
    var files: Set<String> = []
    let softDevice = try Self.image(archive, "softdevice", from: IntelHex.softDeviceStart, limits)
    let bootloader = try Self.image(archive, "bootloader", from: 0, limits)
    let application = try Self.image(archive, "application", from: 0, limits)

    func add(_ kind: NordicKind, _ image: Image, _ datFile: String, sizes: NordicSizes? = nil) throws(PackageError) {
      let dat = archive.size(of: datFile) == nil ? nil : try NordicArchive.initPacket(archive, datFile, saysLegacy: true, limits)
      if dat != nil { files.insert(datFile) }
      parts.append(
        try NordicPart(
          kind: kind, name: image.file, image: image.bytes, initPacket: dat?.0 ?? [], parsed: dat?.1, namedSizes: sizes, address: image.address))
    }

    files.formUnion([softDevice, bootloader, application].compactMap { $0?.file })
    if let softDevice, let bootloader {
      let both = Image(file: softDevice.file, bytes: softDevice.bytes + bootloader.bytes, address: softDevice.address)
      let sizes = NordicSizes(softDevice: softDevice.bytes.count, bootloader: bootloader.bytes.count)
      try add(.softDeviceBootloader, both, "system.dat", sizes: sizes)
    } else if let softDevice {
      try add(.softDevice, softDevice, "system.dat")
    } else if let bootloader {
      try add(.bootloader, bootloader, "system.dat")
    }
    if let application { try add(.application, application, "application.dat") }
    guard !parts.isEmpty else { return nil }
    self.parts = parts
    self.files = files
  }

  private static func image(
    _ archive: borrowing ZipArchive, _ stem: String, from start: UInt64, _ limits: PackageLimits
  ) throws(PackageError) -> Image? {
    guard let file = ["hex", "bin"].map({ "\(stem).\($0)" }).first(where: { archive.size(of: $0) != nil }) else { return nil }
    let bytes = try NordicArchive.content(archive, file, limits.entrySize)
    guard FileContent.isIntelHex(bytes) else {
      guard bytes.count <= limits.nordicImageSize else {
        throw .entryTooLarge(file, bytes: UInt64(bytes.count), limit: limits.nordicImageSize)
      }
      return Image(file: file, bytes: bytes, address: nil)
    }
    do throws(PackageError) {
      let image = try IntelHex(bytes).image(from: start, limit: limits.nordicImageSize)
      return Image(file: file, bytes: image.bytes, address: image.address)
    } catch {
      throw .inEntry(file, error)
    }
  }
}
