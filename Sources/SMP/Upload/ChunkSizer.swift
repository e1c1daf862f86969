/// How many data bytes fit an upload request, exactly (smp.md §4.1).
///
/// A request costs: header 8, map head 1, `off` 4 + integer, `data` 5 + head + the bytes themselves; the first one also `len` 4 + integer,
/// `sha` 4 + head + hash, `image` 6 + integer, `upgrade` 8 + 1. One byte too many is silence on Bluetooth, so nothing here is rounded up.
public struct ChunkSizer: Hashable, Sendable {
  /// A board refuses a first piece shorter than an MCUboot image header (image error 22), in bytes.
  public static let imageHeader = 32

  private let total: Int
  private let costs: ChunkCosts
  private let requestSize: Int
  private let alignment: Int

  /// - Parameters:
  ///   - upload: what the first request says; only lengths matter here.
  ///   - requestSize: the longest request, header included, in bytes.
  ///   - alignment: pieces but the last end at a multiple of this many bytes; 1 for boards that take any length.
  public init(_ upload: UploadStart, requestSize: Int, alignment: Int = 1) {
    var first = ChunkCosts.entry("len", upload.length)
    if !upload.sha.isEmpty { first += ChunkCosts.key("sha") + Self.head(upload.sha.count) + upload.sha.count }
    if upload.image != 0 { first += ChunkCosts.entry("image", upload.image) }
    if upload.upgradeOnly { first += ChunkCosts.key("upgrade") + 1 }
    self.init(length: upload.length, costs: ChunkCosts(every: 0, first: first), requestSize: requestSize, alignment: alignment)
  }

  /// Of any upload whose requests carry `off`, `data` and what the costs say.
  ///
  /// - Parameter length: bytes of the whole.
  public init(length: Int, costs: ChunkCosts, requestSize: Int, alignment: Int = 1) {
    total = length
    self.costs = costs
    self.requestSize = min(requestSize, SMPFrame.largest)
    self.alignment = max(1, alignment)
  }

  /// Data bytes of the first request; less than `imageHeader` (or than the image, if that is shorter) means that the request size is too small.
  public var first: Int {
    fitted(at: 0, room: room(at: 0) - costs.first)
  }

  /// Data bytes of a later request at this offset; 0 when the image ends there.
  public func length(at offset: Int) -> Int {
    fitted(at: offset, room: room(at: offset))
  }

  /// Bytes that are left for the data with its head.
  private func room(at offset: Int) -> Int {
    requestSize - SMPHeader.size - 1 - ChunkCosts.entry("off", offset) - ChunkCosts.key("data") - costs.every
  }

  private func fitted(at offset: Int, room: Int) -> Int {
    let remaining = max(0, total - offset)
    let longest = Self.longestString(in: room)
    if longest >= remaining { return remaining }
    // The end is aligned rather than the length, so that an upload resumed at an odd offset finds back to the grid.
    let end = (offset + longest) / alignment * alignment
    return end > offset ? end - offset : longest
  }

  /// Bytes of the head of a string of this length, or of this unsigned integer (RFC 8949 §3).
  static func head(_ value: Int) -> Int {
    switch value {
    case ..<24: 1
    case ..<256: 2
    case ..<65_536: 3
    case ..<4_294_967_296: 5
    default: 9
    }
  }

  /// The longest string that fits so many bytes together with its head.
  static func longestString(in room: Int) -> Int {
    guard room > 0 else { return 0 }
    let byHead = [(1, 23), (2, 255), (3, 65_535)].map { head, longest in min(room - head, longest) }
    return max(0, byHead.max() ?? 0)
  }
}
