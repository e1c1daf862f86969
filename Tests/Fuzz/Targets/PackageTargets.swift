import Firmware

extension FuzzTarget {
  /// A bare image of MCUboot.
  static let image = FuzzTarget(name: "image", about: "MCUbootImage, FirmwareFile of a bare image", longest: 8192) { bytes in
    if let image = try? MCUbootImage(bytes) {
      precondition(image.length <= bytes.count, "an image longer than its file")
    }
    examine { () throws(PackageError) in try FirmwareFile(fileName: "app.bin", bytes: bytes, limits: limits) }
  }

  /// An archive, byte for byte.
  static let zip = FuzzTarget(name: "zip", about: "ZipArchive, FirmwareFile of any bytes", longest: 16_384) { bytes in
    examine { () throws(PackageError) in try FirmwareFile(fileName: "app.zip", bytes: bytes, limits: limits) }
    examine { () throws(PackageError) in .nordic(try NordicPackage(fileName: "app.zip", bytes: bytes, limits: limits)) }
  }

  /// A sound archive around any manifest and any files, so that what lies behind the checksums is reached.
  ///
  /// Input: the manifest's text up to a zero, in which `#a` … `#e` stand for the size of the file with that name; then the files `a` … `e`, each with
  /// two bytes of its length in front.
  static let manifest = FuzzTarget(name: "manifest", about: "Manifest, NordicManifest and the files they name", longest: 8192) { bytes in
    var input = FuzzInput(bytes)
    var text = input.takeText()
    var archive = StoredZip()
    for name in ["a", "b", "c", "d", "e"] where !input.isEmpty {
      let content = input.take(Int(input.word()))
      text = replace("#" + name, with: "\(content.count)", in: text)
      archive.add(name, content)
    }
    archive.add("manifest.json", text)
    let whole = archive.bytes
    examine { () throws(PackageError) in try FirmwareFile(fileName: "app.zip", bytes: whole, limits: limits) }
  }

  /// Small ones, so that a large announcement is refused and not tried.
  private static let limits: PackageLimits = {
    var limits = PackageLimits()
    limits.entrySize = 1 << 20
    limits.totalSize = 2 << 20
    return limits
  }()

  private static func replace(_ word: String, with other: String, in text: [UInt8]) -> [UInt8] {
    let (word, other) = ([UInt8](word.utf8), [UInt8](other.utf8))
    var out: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index...].starts(with: word) {
        out += other
        index += word.count
      } else {
        out.append(text[index])
        index += 1
      }
    }
    return out
  }
}
