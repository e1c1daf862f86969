/// Why bytes are not a frame.
public enum SMPFrameError: Error, Hashable, Sendable {
  /// Fewer bytes than a header, or than the header announces.
  case truncated(expected: Int, actual: Int)
  /// The first byte begins no SMP header.
  case implausibleHeader(UInt8)
  /// The payload does not fit the 16-bit length field.
  case payloadTooLong(Int)
}

/// One SMP request or answer: a header and its payload.
public struct SMPFrame: Hashable, Sendable {
  /// The largest payload that a header can announce, in bytes.
  public static let largestPayload = 65_535
  /// The largest frame, in bytes.
  public static let largest = SMPHeader.size + largestPayload

  /// As received. `length` may be less than `payload.count`: see `init(decoding:)`.
  public let header: SMPHeader
  public let payload: [UInt8]

  /// A frame to send; the header's length is set to the payload's. Throws `payloadTooLong`.
  public init(_ header: SMPHeader, payload: [UInt8]) throws(SMPFrameError) {
    guard let length = UInt16(exactly: payload.count) else { throw .payloadTooLong(payload.count) }
    var header = header
    header.length = length
    self.header = header
    self.payload = payload
  }

  /// Reads one frame that is alone in the bytes.
  ///
  /// Bytes after the announced length are kept in the payload: some servers announce less than they send (device-manager.md §9, the
  /// 142-byte answer that announces 0x79), and the payload's CBOR says itself where it ends.
  public init(decoding bytes: some Collection<UInt8>) throws(SMPFrameError) {
    guard let first = bytes.first else { throw .truncated(expected: SMPHeader.size, actual: 0) }
    guard SMPHeader.operation(ofFirst: first) != nil else { throw .implausibleHeader(first) }
    guard let header = SMPHeader(bytes) else { throw .truncated(expected: SMPHeader.size, actual: bytes.count) }
    let expected = SMPHeader.size + Int(header.length)
    guard bytes.count >= expected else { throw .truncated(expected: expected, actual: bytes.count) }
    self.header = header
    payload = [UInt8](bytes.dropFirst(SMPHeader.size))
  }

  /// The bytes for the wire; the length field is the payload's true length.
  public var bytes: [UInt8] {
    var header = header
    header.length = UInt16(clamping: payload.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(SMPHeader.size + payload.count)
    bytes.append(contentsOf: header.bytes)
    bytes.append(contentsOf: payload)
    return bytes
  }
}
