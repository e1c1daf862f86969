/// Why bytes are not a CBOR item this room takes. Offsets count from the first byte of the item.
public enum CBORError: Error, Hashable, Sendable {
  /// The bytes end in the middle of an item.
  case truncated
  /// The bytes at this offset are not well-formed CBOR.
  case malformed(offset: Int)
  /// More bytes than the limit.
  case tooLong(limit: Int)
  /// Containers are nested deeper than the limit.
  case tooDeep(limit: Int)
  /// More items (announced or present) than the limit.
  case tooManyItems(limit: Int)
}
