/// One image of a package: what is uploaded, and where it goes.
public struct PackageImage: Hashable, Sendable {
  /// Image number (`image` of an SMP upload); 0 where a board has one application.
  public let number: Int
  /// Slot within the image, 0 or 1: 1, the secondary slot, unless the manifest says otherwise.
  public let slot: Int
  /// Name of the file, or of the entry in the archive. It never decides anything.
  public let name: String
  /// The bytes to upload: the whole file.
  public let bytes: [UInt8]
  /// SHA-256 of `bytes`: the `sha` of an SMP upload. Not the hash that a board lists.
  public let sha256: Digest
  public let image: MCUbootImage
  /// What the manifest says of it; nil for a bare image file.
  public let listing: Listing?

  /// What the manifest says of an image, as far as reports and complaints use it.
  public struct Listing: Hashable, Sendable {
    public let board: String?
    public let soc: String?
    public let loadAddress: UInt64?
    /// `version_MCUBOOT`, as text.
    public let version: String?
  }

  init(number: Int, slot: Int, name: String, bytes: [UInt8], listing: Listing?) throws(PackageError) {
    self.number = number
    self.slot = slot
    self.name = name
    self.bytes = bytes
    self.listing = listing
    image = try MCUbootImage(bytes)
    sha256 = try Digest(.sha256, of: bytes)
  }
}
