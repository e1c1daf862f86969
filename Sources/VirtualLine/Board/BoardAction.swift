public import Bluetooth

/// What a virtual board wants its host to do.
public enum BoardAction: Hashable, Sendable {
  /// Send this value as one notification of a characteristic; tell the board when it is on the air.
  case notify([UInt8], from: BluetoothUUID)
  /// Answer the write request at hand: nil is success, else an ATT error code.
  case respond(UInt8?)
  /// The board indicates that its services have changed, without having reset.
  case servicesChanged
  /// Call `alarm(_:)` when so much time has passed.
  case wake(Duration, BoardAlarm)
  /// The link ends; the board already counts it as ended.
  case endLink(LinkEnd)
  /// A whole image was stored: the host may let boards share its bytes.
  case imageStored(StoredImage)
}

/// What a board waits for. Stale ones are ignored by the board.
public struct BoardAlarm: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The server takes the next request.
    case serve
    /// Flash is ready; the answer at hand leaves.
    case answer
    /// A delayed answer leaves.
    case delayed([UInt8])
    case reset
    case booted
    /// The board looks for new diagnostic chunks.
    case poll
    /// Of a board with one of Nordic's bootloaders.
    case dfu(DFUAlarm)
    /// The application goes to its bootloader.
    case jump
    /// The bootloader looks whether it may return to the application.
    case selfReturn
    case serviceChanged
    /// Of a SUIT board.
    case suit(SUITTimer)
  }

  var kind: Kind
  /// The board gives its last answer this time to leave, however fast the line's clock runs.
  var waitsForAir: Bool { kind == .dfu(.leave) }
  /// Alarms of an earlier boot or link mean nothing any more.
  var epoch: Int
}

/// What a board says of itself by the Device Information Service, and how it is found.
public struct BoardIdentity: Hashable, Sendable {
  public var address: BluetoothAddress
  public var name: String
  public var serial: String
  public var model: String
  public var hardware: String
  public var manufacturer: String

  public init(address: BluetoothAddress, name: String, serial: String, model: String, hardware: String, manufacturer: String) {
    self.address = address
    self.name = name
    self.serial = serial
    self.model = model
    self.hardware = hardware
    self.manufacturer = manufacturer
  }
}
