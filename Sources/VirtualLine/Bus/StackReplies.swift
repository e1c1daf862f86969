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

  static func failed(_ message: String) -> DBusReply { .error(name: "org.bluez.Error.Failed", message: message) }
}
