public import Firmware

extension UpdateOrder {
  /// The upgrade with a package as it was read from its file; everything else can be set afterwards.
  ///
  /// - Throws: the first complaint for which no station would flash the package.
  public init(_ package: FirmwarePackage, mode: UpgradeMode = .testAndConfirm) throws(UnfitPackage) {
    if let complaint = package.complaints.first(where: { $0.severity == .error }) { throw UnfitPackage(complaint.message) }
    guard package.suit == nil else { throw UnfitPackage("this is a SUIT package, and this order is one of MCUboot images") }
    if let bootloader = package.images.first(where: \.isBootloader) {
      throw UnfitPackage("the package holds a bootloader (\(bootloader.name)), of which no board tells afterwards whether it runs")
    }
    self.init(images: package.images.map { UpdateImage($0) }, mode: mode)
  }
}

/// Why a package is not for an upgrade, in an operator's words.
public struct UnfitPackage: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ words: String) {
    description = words
  }
}
