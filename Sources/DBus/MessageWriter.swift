import CDBus
import Reactor

/// Appends values to a libdbus message, everything checked before libdbus sees it: libdbus aborts the process on what it finds invalid.
struct MessageWriter {
  /// The deepest nesting that is sent (the specification allows 32 arrays and 32 structures).
  static let depthLimit = 32

  static func append(_ values: [DBusValue], to message: OpaquePointer) throws(DBusError) {
    for value in values { try check(value, depth: 0) }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    for value in values { try append(value, &iterator) }
  }

  // MARK: Checks

  private static func check(_ value: DBusValue, depth: Int) throws(DBusError) {
    guard depth < depthLimit else { throw .invalid("a value is nested deeper than \(depthLimit)") }
    switch value {
    case .string(let text):
      guard !text.utf8.contains(0) else { throw .invalid("a string holds a zero byte") }
    case .objectPath(let text):
      guard isValidPath(text) else { throw .invalid("not an object path: \(text)") }
    case .signature(let text):
      guard isValidSignature(text) else { throw .invalid("not a signature: \(text)") }
    case .descriptor(let descriptor):
      guard descriptor.isOpen else { throw .invalid("a descriptor is closed") }
    case .array(let elements, let type):
      guard isSingleType(type) else { throw .invalid("not one type: \(type)") }
      try check(elements, type: type, depth: depth)
    case .dictionary(let entries, let key, let value):
      guard isValidSignature("a{" + key + value + "}") else { throw .invalid("not a dictionary type: {\(key)\(value)}") }
      try check(entries.map(\.key), type: key, depth: depth)
      try check(entries.map(\.value), type: value, depth: depth)
    case .structure(let members):
      guard !members.isEmpty else { throw .invalid("a structure without members") }
      for member in members { try check(member, depth: depth + 1) }
    case .variant(let inner):
      try check(inner, depth: depth + 1)
    default:
      break
    }
  }

  private static func check(_ elements: [DBusValue], type: String, depth: Int) throws(DBusError) {
    for element in elements {
      guard element.signature == type else { throw .invalid("\(element.signature) among elements of type \(type)") }
      try check(element, depth: depth + 1)
    }
  }

  static func isValidPath(_ text: String) -> Bool { !text.utf8.contains(0) && dbus_validate_path(text, nil) != 0 }

  private static func isValidSignature(_ text: String) -> Bool { !text.utf8.contains(0) && dbus_signature_validate(text, nil) != 0 }

  private static func isSingleType(_ text: String) -> Bool { !text.utf8.contains(0) && dbus_signature_validate_single(text, nil) != 0 }

  // MARK: Writing

  private static func append(_ value: DBusValue, _ iterator: inout DBusMessageIter) throws(DBusError) {
    switch value {
    case .byte(let number): try basic(FLASHLINE_DBUS_BYTE, number, &iterator)
    case .bool(let truth): try basic(FLASHLINE_DBUS_BOOLEAN, dbus_bool_t(truth ? 1 : 0), &iterator)
    case .int16(let number): try basic(FLASHLINE_DBUS_INT16, number, &iterator)
    case .uint16(let number): try basic(FLASHLINE_DBUS_UINT16, number, &iterator)
    case .int32(let number): try basic(FLASHLINE_DBUS_INT32, number, &iterator)
    case .uint32(let number): try basic(FLASHLINE_DBUS_UINT32, number, &iterator)
    case .int64(let number): try basic(FLASHLINE_DBUS_INT64, number, &iterator)
    case .uint64(let number): try basic(FLASHLINE_DBUS_UINT64, number, &iterator)
    case .double(let number): try basic(FLASHLINE_DBUS_DOUBLE, number, &iterator)
    case .descriptor(let descriptor): try basic(FLASHLINE_DBUS_UNIX_FD, descriptor.number, &iterator)
    case .string(let text): try string(FLASHLINE_DBUS_STRING, text, &iterator)
    case .objectPath(let text): try string(FLASHLINE_DBUS_OBJECT_PATH, text, &iterator)
    case .signature(let text): try string(FLASHLINE_DBUS_SIGNATURE, text, &iterator)
    case .bytes(let bytes): try byteArray(bytes, &iterator)
    case .array(let elements, let type):
      try container(FLASHLINE_DBUS_ARRAY, type, &iterator) { (inner) throws(DBusError) in
        for element in elements { try append(element, &inner) }
      }
    case .dictionary(let entries, let key, let value):
      try container(FLASHLINE_DBUS_ARRAY, "{" + key + value + "}", &iterator) { (inner) throws(DBusError) in
        for entry in entries {
          try container(FLASHLINE_DBUS_DICT_ENTRY, nil, &inner) { (pair) throws(DBusError) in
            try append(entry.key, &pair)
            try append(entry.value, &pair)
          }
        }
      }
    case .structure(let members):
      try container(FLASHLINE_DBUS_STRUCT, nil, &iterator) { (inner) throws(DBusError) in
        for member in members { try append(member, &inner) }
      }
    case .variant(let wrapped):
      try container(FLASHLINE_DBUS_VARIANT, wrapped.signature, &iterator) { (inner) throws(DBusError) in try append(wrapped, &inner) }
    }
  }

  private static let noMemory = DBusError.invalid("libdbus could not append a value (no memory, or no descriptor left)")

  private static func basic<Value: BitwiseCopyable>(_ type: Int, _ value: Value, _ iterator: inout DBusMessageIter) throws(DBusError) {
    var value = value
    guard dbus_message_iter_append_basic(&iterator, Int32(type), &value) != 0 else { throw noMemory }
  }

  private static func string(_ type: Int, _ text: String, _ iterator: inout DBusMessageIter) throws(DBusError) {
    let done = text.withCString { characters in
      var pointer: UnsafePointer<CChar>? = characters
      return dbus_message_iter_append_basic(&iterator, Int32(type), &pointer) != 0
    }
    guard done else { throw noMemory }
  }

  private static func byteArray(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) throws(DBusError) {
    guard let count = Int32(exactly: bytes.count), bytes.count <= DBusConnection.messageSizeLimit else { throw .invalid("too many bytes") }
    try container(FLASHLINE_DBUS_ARRAY, "y", &iterator) { (inner) throws(DBusError) in
      guard count > 0 else { return }
      let done = bytes.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return dbus_message_iter_append_fixed_array(&inner, Int32(FLASHLINE_DBUS_BYTE), &start, count) != 0
      }
      guard done else { throw noMemory }
    }
  }

  private static func container(
    _ type: Int, _ contents: String?, _ iterator: inout DBusMessageIter, _ body: (inout DBusMessageIter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inner = DBusMessageIter()
    guard dbus_message_iter_open_container(&iterator, Int32(type), contents, &inner) != 0 else { throw noMemory }
    do throws(DBusError) {
      try body(&inner)
    } catch {
      dbus_message_iter_abandon_container(&iterator, &inner)
      throw error
    }
    guard dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw noMemory }
  }
}
