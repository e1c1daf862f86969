/// Every wait and number of this room.
public struct BlueZLimits: Sendable {
  /// From losing the bus to the next try to connect to it.
  public var reconnectPause: Duration = .milliseconds(500)
  /// One call to the bus or to bluetoothd that does not reach the air.
  public var call: Duration = .seconds(10)
  /// Reading the whole object tree.
  public var readTree: Duration = .seconds(10)
  /// From asking an adapter to switch on until it says that it has.
  public var power: Duration = .seconds(10)
  /// Between switching a failing adapter off and on again: time for its firmware to forget.
  public var powerPause: Duration = .seconds(1)
  /// Removing one board, which ends its link first.
  public var remove: Duration = .seconds(6)
  /// Waiting for the adapter, while somebody else starts or stops discovery or connects.
  public var turn: Duration = .seconds(60)
  /// bluetoothd's own two seconds before it ends a link, and then some (facts/bluez.md §4: 2.0–2.8 s).
  public var disconnect: Duration = .seconds(5)
  /// From `Connected` = false until the link is down: two connection intervals and more (facts/bluez.md §4).
  public var gap: Duration = .milliseconds(300)
  /// Connects within one `connect` when the kernel still has the old link.
  public var gapTries = 3
  /// One command to the kernel's management socket, which answers at once or after a word with the adapter.
  public var management: Duration = .seconds(2)
  /// From a full packet socket until it takes the next packet.
  public var send: Duration = .seconds(10)
  /// All of `shutDown`.
  public var shutDown: Duration = .seconds(5)
  /// Advertisements kept for a slow reader; then the oldest go.
  public var advertisementsKept = 1024
  /// Notifications kept for a slow reader; then the channel is closed, because a gap would be worse.
  public var notificationsKept = 4096
  /// Objects in the tree; more are not looked at.
  public var objects = 20_000

  public init() {}
}
