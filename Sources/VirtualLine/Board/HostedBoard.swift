import Bluetooth

/// How a board is found: what it advertises in the mode that it is in.
struct BoardFace: Hashable, Sendable {
  var address: BluetoothAddress
  var name: String
  var services: [BluetoothUUID]
}

/// What the line's host asks of a board, whatever its kind: bytes in, actions out.
///
/// A board has at most one notifying characteristic at a time, so `BoardAction.notify` needs no name.
protocol HostedBoard: Sendable {
  var face: BoardFace { get }
  /// All addresses that it can have, the application's first.
  var addresses: [BluetoothAddress] { get }
  /// Its GATT database in the mode that it is in.
  var services: [BoardAttributes.Service] { get }
  var advertises: Bool { get }
  /// It has what it was laid down for, and may be taken off the tray.
  var isUpdated: Bool { get }
  var connections: Int { get }
  var bootCount: Int { get }
  /// Image bytes stored, in the board's whole life.
  var bytesReceived: Int { get }

  mutating func powerOn() -> [BoardAction]
  /// A central asks for a connection and waits for the board's advertisement.
  mutating func approached()
  /// A central connects. Nil when the attempt fails.
  mutating func linked() -> (mtu: Int, actions: [BoardAction])?
  /// The link is down, whoever ended it.
  mutating func linkEnded() -> [BoardAction]
  mutating func subscribe(_ on: Bool)
  /// A write arrives. One with a response is answered by `BoardAction.respond`, or never.
  mutating func receive(_ value: [UInt8], at characteristic: BluetoothUUID, wantsResponse: Bool) -> [BoardAction]
  /// A notification is on the air, or an indication confirmed.
  mutating func delivered() -> [BoardAction]
  mutating func alarm(_ alarm: BoardAlarm) -> [BoardAction]
  mutating func share(_ image: StoredImage)
  func read(_ characteristic: BluetoothUUID) -> [UInt8]?
  func truth(number: Int) -> LineTruth.Board
}
