import CCBOR

/// What a virtual board answers with, before it is written as CBOR.
///
/// The board has its own writer, so that a mistake of the station's encoder is not repeated here.
indirect enum ReplyValue: Hashable, Sendable {
  case unsigned(UInt64)
  case signed(Int64)
  case bytes([UInt8])
  case text(String)
  case flag(Bool)
  case list([ReplyValue])
  case map([ReplyField])

  /// The CBOR of this value (RFC 8949): maps and lists without a length and with a break (`bf … ff`), as Zephyr's zcbor writes them,
  /// or with a length when the board was built canonical (smp.md §1.2).
  func encoded(canonical: Bool) -> [UInt8] {
    var output: [UInt8] = []
    append(to: &output, canonical: canonical)
    return output
  }

  private func append(to output: inout [UInt8], canonical: Bool) {
    switch self {
    case .unsigned(let value): Self.head(&output) { cbor_encode_uint(value, $0, $1) }
    case .signed(let value) where value >= 0: Self.head(&output) { cbor_encode_uint(UInt64(value), $0, $1) }
    case .signed(let value): Self.head(&output) { cbor_encode_negint(UInt64(-1 - value), $0, $1) }
    case .flag(let value): Self.head(&output) { cbor_encode_bool(value, $0, $1) }
    case .bytes(let value):
      Self.head(&output) { cbor_encode_bytestring_start(value.count, $0, $1) }
      output += value
    case .text(let value):
      Self.head(&output) { cbor_encode_string_start(value.utf8.count, $0, $1) }
      output += value.utf8
    case .list(let values):
      Self.head(&output) { canonical ? cbor_encode_array_start(values.count, $0, $1) : cbor_encode_indef_array_start($0, $1) }
      for value in values { value.append(to: &output, canonical: canonical) }
      if !canonical { Self.head(&output) { cbor_encode_break($0, $1) } }
    case .map(let fields):
      Self.head(&output) { canonical ? cbor_encode_map_start(fields.count, $0, $1) : cbor_encode_indef_map_start($0, $1) }
      for field in fields {
        ReplyValue.text(field.key).append(to: &output, canonical: canonical)
        field.value.append(to: &output, canonical: canonical)
      }
      if !canonical { Self.head(&output) { cbor_encode_break($0, $1) } }
    }
  }

  /// Nine bytes hold the longest head of a data item.
  private static func head(_ output: inout [UInt8], _ write: (UnsafeMutablePointer<UInt8>, Int) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { buffer in
      guard let base = buffer.baseAddress else { return }
      buffer.initialize(repeating: 0)
      output += buffer.prefix(write(base, 9))
    }
  }
}

/// One entry of an answer's map; the order is the order on the air.
struct ReplyField: Hashable, Sendable {
  var key: String
  var value: ReplyValue

  init(_ key: String, _ value: ReplyValue) {
    self.key = key
    self.value = value
  }
}
