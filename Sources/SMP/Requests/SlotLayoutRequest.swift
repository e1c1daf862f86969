/// One slot of a board's flash (image group, command 6).
public struct SlotLayout: Hashable, Sendable {
  public var slot: Int
  /// Bytes, nil when the board could not say.
  public var size: Int?
  /// What to send as `image` in an upload to this slot.
  public var uploadImage: Int?
  /// Why the board could not say.
  public var error: SMPStatus?

  public init(slot: Int, size: Int? = nil, uploadImage: Int? = nil, error: SMPStatus? = nil) {
    self.slot = slot
    self.size = size
    self.uploadImage = uploadImage
    self.error = error
  }
}

/// The slots of one image (image group, command 6).
public struct ImageLayout: Hashable, Sendable {
  public var image: Int
  public var slots: [SlotLayout]
  /// Bytes of the largest image that the bootloader can exchange; nil when the firmware does not know.
  public var largestImage: Int?

  public init(image: Int, slots: [SlotLayout], largestImage: Int? = nil) {
    self.image = image
    self.slots = slots
    self.largestImage = largestImage
  }
}

/// Asks for the slots and their sizes (image group, command 6; smp.md §3.2).
public struct SlotLayoutRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.image
  public static let command: UInt8 = 6

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [ImageLayout] {
    var images: [ImageLayout] = []
    for image in try body.list("images") {
      guard image.isMap else { throw .wrongType("images") }
      var slots: [SlotLayout] = []
      for slot in try image.list("slots") {
        guard slot.isMap else { throw .wrongType("slots") }
        let code = try slot.optionalInteger("rc") ?? 0
        slots.append(
          SlotLayout(
            slot: try slot.size("slot"), size: slot["size"] == nil ? nil : try slot.size("size"),
            uploadImage: try slot.optionalInteger("upload_image_id"), error: code == 0 ? nil : SMPStatus(code: code)))
      }
      let largest = image["max_image_size"] == nil ? nil : try image.size("max_image_size")
      images.append(ImageLayout(image: image["image"] == nil ? 0 : try image.size("image"), slots: slots, largestImage: largest))
    }
    return images
  }
}
