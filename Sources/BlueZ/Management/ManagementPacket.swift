/// A command of the kernel's Bluetooth management interface.
///
/// Source: BlueZ doc/mgmt-api.txt, "Packet Structures": code, controller index and length of the parameters, 16 bits each, little endian.
struct ManagementCommand: Hashable {
  static let headerSize = 6

  var code: UInt16
  var index: UInt16
  var parameters: [UInt8]

  var packet: [UInt8] {
    code.littleEndianOctets + index.littleEndianOctets + UInt16(clamping: parameters.count).littleEndianOctets + parameters
  }
}

/// What the management socket says; only answers are told apart.
///
/// Source: BlueZ doc/mgmt-api.txt, "Command Complete Event" (0x0001) and "Command Status Event" (0x0002).
enum ManagementEvent: Hashable {
  case complete(code: UInt16, index: UInt16, status: UInt8, parameters: [UInt8])
  case status(code: UInt16, index: UInt16, status: UInt8)
  case other

  /// Nil when the packet is shorter than it says, or than its kind must be.
  init?(_ packet: [UInt8]) {
    guard let event = packet.littleEndian16(at: 0), let index = packet.littleEndian16(at: 2), let length = packet.littleEndian16(at: 4) else { return nil }
    guard packet.count == ManagementCommand.headerSize + Int(length) else { return nil }
    guard event == 1 || event == 2 else {
      self = .other
      return
    }
    guard let code = packet.littleEndian16(at: 6), packet.count > 8 else { return nil }
    self =
      event == 1
      ? .complete(code: code, index: index, status: packet[8], parameters: Array(packet[9...])) : .status(code: code, index: index, status: packet[8])
  }
}

extension UInt16 {
  var littleEndianOctets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}

extension UInt32 {
  var littleEndianOctets: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * UInt32($0))) } }
}

extension [UInt8] {
  func littleEndian16(at offset: Int) -> UInt16? {
    offset >= 0 && offset + 2 <= count ? UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 : nil
  }

  func littleEndian32(at offset: Int) -> UInt32? {
    guard let low = littleEndian16(at: offset), let high = littleEndian16(at: offset + 2) else { return nil }
    return UInt32(low) | UInt32(high) << 16
  }
}
