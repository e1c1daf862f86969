import Reactor

/// A link as the virtual bluetoothd holds it: the air's schedule, and the sockets that a client has acquired.
struct HostedLink: Sendable {
  /// Our end of a socket pair and the watch on it.
  struct Socket: Sendable {
    var descriptor: OwnedDescriptor
    var watch: ReactorWatch
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
  var notifying: Notifying?
  var writer: Socket?
  var reader: Socket?
  /// The board has gone, the central does not know it yet.
  var severed = false
  /// A Disconnect is under way.
  var ending = false
}
