/// The first byte of a request on Secure DFU's control point, and the second one of its response (nordic-dfu.md §3.3).
public enum SecureOpCode: UInt8, Hashable, Sendable, CaseIterable {
  case protocolVersion = 0x00
  /// Followed by the object's type and its size, 32 bits. Forgets what the board had of that object.
  case create = 0x01
  /// Followed by the number of packets between two receipts, 16 bits; 0 switches them off.
  case setReceipts = 0x02
  /// Answered with offset and CRC-32. Receipts have the same form.
  case checksum = 0x03
  case execute = 0x04
  /// Followed by the object's type; answered with the largest size, offset and CRC-32.
  case select = 0x06
  /// These three belong to serial transports.
  case mtu = 0x07
  case write = 0x08
  case ping = 0x09
  case hardwareVersion = 0x0A
  case firmwareVersion = 0x0B
  /// From SDK 15 on: the board leaves its bootloader.
  case abort = 0x0C
  /// Of a notification: `60 op result`.
  case response = 0x60
}
