/// A CBOR data item (RFC 8949 §3), as SMP payloads use them.
///
/// Two maps are equal when they hold the same entries in the same order: this is a value as it was read, not a dictionary.
public enum CBORValue: Hashable, Sendable {
  /// A key and its value in a map.
  public struct Entry: Hashable, Sendable {
    public var key: CBORValue
    public var value: CBORValue

    public init(_ key: CBORValue, _ value: CBORValue) {
      self.key = key
      self.value = value
    }
  }

  case unsigned(UInt64)
  /// A negative integer, stored as on the wire: the value is −1 − n.
  case negative(UInt64)
  case bytes([UInt8])
  /// Text; bytes that are not UTF-8 were replaced by U+FFFD on reading, because a board's text is for people.
  case text(String)
  case array([CBORValue])
  /// The entries in the order of the wire; encoding sorts them.
  case map([Entry])
  indirect case tagged(UInt64, CBORValue)
  case bool(Bool)
  /// Null, and undefined.
  case null
  case float(Double)

  /// A map with text keys.
  public static func object(_ entries: KeyValuePairs<String, CBORValue>) -> CBORValue {
    .map(entries.map { Entry(.text($0.key), $0.value) })
  }

  /// An integer of either sign.
  public static func integer(_ value: Int) -> CBORValue {
    value < 0 ? .negative(UInt64(bitPattern: Int64(~value))) : .unsigned(UInt64(value))
  }

  /// The value of a text key; the first one when a board sends a key twice; nil when there is none or this is no map.
  public subscript(key: String) -> CBORValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == .text(key) }?.value
  }

  /// The integer, nil when this is none or it does not fit 64 signed bits.
  public var integer: Int? {
    switch self {
    case .unsigned(let value): Int(exactly: value)
    case .negative(let value): Int(exactly: value).map { ~$0 }
    default: nil
    }
  }

  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  public var bytes: [UInt8]? {
    if case .bytes(let value) = self { value } else { nil }
  }

  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  public var array: [CBORValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  public var isMap: Bool {
    if case .map = self { true } else { false }
  }
}
