import CDBus
import Reactor

/// Reads the arguments of a message that libdbus has validated, with limits of our own on depth and number.
struct MessageReader {
  /// The deepest nesting that is read (the specification's 32 arrays and 32 structures).
  static let depthLimit = 64
  /// The most values one message may hold.
  static let valueLimit = 1 << 20

  private var valuesLeft = Self.valueLimit

  static func arguments(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    var reader = MessageReader()
    return try reader.sequence(&iterator, depth: 0)
  }

  private mutating func sequence(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != Int32(FLASHLINE_DBUS_INVALID) {
      values.append(try value(&iterator, depth: depth))
      _ = dbus_message_iter_next(&iterator)
    }
    return values
  }

  private mutating func value(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
    guard depth < Self.depthLimit, valuesLeft > 0 else { throw .tooLarge }
    valuesLeft -= 1
    switch Int(dbus_message_iter_get_arg_type(&iterator)) {
    case FLASHLINE_DBUS_BYTE: return .byte(basic(&iterator).byt)
    case FLASHLINE_DBUS_BOOLEAN: return .bool(basic(&iterator).bool_val != 0)
    case FLASHLINE_DBUS_INT16: return .int16(basic(&iterator).i16)
    case FLASHLINE_DBUS_UINT16: return .uint16(basic(&iterator).u16)
    case FLASHLINE_DBUS_INT32: return .int32(basic(&iterator).i32)
    case FLASHLINE_DBUS_UINT32: return .uint32(basic(&iterator).u32)
    case FLASHLINE_DBUS_INT64: return .int64(Int64(basic(&iterator).i64))
    case FLASHLINE_DBUS_UINT64: return .uint64(UInt64(basic(&iterator).u64))
    case FLASHLINE_DBUS_DOUBLE: return .double(basic(&iterator).dbl)
    case FLASHLINE_DBUS_STRING: return .string(text(&iterator))
    case FLASHLINE_DBUS_OBJECT_PATH: return .objectPath(text(&iterator))
    case FLASHLINE_DBUS_SIGNATURE: return .signature(text(&iterator))
    // libdbus hands out a duplicate with close-on-exec set: it is ours.
    case FLASHLINE_DBUS_UNIX_FD: return .descriptor(OwnedDescriptor(basic(&iterator).fd))
    case FLASHLINE_DBUS_ARRAY: return try array(&iterator, depth: depth)
    case FLASHLINE_DBUS_STRUCT:
      var inner = entered(&iterator)
      return .structure(try sequence(&inner, depth: depth + 1))
    case FLASHLINE_DBUS_VARIANT:
      var inner = entered(&iterator)
      return .variant(try value(&inner, depth: depth + 1))
    default:
      // libdbus has validated the message: another type cannot come; it is answered with an error all the same.
      throw .tooLarge
    }
  }

  private mutating func array(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
    let elementType = Int(dbus_message_iter_get_element_type(&iterator))
    // Taken from the array itself (`a…`), because an empty one has no element to ask.
    let type = String(signature(&iterator).dropFirst())
    var inner = entered(&iterator)
    if elementType == FLASHLINE_DBUS_BYTE { return .bytes(fixedBytes(&inner)) }
    guard elementType == FLASHLINE_DBUS_DICT_ENTRY else { return .array(try sequence(&inner, depth: depth + 1), of: type) }
    // `{kv…}`: a key is always one character, a basic type.
    let key = String(type.dropFirst().prefix(1))
    let valueType = String(type.dropFirst(2).dropLast())
    var entries: [DBusValue.Entry] = []
    while dbus_message_iter_get_arg_type(&inner) == Int32(FLASHLINE_DBUS_DICT_ENTRY) {
      var pair = entered(&inner)
      let key = try value(&pair, depth: depth + 1)
      _ = dbus_message_iter_next(&pair)
      entries.append(DBusValue.Entry(key, try value(&pair, depth: depth + 1)))
      _ = dbus_message_iter_next(&inner)
    }
    return .dictionary(entries, key: key, value: valueType)
  }

  private func entered(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    return inner
  }

  private func basic(_ iterator: inout DBusMessageIter) -> DBusBasicValue {
    var value = DBusBasicValue()
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private func text(_ iterator: inout DBusMessageIter) -> String {
    basic(&iterator).str.map { String(cString: $0) } ?? ""
  }

  private func fixedBytes(_ iterator: inout DBusMessageIter) -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&iterator, &start, &count)
    guard let start, count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  private func signature(_ iterator: inout DBusMessageIter) -> String {
    guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
