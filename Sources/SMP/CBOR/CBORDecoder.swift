internal import CCBOR

extension CBORValue {
  /// Reads one item from the front of the bytes; what follows it is tolerated, as Zephyr tolerates it.
  ///
  /// Definite and indefinite lengths are taken alike (RFC 8949 §3.2). Throws `CBORError` for everything that is not one whole item
  /// within the limits; nothing is allocated for what has only been announced.
  public init(decoding bytes: some Collection<UInt8>, limits: CBORLimits = CBORLimits()) throws(CBORError) {
    self = try Self.decodePrefix(bytes, limits: limits).value
  }

  /// Reads one item from the front of the bytes, and says how many of them it took.
  public static func decodePrefix(_ bytes: some Collection<UInt8>, limits: CBORLimits = CBORLimits()) throws(CBORError) -> (value: CBORValue, length: Int) {
    guard bytes.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
    let outcome: Result<(value: CBORValue, length: Int), CBORError>
    if let fast = bytes.withContiguousStorageIfAvailable({ decode($0, limits) }) {
      outcome = fast
    } else {
      outcome = [UInt8](bytes).withUnsafeBufferPointer { decode($0, limits) }
    }
    return try outcome.get()
  }

  private static func decode(_ input: UnsafeBufferPointer<UInt8>, _ limits: CBORLimits) -> Result<(value: CBORValue, length: Int), CBORError> {
    guard let base = input.baseAddress, input.count > 0 else { return .failure(.truncated) }
    var builder = CBORBuilder(limits: limits)
    var callbacks = builderCallbacks()
    return withUnsafeMutablePointer(to: &builder) { builder in
      var offset = 0
      while true {
        // Tags 6 to 20 in the short form: libcbor up to 0.8 takes those for malformed, and a tag that nobody knows is still a tag (RFC 8949 §3.4).
        if offset < input.count, (0xC6...0xD4).contains(input[offset]) {
          builder.pointee.openTag(UInt64(input[offset] & 0x1F))
          if let failure = failure(builder.pointee, limits, offset) { return .failure(failure) }
          offset += 1
          continue
        }
        let step = cbor_stream_decode(base + offset, input.count - offset, &callbacks, builder)
        if let failure = failure(builder.pointee, limits, offset) { return .failure(failure) }
        switch step.status {
        case CBOR_DECODER_FINISHED: offset += step.read
        case CBOR_DECODER_NEDATA: return .failure(.truncated)
        default: return .failure(.malformed(offset: offset))
        }
        if let value = builder.pointee.result { return .success((value, offset)) }
        // libcbor always consumes at least the head; should it not, this loop must end all the same.
        guard step.read > 0 else { return .failure(.malformed(offset: offset)) }
      }
    }
  }
}

private func failure(_ builder: CBORBuilder, _ limits: CBORLimits, _ offset: Int) -> CBORError? {
  switch builder.failure {
  case .malformed: .malformed(offset: offset)
  case .tooDeep: .tooDeep(limit: limits.depth)
  case .tooManyItems: .tooManyItems(limit: limits.items)
  case nil: nil
  }
}

private func builder(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CBORBuilder>? {
  context?.assumingMemoryBound(to: CBORBuilder.self)
}

/// libcbor's callbacks, each forwarding its token to the `CBORBuilder` that is the context.
///
/// The field comments in libcbor's header name some definite and indefinite callbacks the wrong way round; the types are right.
private func builderCallbacks() -> cbor_callbacks {
  var calls = cbor_empty_callbacks
  calls.uint8 = { builder($0)?.pointee.add(.unsigned(UInt64($1))) }
  calls.uint16 = { builder($0)?.pointee.add(.unsigned(UInt64($1))) }
  calls.uint32 = { builder($0)?.pointee.add(.unsigned(UInt64($1))) }
  calls.uint64 = { builder($0)?.pointee.add(.unsigned($1)) }
  calls.negint8 = { builder($0)?.pointee.add(.negative(UInt64($1))) }
  calls.negint16 = { builder($0)?.pointee.add(.negative(UInt64($1))) }
  calls.negint32 = { builder($0)?.pointee.add(.negative(UInt64($1))) }
  calls.negint64 = { builder($0)?.pointee.add(.negative($1)) }
  calls.byte_string_start = { builder($0)?.pointee.openString(isText: false) }
  calls.byte_string = { builder($0)?.pointee.addString(UnsafeBufferPointer(start: $1, count: $2), isText: false) }
  calls.string_start = { builder($0)?.pointee.openString(isText: true) }
  calls.string = { builder($0)?.pointee.addString(UnsafeBufferPointer(start: $1, count: $2), isText: true) }
  calls.indef_array_start = { builder($0)?.pointee.openArray(nil) }
  calls.array_start = { builder($0)?.pointee.openArray($1) }
  calls.indef_map_start = { builder($0)?.pointee.openMap(nil) }
  calls.map_start = { builder($0)?.pointee.openMap($1) }
  calls.tag = { builder($0)?.pointee.openTag($1) }
  calls.float2 = { builder($0)?.pointee.add(.float(Double($1))) }
  calls.float4 = { builder($0)?.pointee.add(.float(Double($1))) }
  calls.float8 = { builder($0)?.pointee.add(.float($1)) }
  calls.undefined = { builder($0)?.pointee.add(.null) }
  calls.null = { builder($0)?.pointee.add(.null) }
  calls.boolean = { builder($0)?.pointee.add(.bool($1)) }
  calls.indef_break = { builder($0)?.pointee.endIndefinite() }
  return calls
}
