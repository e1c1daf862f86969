public import Firmware

extension UpdateOrder {
  /// The upgrade with a package as it was read from its file; everything else can be set afterwards.
  ///
  /// - Throws: the first complaint for which no station would flash the package.
  public init(_ package: FirmwarePackage, mode: UpgradeMode = .testAndConfirm) throws(UnfitPackage) {
    if let complaint = package.complaints.first(where: { $0.severity == .error }) { throw UnfitPackage(complaint.message) }
    guard package.images.count == 1, let image = package.images.first else {
      throw UnfitPackage("the package holds \(package.images.count) images: use a package with one image")
    }
    self.init(
      image: image.bytes, imageSHA256: image.sha256.bytes, hash: image.image.hash.bytes, version: image.image.version.smpText, imageNumber: image.number,
      mode: mode)
  }
}

/// Why a package is not for an upgrade, in an operator's words.
public struct UnfitPackage: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ words: String) {
    description = words
  }
}
