import Bluetooth

/// How a board is found: what it advertises in the mode that it is in.
struct BoardFace: Hashable, Sendable {
  var address: BluetoothAddress
  var name: String
  var services: [BluetoothUUID]
}

/// What the line's host asks of a board, whatever its kind: bytes in, actions out.
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
  /// Diagnostic chunks that have left, in the board's whole life.
  var chunksSent: Int { get }

  mutating func powerOn() -> [BoardAction]
  /// A central asks for a connection and waits for the board's advertisement.
  mutating func approached()
  /// A central connects. Nil when the attempt fails.
  mutating func linked() -> (mtu: Int, actions: [BoardAction])?
  /// The link is down, whoever ended it.
  mutating func linkEnded() -> [BoardAction]
  /// The central pairs by Just Works. False when the board refuses.
  mutating func paired() -> Bool
  /// The link is encrypted from here on: paired just now, or bonded before.
  mutating func encrypted()
  /// Why a read of a characteristic is refused as the link is, as an ATT error; nil when it is not.
  func refusal(ofReading characteristic: BluetoothUUID) -> UInt8?
  /// A write to a characteristic's CCCD; an ATT error when the board refuses it. Switching off is never refused.
  mutating func subscribe(_ on: Bool, to characteristic: BluetoothUUID) -> UInt8?
  /// A write arrives. One with a response is answered by `BoardAction.respond`, or never.
  mutating func receive(_ value: [UInt8], at characteristic: BluetoothUUID, wantsResponse: Bool) -> [BoardAction]
  /// A characteristic's notification is on the air, or its indication confirmed.
  ///
  /// - Parameter kept: a client has it; false when none reads, or one that does not keep up.
  mutating func delivered(from characteristic: BluetoothUUID, kept: Bool) -> [BoardAction]
  mutating func alarm(_ alarm: BoardAlarm) -> [BoardAction]
  mutating func share(_ image: StoredImage)
  func read(_ characteristic: BluetoothUUID) -> [UInt8]?
  func truth(number: Int) -> LineTruth.Board
}

/// Boards without diagnostics, and without attributes that ask for a bond.
extension HostedBoard {
  var chunksSent: Int { 0 }
  mutating func paired() -> Bool { false }
  mutating func encrypted() {}
  func refusal(ofReading characteristic: BluetoothUUID) -> UInt8? { nil }
}
