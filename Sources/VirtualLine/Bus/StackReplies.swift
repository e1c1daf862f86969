import DBus

/// The errors of bluetoothd by name and text (BlueZ src/error.c).
extension DBusReply {
  static let notReady = error(name: "org.bluez.Error.NotReady", message: "Resource Not Ready")
  static let inProgress = error(name: "org.bluez.Error.InProgress", message: "In Progress")
  static let alreadyConnected = error(name: "org.bluez.Error.AlreadyConnected", message: "Already Connected")
  static let notConnected = error(name: "org.bluez.Error.NotConnected", message: "Not Connected")
  static let doesNotExist = error(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist")
  static let notPermitted = error(name: "org.bluez.Error.NotPermitted", message: "Operation not permitted")
  static let notSupported = error(name: "org.bluez.Error.NotSupported", message: "Operation is not supported")
  static let invalidArguments = error(name: "org.bluez.Error.InvalidArguments", message: "Invalid arguments in method call")
  static let unknownProperty = error(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "No such property")

  static let authenticationFailed = error(name: "org.bluez.Error.AuthenticationFailed", message: "Authentication Failed")
  static let alreadyExists = error(name: "org.bluez.Error.AlreadyExists", message: "Already Exists")

  /// What an ATT error of the board becomes (BlueZ src/gatt-client.c).
  static func attributeError(_ code: UInt8) -> DBusReply {
    failed("Operation failed with ATT error: 0x" + (code < 16 ? "0" : "") + String(code, radix: 16))
  }

  static func failed(_ message: String) -> DBusReply { .error(name: "org.bluez.Error.Failed", message: message) }
}
