/// What an upload says of itself in its first request (smp.md §3.2).
public struct UploadStart: Hashable, Sendable {
  /// Bytes of the whole file.
  public var length: Int
  /// SHA-256 of the whole file, by which a board recognises an upload that it can continue; not MCUboot's hash. Empty for none.
  public var sha: [UInt8]
  /// Which image; left out when 0.
  public var image: Int
  /// True makes the board refuse an image that is not newer than the running one.
  public var upgradeOnly: Bool

  public init(length: Int, sha: [UInt8], image: Int = 0, upgradeOnly: Bool = false) {
    self.length = length
    self.sha = sha
    self.image = image
    self.upgradeOnly = upgradeOnly
  }
}

/// Writes a piece of an image (image group, command 1; smp.md §3.2 and §4).
public struct ImageUploadRequest: SMPRequest, Hashable {
  public struct Response: Hashable, Sendable {
    /// The offset that the board expects next, whatever was sent.
    public var offset: Int
    /// With the last piece, from boards that check: whether what was written has the announced `sha`.
    public var match: Bool?

    public init(offset: Int, match: Bool? = nil) {
      self.offset = offset
      self.match = match
    }
  }

  public static let operation = SMPOperation.write
  public static let group = SMPGroup.image
  public static let command: UInt8 = 1
  /// A piece that the board already has is dropped by it.
  public static let isRepeatable = true

  public var offset: Int
  public var data: ArraySlice<UInt8>
  /// With the request of offset 0 only.
  public var start: UploadStart?

  /// - Parameter offset: not negative.
  public init(offset: Int, data: ArraySlice<UInt8>, start: UploadStart? = nil) {
    self.offset = offset
    self.data = data
    self.start = start
  }

  public var payload: CBORValue {
    var entries = [CBORValue.Entry(.text("off"), .integer(offset)), CBORValue.Entry(.text("data"), .bytes([UInt8](data)))]
    if let start {
      entries.append(CBORValue.Entry(.text("len"), .integer(start.length)))
      if !start.sha.isEmpty { entries.append(CBORValue.Entry(.text("sha"), .bytes(start.sha))) }
      if start.image != 0 { entries.append(CBORValue.Entry(.text("image"), .integer(start.image))) }
      if start.upgradeOnly { entries.append(CBORValue.Entry(.text("upgrade"), .bool(true))) }
    }
    return .map(entries)
  }

  /// The same bytes as `payload` gives, written straight into the frame: the data is copied once, not per byte and not through a value.
  public func encodePayload(into writer: inout CBORWriter) {
    let sha = start.map { $0.sha } ?? []
    let image = start.map { $0.image } ?? 0
    writer.mapHead(2 + (start == nil ? 0 : 1) + (sha.isEmpty ? 0 : 1) + (image == 0 ? 0 : 1) + (start?.upgradeOnly == true ? 1 : 0))
    // Canonical order: the shorter key first, then by the alphabet.
    if let start {
      writer.text("len")
      writer.value(.integer(start.length))
    }
    writer.text("off")
    writer.value(.integer(offset))
    if !sha.isEmpty {
      writer.text("sha")
      writer.byteString(sha[...])
    }
    writer.text("data")
    writer.byteString(data)
    if image != 0 {
      writer.text("image")
      writer.value(.integer(image))
    }
    if start?.upgradeOnly == true {
      writer.text("upgrade")
      writer.bool(true)
    }
  }

  public var expectedSize: Int { 128 + data.count }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> Response {
    Response(offset: try body.size("off"), match: try body.optionalFlag("match"))
  }
}
