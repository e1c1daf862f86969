/// Firmware for one of Nordic's bootloaders, Legacy or Secure DFU, read and compared with itself before any board is touched.
public struct NordicPackage: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable {
    /// A zip archive of parts.
    case package = "nordic_package"
    /// One image without init packet: raw bytes, or an Intel HEX file.
    case image = "nordic_image"
  }

  /// Which parts of a package are sent.
  public enum Scope: String, Hashable, Sendable, CaseIterable {
    case all, system, application
  }

  public let kind: Kind
  /// Name of the file, without its folder.
  public let fileName: String
  /// Size of the file in bytes.
  public let size: Int
  /// SHA-256 of the file: what a profile or a catalogue pins, and what records name.
  public let sha256: Digest
  /// `dfu_version` of the manifest. It only helps to tell the protocols apart: what a part is made for stands in its init packet.
  public let dfuVersion: String?
  /// In the order of sending, one pass of the update each: the system part, then the one with the application. Never empty.
  public let parts: [NordicPart]
  /// Entries of the archive that are not used.
  public let unlistedFiles: [String]

  /// Takes a file that is in memory already: a zip, an Intel HEX file, or else raw bytes of an application.
  ///
  /// Files that are recognised as something else (an MCUboot image, a Device Manager package, ELF, SUIT, text) are refused with their name.
  public init(fileName: String, bytes: [UInt8], limits: PackageLimits = PackageLimits()) throws(PackageError) {
    guard bytes.count <= limits.fileSize else { throw .fileTooLarge(bytes: bytes.count, limit: limits.fileSize) }
    self.fileName = fileName
    size = bytes.count
    sha256 = try Digest(.sha256, of: bytes)
    if try Self.isZip(bytes, fileName) {
      let archive = try NordicArchive(bytes, limits)
      kind = .package
      dfuVersion = archive.dfuVersion
      parts = archive.parts
      unlistedFiles = archive.unlistedFiles
    } else {
      kind = .image
      dfuVersion = nil
      parts = [try Self.bare(fileName, bytes, limits)]
      unlistedFiles = []
    }
  }

  /// The parts that a scope leaves, in their order.
  public func parts(in scope: Scope) -> [NordicPart] {
    parts.filter { part in
      switch scope {
      case .all: true
      case .system: part.kind.isSystem
      case .application: !part.kind.isSystem
      }
    }
  }

  private static func isZip(_ bytes: [UInt8], _ fileName: String) throws(PackageError) -> Bool {
    do throws(PackageError) {
      switch try FileContent(bytes, fileName: fileName) {
      case .zip: return true
      case .image: throw .notSupported(.mcubootImage)
      case .suit: throw .notSupported(.suitEnvelope)
      }
    } catch {
      // What is no image of MCUboot and nothing else that is known may be an image of this kind.
      guard error == .notFirmware(nil) || error == .notFirmware(.intelHex) else { throw error }
      return false
    }
  }

  private static func bare(_ fileName: String, _ bytes: [UInt8], _ limits: PackageLimits) throws(PackageError) -> NordicPart {
    guard FileContent.isIntelHex(bytes) else {
      guard bytes.count <= limits.nordicImageSize else { throw .fileTooLarge(bytes: bytes.count, limit: limits.nordicImageSize) }
      return try NordicPart(kind: .application, name: fileName, image: bytes, initPacket: [], parsed: nil)
    }
    let image = try IntelHex(bytes).image(limit: limits.nordicImageSize)
    return try NordicPart(kind: .application, name: fileName, image: image.bytes, initPacket: [], parsed: nil, address: image.address)
  }
}
