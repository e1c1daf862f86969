internal import CCBOR

/// Appends CBOR to a byte array; the heads are libcbor's, the contents are copied in one piece.
///
/// Lengths are definite, integers the shortest form, keys in canonical order (RFC 7049 §3.9), so that equal values are equal bytes.
public struct CBORWriter: Sendable {
  /// What has been written so far.
  public private(set) var bytes: [UInt8]

  /// - Parameters:
  ///   - bytes: what stands in front of the first item.
  ///   - capacity: bytes to reserve in all.
  public init(_ bytes: [UInt8] = [], reserving capacity: Int = 0) {
    self.bytes = bytes
    self.bytes.reserveCapacity(capacity)
  }

  /// Gives the bytes away.
  public consuming func finish() -> [UInt8] { bytes }

  /// The longest head: one byte and a 64-bit argument.
  private static let longestHead = 9

  private mutating func head(_ encode: (UnsafeMutablePointer<UInt8>, Int) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longestHead) { room in
      guard let base = room.baseAddress else { return }
      let written = encode(base, room.count)
      bytes.append(contentsOf: UnsafeBufferPointer(start: base, count: written))
    }
  }

  public mutating func unsigned(_ value: UInt64) { head { cbor_encode_uint(value, $0, $1) } }
  public mutating func negative(_ value: UInt64) { head { cbor_encode_negint(value, $0, $1) } }
  public mutating func bool(_ value: Bool) { head { cbor_encode_bool(value, $0, $1) } }
  public mutating func null() { head { cbor_encode_null($0, $1) } }
  public mutating func float(_ value: Double) { head { cbor_encode_double(value, $0, $1) } }
  public mutating func tag(_ value: UInt64) { head { cbor_encode_tag(value, $0, $1) } }
  public mutating func arrayHead(_ count: Int) { head { cbor_encode_array_start(count, $0, $1) } }
  public mutating func mapHead(_ count: Int) { head { cbor_encode_map_start(count, $0, $1) } }

  public mutating func text(_ value: String) {
    let utf8 = value.utf8
    head { cbor_encode_string_start(utf8.count, $0, $1) }
    bytes.append(contentsOf: utf8)
  }

  public mutating func byteString(_ value: ArraySlice<UInt8>) {
    head { cbor_encode_bytestring_start(value.count, $0, $1) }
    bytes.append(contentsOf: value)
  }

  public mutating func value(_ value: CBORValue) {
    switch value {
    case .unsigned(let number): unsigned(number)
    case .negative(let number): negative(number)
    case .bytes(let string): byteString(string[...])
    case .text(let string): text(string)
    case .bool(let flag): bool(flag)
    case .null: null()
    case .float(let number): float(number)
    case .tagged(let number, let content):
      tag(number)
      self.value(content)
    case .array(let items):
      arrayHead(items.count)
      for item in items { self.value(item) }
    case .map(let entries):
      mapHead(entries.count)
      for (key, value) in Self.canonical(entries) {
        bytes.append(contentsOf: key)
        self.value(value)
      }
    }
  }

  /// Shorter encoded key first, then bytewise (RFC 7049 §3.9).
  private static func canonical(_ entries: [CBORValue.Entry]) -> [(key: [UInt8], value: CBORValue)] {
    entries.map { (key: $0.key.encoded(), value: $0.value) }
      .sorted { left, right in
        left.key.count != right.key.count ? left.key.count < right.key.count : left.key.lexicographicallyPrecedes(right.key)
      }
  }
}

extension CBORValue {
  /// The bytes of this value: definite lengths, shortest integers, canonical key order.
  public func encoded() -> [UInt8] {
    var writer = CBORWriter()
    writer.value(self)
    return writer.bytes
  }
}
