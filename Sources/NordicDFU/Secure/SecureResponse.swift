/// A notification of Secure DFU's control point: `60 op result` and what belongs to it (nordic-dfu.md §3.3). A receipt is an answer to `03`.
public struct SecureResponse: Hashable, Sendable {
  /// What a board has received: cumulative from the first byte of init packet or image, not of the object.
  public struct Position: Hashable, Sendable {
    public var offset: Int
    /// CRC-32, zlib's.
    public var checksum: UInt32

    public init(offset: Int, checksum: UInt32) {
      self.offset = offset
      self.checksum = checksum
    }

    init?(_ bytes: some Collection<UInt8>) {
      guard let offset = UInt32(littleEndian: bytes), let checksum = UInt32(littleEndian: bytes.dropFirst(4)) else { return nil }
      self.init(offset: Int(offset), checksum: checksum)
    }
  }

  public let op: SecureOpCode
  /// May be one that the protocol does not know.
  public let result: UInt8
  public let payload: [UInt8]

  /// Nil for what is no response to a request that the protocol knows.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 3, bytes[0] == SecureOpCode.response.rawValue, let op = SecureOpCode(rawValue: bytes[1]) else { return nil }
    self.op = op
    result = bytes[2]
    payload = [UInt8](bytes.dropFirst(3))
  }

  /// Nil for success.
  public var refusal: SecureRefusal? { SecureRefusal(result: result, payload: payload) }

  /// Of an answer to `03`.
  public var position: Position? { op == .checksum ? Position(payload) : nil }

  /// Of an answer to `06`: the largest object in bytes, and what the board has.
  public var selection: (largest: Int, position: Position)? {
    guard op == .select, let largest = UInt32(littleEndian: payload), let position = Position(payload.dropFirst(4)) else { return nil }
    return (Int(largest), position)
  }
}
