/// Why a virtual board's server does not do what it was asked (smp.md §1.3).
enum Refusal: Error, Hashable, Sendable {
  /// An SMP level code, `{rc: n}` in both versions.
  case status(Int)
  /// A group's own code: `{err: {group, rc}}` in version 2, translated in version 1.
  case group(UInt16, Int)
}

/// An SMP packet as a server sees it (smp.md §1.1): 8 bytes of header, big-endian, then one CBOR map.
struct ServerFrame: Hashable, Sendable {
  static let headerSize = 8

  var version: UInt8
  var operation: UInt8
  var group: UInt16
  var sequence: UInt8
  var command: UInt8
  var payload: [UInt8]
  /// Payload bytes that the header promised; more than `payload.count` when fewer came.
  var announcedPayload: Int

  static let read: UInt8 = 0
  static let write: UInt8 = 2

  /// The number of bytes of the packet whose header begins `bytes`; nil below eight bytes.
  static func length(of bytes: [UInt8], from start: Int = 0) -> Int? {
    guard start >= 0, bytes.count >= start + headerSize else { return nil }
    return headerSize + (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3]))
  }

  /// Reads the packet at `start`; `payload` is short when fewer bytes came than the header says.
  init?(_ bytes: [UInt8], from start: Int) {
    guard let length = Self.length(of: bytes, from: start) else { return nil }
    version = bytes[start] >> 3 & 0b11
    operation = bytes[start] & 0b111
    group = UInt16(bytes[start + 4]) << 8 | UInt16(bytes[start + 5])
    sequence = bytes[start + 6]
    command = bytes[start + 7]
    announcedPayload = length - Self.headerSize
    payload = Array(bytes[(start + Self.headerSize)..<min(bytes.count, start + length)])
  }

  /// The answer to this request: operation plus one, a version above 1 clamped to 1 (smp.md §1.1).
  func answer(_ payload: [UInt8], echoVersion: Bool) -> [UInt8] {
    let version: UInt8 = echoVersion ? min(self.version, 1) : 0
    let answered = operation & 1 == 0 ? operation + 1 : operation
    let count = min(payload.count, Int(UInt16.max))
    return [version << 3 | answered & 0b111, 0, UInt8(count >> 8), UInt8(count & 0xFF), UInt8(group >> 8), UInt8(group & 0xFF), sequence, command]
      + payload.prefix(count)
  }
}
