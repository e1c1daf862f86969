public import Reactor

/// One value of any D-Bus type.
///
/// Source: D-Bus Specification 0.42, "Type System".
public indirect enum DBusValue: Sendable {
  case byte(UInt8)
  case bool(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  /// Sending duplicates the descriptor; a received one belongs to whoever holds the value.
  case descriptor(OwnedDescriptor)
  /// An array of bytes (`ay`), never as `array`.
  case bytes([UInt8])
  /// Elements of one type; its signature is kept because the array may be empty.
  case array([DBusValue], of: String)
  /// Entries in the order of the wire; key and value signatures are kept because it may be empty.
  case dictionary([Entry], key: String, value: String)
  case structure([DBusValue])
  case variant(DBusValue)

  /// One entry of a dictionary.
  public struct Entry: Sendable, Equatable {
    public var key: DBusValue
    public var value: DBusValue

    public init(_ key: DBusValue, _ value: DBusValue) {
      self.key = key
      self.value = value
    }
  }

  /// The D-Bus signature of the value's type.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(_, let element): "a" + element
    case .dictionary(_, let key, let value): "a{" + key + value + "}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }
}

extension DBusValue: Equatable {
  /// Descriptors are equal when they are the same object; everything else by value.
  public static func == (left: DBusValue, right: DBusValue) -> Bool {
    switch (left, right) {
    case (.byte(let a), .byte(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.int16(let a), .int16(let b)): a == b
    case (.uint16(let a), .uint16(let b)): a == b
    case (.int32(let a), .int32(let b)): a == b
    case (.uint32(let a), .uint32(let b)): a == b
    case (.int64(let a), .int64(let b)): a == b
    case (.uint64(let a), .uint64(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.string(let a), .string(let b)), (.objectPath(let a), .objectPath(let b)), (.signature(let a), .signature(let b)): a == b
    case (.descriptor(let a), .descriptor(let b)): a === b
    case (.bytes(let a), .bytes(let b)): a == b
    case (.array(let a, let x), .array(let b, let y)): x == y && a == b
    case (.dictionary(let a, let k, let v), .dictionary(let b, let l, let w)): k == l && v == w && a == b
    case (.structure(let a), .structure(let b)): a == b
    case (.variant(let a), .variant(let b)): a == b
    default: false
    }
  }
}

// MARK: Making and taking apart

extension DBusValue {
  /// A dictionary of names and variants (`a{sv}`), sorted by name.
  public static func properties(_ values: [String: DBusValue]) -> DBusValue {
    let entries = values.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) }
    return .dictionary(entries, key: "s", value: "v")
  }

  /// An array of strings (`as`).
  public static func strings(_ values: [String]) -> DBusValue {
    .array(values.map(DBusValue.string), of: "s")
  }

  /// The value inside a variant (inside a variant …), or the value itself.
  public var unwrapped: DBusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// A string, an object path or a signature, also inside a variant.
  public var text: String? {
    switch unwrapped {
    case .string(let text), .objectPath(let text), .signature(let text): text
    default: nil
    }
  }

  /// Any whole number, also inside a variant; nil for an unsigned one past `Int.max`.
  public var integer: Int? {
    switch unwrapped {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    default: nil
    }
  }

  public var truth: Bool? {
    if case .bool(let value) = unwrapped { value } else { nil }
  }

  public var octets: [UInt8]? {
    if case .bytes(let value) = unwrapped { value } else { nil }
  }

  public var openDescriptor: OwnedDescriptor? {
    if case .descriptor(let value) = unwrapped { value } else { nil }
  }

  public var elements: [DBusValue]? {
    switch unwrapped {
    case .array(let values, _), .structure(let values): values
    default: nil
    }
  }

  public var entries: [Entry]? {
    if case .dictionary(let entries, _, _) = unwrapped { entries } else { nil }
  }

  /// A dictionary with string or path keys, its values taken out of their variants; the last of equal keys wins.
  public var properties: [String: DBusValue]? {
    guard let entries else { return nil }
    var result: [String: DBusValue] = [:]
    for entry in entries {
      guard let key = entry.key.text else { return nil }
      result[key] = entry.value.unwrapped
    }
    return result
  }
}
