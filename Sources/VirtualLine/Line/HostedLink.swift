import Bluetooth
import Reactor

/// A link as the virtual bluetoothd holds it: the air's schedule, and the sockets that a client has acquired.
struct HostedLink: Sendable {
  /// Our end of a socket pair and the watch on it.
  struct Socket: Sendable {
    var descriptor: OwnedDescriptor
    var watch: ReactorWatch
  }

  /// A call that waits for the board's response.
  struct WriteRequest: Sendable {
    var number: Int
    /// Opened by the response, or when the link goes.
    var answered = Latch()
  }

  enum Notifying: Hashable, Sendable {
    /// By `StartNotify`: values leave as PropertiesChanged.
    case signals
    /// By `AcquireNotify`.
    case socket
  }

  var adapter: Int
  /// The client that connected, by its unique name.
  var client: String
  var mtu: Int
  var schedule: LinkSchedule
  /// Tells links of the same board apart in callbacks that come late.
  var ticket: Int
  var timer: ReactorTimer?
  /// The object that was connected, by its address: a board may come back with another one.
  let address: BluetoothAddress
  /// The services that were shown, when they were.
  var services: [BoardAttributes.Service] = []
  /// The characteristics whose notifications are on, and how they leave.
  var notifying: [BluetoothUUID: Notifying] = [:]
  /// By the characteristic's handle.
  var writers: [Int: Socket] = [:]
  var readers: [BluetoothUUID: Socket] = [:]
  /// Write requests without their response yet, oldest first.
  var requests: [WriteRequest] = []
  /// The board has gone, the central does not know it yet.
  var severed = false
  /// A Disconnect is under way.
  var ending = false
}

extension HostedLink {
  func characteristic(service: Int, handle: Int) -> BoardAttributes.Characteristic? {
    services.first { $0.handle == service }?.characteristics.first { $0.handle == handle }
  }

  /// Where a characteristic stands: its service's handle and its own.
  func place(of characteristic: BluetoothUUID) -> (service: Int, handle: Int)? {
    for service in services {
      if let item = service.characteristics.first(where: { $0.uuid == characteristic }) { return (service.handle, item.handle) }
    }
    return nil
  }
}
