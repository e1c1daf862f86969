/// One characteristic of a connected board.
public struct GATTCharacteristic: Hashable, Sendable {
  public var service: BluetoothUUID
  public var uuid: BluetoothUUID
  /// BlueZ's words: `read`, `write`, `write-without-response`, `notify`, `indicate`, …
  public var flags: Set<String>

  public init(service: BluetoothUUID, uuid: BluetoothUUID, flags: Set<String>) {
    self.service = service
    self.uuid = uuid
    self.flags = flags
  }
}

/// Port: a connection to one board, its services resolved.
public protocol GATTLink: Sendable {
  var board: BluetoothAddress { get }

  /// Pairs the board and encrypts the link; at once when both have been paired already. The bond stays until `Central.forget`.
  func pair(_ method: PairingMethod, limit: Duration) async throws(CentralError)

  /// What the board offers now (looked up again at each call).
  func characteristics() async -> [GATTCharacteristic]

  /// Reads a value; `attributeMissing` when the board has no such characteristic.
  func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID, limit: Duration) async throws(CentralError) -> [UInt8]

  /// Writes a value with a response (`request`) or without one.
  func write(_ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, limit: Duration) async throws(CentralError)

  /// Opens the packet sockets of a service: what one characteristic notifies or indicates comes in, and packets for another (or the same) one go out.
  ///
  /// - Parameter writing: has `write-without-response`; nil opens a channel that only reads.
  func openChannel(
    notifying: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, limit: Duration
  ) async throws(CentralError) -> any PacketChannel

  /// Resumes when the link has ended, whoever ended it.
  func ended() async

  /// Ends the link and returns when it is down, at most a few seconds later. Safe to call twice.
  func disconnect() async
}

/// Port: packets to and from one characteristic, one value a packet.
///
/// There is no back-pressure: a packet that was sent may still be thrown away with the link. Only the board's answer is progress.
public protocol PacketChannel: Sendable {
  /// The negotiated ATT MTU; a packet holds at most three bytes less.
  var mtu: Int { get }

  /// Hands over one packet (1…mtu−3 bytes). Throws `linkLost` when the channel is closed.
  func send(_ packet: [UInt8]) async throws(CentralError)

  /// Hands over packets in their order, as one `send` for each would: one call for the pieces of a request. Throws `linkLost` when the channel is closed.
  func send(all packets: [[UInt8]]) async throws(CentralError)

  /// The notifications in order; ends with the link or `close`. One reader.
  func packets() -> AsyncStream<[UInt8]>

  /// Closes both sockets; the board's notifications are switched off.
  func close() async
}

extension PacketChannel {
  public func send(all packets: [[UInt8]]) async throws(CentralError) {
    for packet in packets { try await send(packet) }
  }
}
