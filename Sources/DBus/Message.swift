import CDBus

/// The header fields of a message that came in; absent ones are empty.
struct MessageHead {
  var sender: String
  var path: String
  var interface: String
  var member: String

  init(_ message: OpaquePointer) {
    sender = dbus_message_get_sender(message).map { String(cString: $0) } ?? ""
    path = dbus_message_get_path(message).map { String(cString: $0) } ?? ""
    interface = dbus_message_get_interface(message).map { String(cString: $0) } ?? ""
    member = dbus_message_get_member(message).map { String(cString: $0) } ?? ""
  }
}

/// A message of ours: one reference, given back with the last user.
///
/// Not safe to touch outside the reactor's thread; it is only carried elsewhere.
final class Message: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over one reference.
  private init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    dbus_message_unref(pointer)
  }

  /// Keeps a message that came in.
  static func keeping(_ pointer: OpaquePointer?) -> Message? {
    pointer.flatMap { dbus_message_ref($0) }.map(Message.init)
  }

  static func call(_ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) throws(DBusError) -> Message {
    try require(destination, dbus_validate_bus_name, "bus name")
    try require(path, dbus_validate_path, "object path")
    try require(interface, dbus_validate_interface, "interface")
    try require(member, dbus_validate_member, "member")
    return try filled(dbus_message_new_method_call(destination, path, interface, member), arguments)
  }

  static func signal(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue], to destination: String?) throws(DBusError) -> Message {
    try require(path, dbus_validate_path, "object path")
    try require(interface, dbus_validate_interface, "interface")
    try require(member, dbus_validate_member, "member")
    if let destination { try require(destination, dbus_validate_bus_name, "bus name") }
    let message = try filled(dbus_message_new_signal(path, interface, member), arguments)
    if let destination, dbus_message_set_destination(message.pointer, destination) == 0 { throw noMemory }
    return message
  }

  static func reply(_ reply: DBusReply, to call: Message) throws(DBusError) -> Message {
    switch reply {
    case .values(let values):
      return try filled(dbus_message_new_method_return(call.pointer), values)
    case .error(let name, let message):
      try require(name, dbus_validate_error_name, "error name")
      return try filled(dbus_message_new_error(call.pointer, name, nil), [.string(message.replacing(zeroBytes: "?"))])
    }
  }

  private static let noMemory = DBusError.invalid("libdbus could not make a message")

  private static func filled(_ pointer: OpaquePointer?, _ values: [DBusValue]) throws(DBusError) -> Message {
    guard let pointer else { throw noMemory }
    let message = Message(pointer)
    try MessageWriter.append(values, to: pointer)
    return message
  }

  private static func require(
    _ text: String, _ isValid: (UnsafePointer<CChar>?, UnsafeMutablePointer<CDBus.DBusError>?) -> dbus_bool_t, _ what: String
  ) throws(DBusError) {
    guard !text.utf8.contains(0), isValid(text, nil) != 0 else { throw .invalid("not a valid \(what): \(text)") }
  }
}

extension String {
  fileprivate func replacing(zeroBytes substitute: Character) -> String {
    utf8.contains(0) ? String(map { $0 == "\0" ? substitute : $0 }) : self
  }
}
