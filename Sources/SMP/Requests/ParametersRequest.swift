/// The buffers of a board's SMP server (OS group, command 6).
public struct BufferParameters: Hashable, Sendable {
  /// Bytes of one buffer: the longest request, header included, and the longest answer.
  public var size: Int
  /// Buffers in all, shared by requests and answers of all transports.
  public var count: Int

  public init(size: Int, count: Int) {
    self.size = size
    self.count = count
  }
}

/// Asks for the server's buffers (OS group, command 6; smp.md §3.1). Firmware without it answers `notSupported`.
public struct ParametersRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 6

  public init() {}

  public var payload: CBORValue { .map([]) }

  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> BufferParameters {
    BufferParameters(size: try body.size("buf_size"), count: try body.size("buf_count"))
  }
}
