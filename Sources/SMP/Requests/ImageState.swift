/// One image that a board reports (image group, command 0; smp.md §3.2). Flags that a frugal server leaves out are false.
public struct ImageSlot: Hashable, Sendable {
  /// The longest hash there is: SHA-512.
  public static let longestHash = 64

  /// Which image of a board with several; 0 when the board does not say.
  public var image: Int
  /// 0 or 1, inside the image.
  public var slot: Int
  /// As the board writes it: `M.m.r`, or `M.m.r.b` when the build number is not 0; empty when it says nothing.
  public var version: String
  /// MCUboot's hash of the image, 32, 48 or 64 bytes; nil when the board does not report one. Not the hash of a file.
  public var hash: [UInt8]?
  public var bootable: Bool
  /// Will be started at the next reset.
  public var pending: Bool
  /// Will not be reverted.
  public var confirmed: Bool
  /// The running image.
  public var active: Bool
  /// Pending, and will not be reverted either.
  public var permanent: Bool
  /// Stored compressed, and unpacked by the bootloader.
  public var compressed: Bool

  public init(
    image: Int = 0, slot: Int, version: String = "", hash: [UInt8]? = nil, bootable: Bool = false, pending: Bool = false, confirmed: Bool = false,
    active: Bool = false, permanent: Bool = false, compressed: Bool = false
  ) {
    self.image = image
    self.slot = slot
    self.version = version
    self.hash = hash
    self.bootable = bootable
    self.pending = pending
    self.confirmed = confirmed
    self.active = active
    self.permanent = permanent
    self.compressed = compressed
  }

  init(_ body: CBORValue) throws(SMPDecodeError) {
    guard body.isMap else { throw .wrongType("images") }
    let hash = try body.optionalBytes("hash")
    if let hash, hash.count > Self.longestHash { throw .outOfRange("hash") }
    self.init(
      image: body["image"] == nil ? 0 : try body.size("image"), slot: try body.size("slot"), version: try body.optionalText("version") ?? "",
      hash: hash?.isEmpty == true ? nil : hash, bootable: try body.flag("bootable"), pending: try body.flag("pending"),
      confirmed: try body.flag("confirmed"), active: try body.flag("active"), permanent: try body.flag("permanent"),
      compressed: try body.flag("compressed"))
  }
}

/// All images of a board (the response to reading and to writing the image state). A slot without a valid image is not in it.
public struct ImageState: Hashable, Sendable {
  public var slots: [ImageSlot]
  /// The state of a split image; 0 for everyone who has none.
  public var splitStatus: Int

  public init(slots: [ImageSlot], splitStatus: Int = 0) {
    self.slots = slots
    self.splitStatus = splitStatus
  }

  init(_ body: CBORValue) throws(SMPDecodeError) {
    var slots: [ImageSlot] = []
    for item in try body.list("images") { slots.append(try ImageSlot(item)) }
    self.init(slots: slots, splitStatus: try body.optionalInteger("splitStatus") ?? 0)
  }
}
