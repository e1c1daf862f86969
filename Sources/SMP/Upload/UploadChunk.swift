/// One upload request to send.
public struct UploadChunk: Hashable, Sendable {
  /// Counts up from 0 in the order of sending; a piece that is sent again has a new one.
  public let id: Int
  /// Of its first byte in the file.
  public let offset: Int
  /// Data bytes.
  public let length: Int
  /// True for a request that carries `len`, `sha` and `image`.
  public let isFirst: Bool
  /// True when it ends where the file ends.
  public let isLast: Bool
  /// When to give up waiting for its answer.
  public let timeout: Duration

  public init(id: Int, offset: Int, length: Int, isFirst: Bool, isLast: Bool, timeout: Duration) {
    self.id = id
    self.offset = offset
    self.length = length
    self.isFirst = isFirst
    self.isLast = isLast
    self.timeout = timeout
  }

  /// The offset behind its last byte.
  public var end: Int { offset + length }

  /// The bytes of the file that it carries.
  public var range: Range<Int> { offset..<end }
}
