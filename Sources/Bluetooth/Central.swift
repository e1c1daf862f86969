/// An adapter as the Bluetooth stack has it: the handle for every request to `Central`.
///
/// Both halves are checked on use, so that a handle from before a renumbering never reaches another adapter.
public struct AdapterHandle: Hashable, Sendable {
  public var hciIndex: Int
  public var address: BluetoothAddress

  public init(hciIndex: Int, address: BluetoothAddress) {
    self.hciIndex = hciIndex
    self.address = address
  }
}

/// The state of one adapter on the stack.
public struct AdapterState: Hashable, Sendable {
  public var handle: AdapterHandle
  public var powered: Bool

  public init(handle: AdapterHandle, powered: Bool) {
    self.handle = handle
    self.powered = powered
  }
}

/// Why the stack could not do what was asked. Closed: what happens next is decided from these cases, never from texts.
public enum CentralError: Error, Hashable, Sendable {
  /// The adapter is not on the stack (any more), or is switched off: a station fault.
  case adapterGone
  /// The stack itself (D-Bus, bluetoothd) is away: a station fault.
  case stackGone(String)
  /// The stack does not know this board (any more): it must be heard again first.
  case boardUnknown
  /// The connection did not come about; another try may succeed.
  case connectFailed(String)
  /// No connection within the limit that was given.
  case connectTimedOut
  /// The link ended.
  case linkLost
  /// The board is connected and did not answer a request within its limit.
  case noAnswer(String)
  /// The board has no such service or characteristic.
  case attributeMissing(BluetoothUUID)
  /// The board demands pairing or encryption.
  case notPermitted(String)
  /// The board was to be paired, and that did not work.
  case pairingFailed(String)
  /// The board's application answered with an error of its own, 0x80 to 0x9F; what it means is its service's matter (Core 5.4 Vol 3 Part F, 3.4.1.1).
  case applicationError(UInt8)
  /// The stack or the board refused for another reason: the stack's own words.
  case refused(String)
}

/// Port: a Bluetooth stack with several adapters in the central role (BlueZ, or a test).
///
/// One connection attempt at a time per adapter, and discovery is stopped before it: the implementation sees to both.
public protocol Central: Sendable {
  /// All adapters of the stack now, and the whole list again after each change; empty while the stack is away.
  func adapters() -> AsyncStream<[AdapterState]>

  /// Powers the adapter on if it is off, forgets the boards (not bonded) that earlier programs left on it, and sets what is wished of its links.
  ///
  /// The wishes hold for every later connection on this adapter. They never fail: what cannot be set stays as it is, and is noted.
  /// - Returns: what holds now.
  @discardableResult
  func prepare(_ adapter: AdapterHandle, radio: RadioParameters) async throws(CentralError) -> RadioStanding

  /// What `prepare` would come to, as far as it can be told without changing anything.
  func standing(of adapter: AdapterHandle, wishing radio: RadioParameters) async -> RadioStanding

  /// Tries to bring an adapter that fails back to work: `stopDiscovery` or `powerCycle`. Whether it helped shows only when it is used again.
  func heal(_ adapter: AdapterHandle, by remedy: AdapterRemedy) async throws(CentralError)

  /// Starts discovery and yields what is heard until the reader stops, a connection begins, or the adapter goes (then it throws `CentralError`).
  ///
  /// Only one reader per adapter: a new call ends the earlier stream. Duplicates are reported, so that the strength can be followed.
  func discover(on adapter: AdapterHandle) -> AsyncThrowingStream<Advertisement, any Error>

  /// Connects and returns when the board's services are known.
  ///
  /// - Parameter limit: the time for all of it; then the attempt is cancelled and `connectTimedOut` thrown.
  func connect(_ board: BluetoothAddress, on adapter: AdapterHandle, limit: Duration) async throws(CentralError) -> any GATTLink

  /// Drops everything the stack remembers of the board (also its cached services). Never fails: what is not there is forgotten.
  func forget(_ board: BluetoothAddress, on adapter: AdapterHandle) async

  /// Stops all discovery, ends all links; for the end of the program. Bounded in time.
  func shutDown() async
}
