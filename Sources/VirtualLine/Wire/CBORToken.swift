import CCBOR

/// One CBOR data item's head, or a whole string, as libcbor's streaming decoder finds it.
enum CBORToken: Hashable, Sendable {
  case unsigned(UInt64)
  case negative(UInt64)
  case bytes([UInt8])
  case text([UInt8])
  case list(Int?)
  case map(Int?)
  case flag(Bool)
  case end
  /// A kind that no SMP request uses as a value that matters (null, floats, tags, strings in pieces).
  case other

  /// The token at `offset`, and where the next one begins; nil when the bytes end inside it or are no CBOR.
  static func read(_ bytes: [UInt8], at offset: Int) -> (token: CBORToken, next: Int)? {
    guard offset >= 0, offset < bytes.count else { return nil }
    var found: CBORToken = .other
    let consumed: Int? = bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      return withUnsafeMutablePointer(to: &found) { context in
        withUnsafePointer(to: callbacks) { table in
          let result = cbor_stream_decode(base + offset, buffer.count - offset, table, UnsafeMutableRawPointer(context))
          return result.status == CBOR_DECODER_FINISHED ? Int(result.read) : nil
        }
      }
    }
    guard let consumed, consumed > 0 else { return nil }
    return (found, offset + consumed)
  }

  private static let callbacks: cbor_callbacks = {
    var table = cbor_empty_callbacks
    table.uint8 = { CBORToken.keep($0, .unsigned(UInt64($1))) }
    table.uint16 = { CBORToken.keep($0, .unsigned(UInt64($1))) }
    table.uint32 = { CBORToken.keep($0, .unsigned(UInt64($1))) }
    table.uint64 = { CBORToken.keep($0, .unsigned($1)) }
    table.negint8 = { CBORToken.keep($0, .negative(UInt64($1))) }
    table.negint16 = { CBORToken.keep($0, .negative(UInt64($1))) }
    table.negint32 = { CBORToken.keep($0, .negative(UInt64($1))) }
    table.negint64 = { CBORToken.keep($0, .negative($1)) }
    table.byte_string = { CBORToken.keep($0, .bytes(Array(UnsafeBufferPointer(start: $1, count: Int($2))))) }
    table.string = { CBORToken.keep($0, .text(Array(UnsafeBufferPointer(start: $1, count: Int($2))))) }
    table.indef_array_start = { CBORToken.keep($0, .list(nil)) }
    table.array_start = { CBORToken.keep($0, .list(Int(clamping: $1))) }
    table.indef_map_start = { CBORToken.keep($0, .map(nil)) }
    table.map_start = { CBORToken.keep($0, .map(Int(clamping: $1))) }
    table.boolean = { CBORToken.keep($0, .flag($1)) }
    table.indef_break = { CBORToken.keep($0, .end) }
    return table
  }()

  @Sendable private static func keep(_ context: UnsafeMutableRawPointer?, _ token: CBORToken) {
    context?.assumingMemoryBound(to: CBORToken.self).pointee = token
  }
}
