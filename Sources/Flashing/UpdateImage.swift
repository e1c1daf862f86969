public import Firmware

/// One image of an update: its bytes, where it goes, and how it is known again.
public struct UpdateImage: Hashable, Sendable {
  /// Image number (`image` of an SMP upload); 0 where a board has one application.
  public var number: Int
  /// The slot within the image that the build is linked for, 0 or 1; only Direct-XIP packages, which hold a build for each, go by it.
  public var slot: Int
  /// The image file, exactly as it goes to the board.
  public var bytes: [UInt8]
  /// SHA-256 over `bytes`, 32 bytes: the server's key for resuming (facts/smp.md §4.2).
  public var sha256: [UInt8]
  /// The MCUboot hash, by which the board names the image: 32, 48 or 64 bytes.
  public var hash: [UInt8]
  /// In SMP's form (`1.2.3` or `1.2.3.4`).
  public var version: String
  /// False for an image that no board of this kind lists once it runs: a network core (facts/device-manager.md §1.9). It is confirmed before it was
  /// seen alive, and the record says that it could not be read back. Boards may hide other images too; that shows when their list is read.
  public var isReadBack: Bool

  public init(number: Int = 0, slot: Int = 1, bytes: [UInt8], sha256: [UInt8], hash: [UInt8], version: String, isReadBack: Bool = true) {
    self.number = number
    self.slot = slot
    self.bytes = bytes
    self.sha256 = sha256
    self.hash = hash
    self.version = version
    self.isReadBack = isReadBack
  }

  /// An image of a package that was read.
  public init(_ image: PackageImage) {
    self.init(
      number: image.number, slot: image.slot, bytes: image.bytes, sha256: image.sha256.bytes, hash: image.image.hash.bytes,
      version: image.image.version.smpText, isReadBack: !image.isNetworkCore)
  }
}
