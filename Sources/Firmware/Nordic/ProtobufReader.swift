/// Reads the wire format of Protocol Buffers: (number, value) pairs (https://protobuf.dev/programming-guides/encoding/).
///
/// Just what an init packet of Secure DFU needs. A C library would bring a generator and its tables for ten fields.
struct ProtobufReader {
  /// What is wrong with a message.
  struct Flaw: Error, Hashable {
    let text: String
  }

  enum Value: Hashable {
    case number(UInt64)
    case bytes([UInt8])
    /// 8 or 4 bytes of fixed length; no field of ours has one.
    case fixed
  }

  struct Field: Hashable {
    let number: UInt64
    let value: Value
  }

  private var reader: ByteReader

  init(_ bytes: [UInt8]) {
    reader = ByteReader(bytes)
  }

  /// All fields of a message; each takes at least 2 of its bytes, so that there are never more than half as many.
  static func fields(_ bytes: [UInt8]) throws(Flaw) -> [Field] {
    var reader = ProtobufReader(bytes)
    var fields: [Field] = []
    while let field = try reader.next() { fields.append(field) }
    return fields
  }

  /// All numbers of a packed list.
  static func numbers(_ bytes: [UInt8]) throws(Flaw) -> [UInt64] {
    var reader = ProtobufReader(bytes)
    var numbers: [UInt64] = []
    while reader.reader.remaining > 0 { numbers.append(try reader.varint()) }
    return numbers
  }

  /// The next field, or nil at the end.
  mutating func next() throws(Flaw) -> Field? {
    guard reader.remaining > 0 else { return nil }
    let key = try varint()
    let value: Value
    switch key & 7 {
    case 0: value = .number(try varint())
    case 1: value = try fixed(8)
    case 2: value = .bytes(try take(try varint()))
    case 5: value = try fixed(4)
    case let kind: throw Flaw(text: "a field has the unknown wire type \(kind)")
    }
    guard key >> 3 > 0 else { throw Flaw(text: "a field has the number 0") }
    return Field(number: key >> 3, value: value)
  }

  private mutating func fixed(_ count: UInt64) throws(Flaw) -> Value {
    _ = try take(count)
    return .fixed
  }

  private mutating func take(_ count: UInt64) throws(Flaw) -> [UInt8] {
    guard let bytes = Int(exactly: count).flatMap({ reader.take($0) }) else {
      throw Flaw(text: "a field of \(count) bytes reaches over the end")
    }
    return bytes
  }

  /// At most ten bytes with seven bits each, lowest first.
  private mutating func varint() throws(Flaw) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = reader.u8() else { throw Flaw(text: "a number breaks off at the end") }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw Flaw(text: "a number has more than ten bytes")
  }
}
