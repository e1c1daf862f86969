import Glibc

/// Where a bus listens, in the form of the specification's "Server Addresses" (`unix:path=/run/dbus/system_bus_socket`).
public struct DBusAddress: Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ text: String) {
    description = text
  }

  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` where it is set, else the well-known socket.
  public static var system: DBusAddress {
    if let text = getenv("DBUS_SYSTEM_BUS_ADDRESS").map({ String(cString: $0) }), !text.isEmpty { return DBusAddress(text) }
    return DBusAddress("unix:path=/var/run/dbus/system_bus_socket")
  }
}
