import Bluetooth
import Locks
import Synchronization
import VirtualLine

/// A connection of a fixture, with its one packet channel.
final class LineLink: GATTLink {
  private struct State {
    var isUp = true
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastID = 0
    var feeds: [AsyncStream<[UInt8]>.Continuation] = []
    var cancelled: Set<Int> = []
  }

  let lineBoard: LineBoard
  /// Not kept: the central keeps its links.
  private weak let central: LineCentral?
  let board: BluetoothAddress
  let adapter: AdapterHandle
  let mtu: Int
  private let isStale: Bool
  private let state = Locked(State())

  init(_ board: LineBoard, at address: BluetoothAddress, on adapter: AdapterHandle, central: LineCentral, mtu: Int, isStale: Bool) {
    lineBoard = board
    self.board = address
    self.adapter = adapter
    self.central = central
    self.mtu = mtu
    self.isStale = isStale
  }

  var isUp: Bool { state.withLock { $0.isUp } }

  func characteristics() async -> [GATTCharacteristic] {
    let device = [BluetoothUUID.modelNumber, .serialNumber, .firmwareRevision, .hardwareRevision, .manufacturerName]
    return device.map { GATTCharacteristic(service: .deviceInformation, uuid: $0, flags: ["read"]) }
  }

  func pair(_ method: PairingMethod, limit: Duration) async throws(CentralError) {
    guard isUp else { throw .linkLost }
    guard let central else { throw .stackGone("the fixture is gone") }
    guard !central.isBonded(board, on: adapter) else { return }
    guard lineBoard.state.withLock({ $0.quirks.acceptsPairing }) == method else { throw .pairingFailed("Authentication Failed") }
    central.bond(board, on: adapter)
  }

  func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID, limit: Duration) async throws(CentralError) -> [UInt8] {
    guard isUp else { throw .linkLost }
    let value = lineBoard.state.withLock { state -> [UInt8]? in
      if characteristic == .serialNumber, let other = state.quirks.serialAfterReset, !state.board.boots.isEmpty { return Array(other.utf8) }
      return state.board.read(characteristic)
    }
    guard let value else { throw .attributeMissing(characteristic) }
    return value
  }

  func write(_ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, limit: Duration) async throws(CentralError) {
    throw .refused("not in this fixture")
  }

  func openChannel(
    notifying characteristic: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, limit: Duration
  ) async throws(CentralError) -> any PacketChannel {
    guard isUp else { throw .linkLost }
    let quirks = lineBoard.state.withLock { $0.quirks }
    guard !quirks.lacksSMP, !isStale, characteristic.description == VirtualBoard.characteristic else { throw .attributeMissing(characteristic) }
    guard !quirks.demandsEncryption || central?.isBonded(board, on: adapter) == true else { throw .notPermitted("ATT error 0x05") }
    lineBoard.state.withLock { $0.board.subscribe(true) }
    return LineChannel(link: self)
  }

  func ended() async {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.isUp, state.cancelled.remove(id) == nil else { return true }
          state.waiters[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        if waiter == nil { state.cancelled.insert(id) }
        return waiter
      }?.resume()
    }
  }

  func disconnect() async {
    // As a D-Bus call under cancellation: it does not happen.
    guard !Task.isCancelled else { return }
    end()
  }

  // MARK: for the channel and the central

  func packets() -> AsyncStream<[UInt8]> {
    let (stream, feed) = AsyncStream.makeStream(of: [UInt8].self)
    let isUp = state.withLock { state in
      state.feeds.append(feed)
      return state.isUp
    }
    if !isUp { feed.finish() }
    return stream
  }

  /// A packet of the caller goes to the board.
  func write(_ packet: [UInt8]) { central?.deliver(packet, over: self) }

  /// A packet of the board comes to the caller.
  func deliver(_ packet: [UInt8]) {
    for feed in state.withLock({ $0.feeds }) { feed.yield(packet) }
  }

  func closeChannel() {
    lineBoard.state.withLock { $0.board.subscribe(false) }
    for feed in state.withLock({ $0.feeds }) { feed.finish() }
  }

  /// The link is down, whoever ended it.
  func end() {
    let (waiters, feeds) = state.withLock { state in
      state.isUp = false
      defer { state.waiters = [:] }
      return (Array(state.waiters.values), state.feeds)
    }
    lineBoard.state.withLock { board in
      guard board.link === self else { return }
      board.link = nil
      board.partial = 0
      board.board.disconnected()
    }
    for feed in feeds { feed.finish() }
    for waiter in waiters { waiter.resume() }
  }
}

/// The packet sockets of a fixture's link.
struct LineChannel: PacketChannel {
  let link: LineLink

  var mtu: Int { link.mtu }

  func send(_ packet: [UInt8]) async throws(CentralError) {
    guard link.isUp else { throw .linkLost }
    link.write(packet)
  }

  func packets() -> AsyncStream<[UInt8]> { link.packets() }

  func close() async { link.closeChannel() }
}
