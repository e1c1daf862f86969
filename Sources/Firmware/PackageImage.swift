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

  /// What the manifest says of an image, as far as reports, complaints and plans use it.
  public struct Listing: Hashable, Sendable {
    /// `application`, `mcuboot`, `bin`.
    public var type: String?
    public var board: String?
    public var soc: String?
    public var loadAddress: UInt64?
    /// `version_MCUBOOT+XIP`, else `version_MCUBOOT`, as text.
    public var version: String?
    /// The version came as `version_MCUBOOT+XIP`.
    public var isXIP: Bool
    /// `version`, as text: what network core programs have, a number or a version of MCUboot's form.
    public var otherVersion: String?
    /// `version_B0`, as text: the number by which Nordic's immutable bootloader chooses.
    public var b0Version: String?
    /// As the manifest has it, possibly counted over all images.
    public var slot: Int?
    /// `slot_index_primary`.
    public var slotIndex: Int?
    /// The manifest names the image number; otherwise it is 0 for want of a better.
    public var namesImage: Bool

    public init(
      type: String? = nil, board: String? = nil, soc: String? = nil, loadAddress: UInt64? = nil, version: String? = nil, isXIP: Bool = false,
      otherVersion: String? = nil, b0Version: String? = nil, slot: Int? = nil, slotIndex: Int? = nil, namesImage: Bool = true
    ) {
      self.type = type
      self.board = board
      self.soc = soc
      self.loadAddress = loadAddress
      self.version = version
      self.isXIP = isXIP
      self.otherVersion = otherVersion
      self.b0Version = b0Version
      self.slot = slot
      self.slotIndex = slotIndex
      self.namesImage = namesImage
    }
  }

  /// Takes the bytes of an image file and reads its header, entries and hashes.
  ///
  /// - Parameters:
  ///   - number: the image number.
  ///   - slot: within the image, 0 or 1.
  ///   - name: the file's name.
  public init(number: Int, slot: Int, name: String, bytes: [UInt8], listing: Listing? = nil) throws(PackageError) {
    self.number = number
    self.slot = slot
    self.name = name
    self.bytes = bytes
    self.listing = listing
    image = try MCUbootImage(bytes)
    sha256 = try Digest(.sha256, of: bytes)
  }

  static let bootloaderType = "mcuboot"
  /// The network core's flash of an nRF5340, in its own addresses (nRF5340 Product Specification, "Memory map").
  private static let networkFlash: Range<UInt64> = 0x0100_0000..<0x0104_0000

  /// The image is a new bootloader instead of an application.
  public var isBootloader: Bool { listing?.type == Self.bootloaderType }

  /// The image is for the network core of an nRF5340: the board hands it over, and cannot show afterwards what runs there.
  ///
  /// Told by the manifest's board (`…/nrf5340/cpunet`, in older packages `…_cpunet`) or by its load address; never by the file's name.
  public var isNetworkCore: Bool {
    guard let listing else { return false }
    if listing.board?.split(whereSeparator: { "/_".contains($0) }).contains("cpunet") == true { return true }
    return listing.soc?.lowercased().hasPrefix("nrf5340") == true && listing.loadAddress.map(Self.networkFlash.contains) == true
  }
}
