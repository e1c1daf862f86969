import Bluetooth
import LineFixture
import Locks
import Synchronization

@testable import VirtualLine

/// A connection to one board with a Nordic bootloader.
final class RescueLink: GATTLink {
  private struct State {
    var isUp = true
    var shown: [BoardAttributes.Service]
    var feeds: [AsyncStream<[UInt8]>.Continuation] = []
  }

  let cell: RescueBoard
  let board: BluetoothAddress
  let mtu: Int
  let central: RescueCentral
  private let state: Locked<State>

  /// - Parameter shown: the services that the stack shows, be they the board's or remembered.
  init(_ cell: RescueBoard, at address: BluetoothAddress, mtu: Int, central: RescueCentral, shown: [BoardAttributes.Service]) {
    state = Locked(State(shown: shown))
    self.cell = cell
    board = address
    self.mtu = mtu
    self.central = central
  }

  var isUp: Bool { state.withLock { $0.isUp } }

  /// Bootloaders refuse to be paired.
  func pair(_ method: PairingMethod, limit: Duration) async throws(CentralError) {
    guard isUp else { throw .linkLost }
    guard !central.isBonded(board) else { return }
    guard cell.board.mode == .application else { throw .pairingFailed("Authentication Failed") }
    central.bond(board)
  }

  func hideServices() {
    let feeds = state.withLock { state in
      state.shown = []
      defer { state.feeds = [] }
      return state.feeds
    }
    cell.state.withLock { $0.board.subscribe(false) }
    for feed in feeds { feed.finish() }
  }

  func show(_ services: [BoardAttributes.Service]) { state.withLock { $0.shown = services } }

  private func shows(_ characteristic: BluetoothUUID) -> Bool {
    state.withLock { $0.shown.contains { $0.characteristics.contains { $0.uuid == characteristic } } }
  }

  func characteristics() async -> [GATTCharacteristic] {
    state.withLock { $0.shown }.flatMap { service in
      service.characteristics.map { GATTCharacteristic(service: service.uuid, uuid: $0.uuid, flags: Set($0.flags)) }
    }
  }

  func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID, limit: Duration) async throws(CentralError) -> [UInt8] {
    guard isUp else { throw .linkLost }
    guard shows(characteristic), let value = cell.board.read(characteristic) else { throw .attributeMissing(characteristic) }
    return value
  }

  func write(_ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, limit: Duration) async throws(CentralError) {
    guard isUp else { throw .linkLost }
    cell.note(value, at: characteristic)
    guard withResponse else { return central.act(cell, receive(value, at: characteristic, false)) }
    let id = cell.state.withLock { state in
      state.lastRequest += 1
      return state.lastRequest
    }
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        cell.state.withLock { $0.response = (id, answer) }
        central.clock.schedule(after: limit) { [cell] in cell.answer(.noAnswer("timeout"), to: id) }
        central.act(cell, receive(value, at: characteristic, true))
        if Task.isCancelled { cell.answer(.refused("cancelled"), to: id) }
      }
    } onCancel: {
      cell.answer(.refused("cancelled"), to: id)
    }
    if let error { throw error }
  }

  func receive(_ value: [UInt8], at characteristic: BluetoothUUID, _ wantsResponse: Bool) -> [BoardAction] {
    cell.state.withLock { $0.board.receive(value, at: characteristic, wantsResponse: wantsResponse) }
  }

  func openChannel(
    notifying: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, limit: Duration
  ) async throws(CentralError) -> any PacketChannel {
    guard isUp else { throw .linkLost }
    guard shows(notifying) else { throw .attributeMissing(notifying) }
    guard !cell.demandsBond(notifying) || central.isBonded(board) else { throw .notPermitted("ATT error 0x05") }
    cell.state.withLock { $0.board.subscribe(true) }
    return RescueChannel(link: self, characteristic: writing)
  }

  func ended() async {
    for await _ in packets() {}
  }

  func disconnect() async {
    guard isUp else { return }
    end()
    central.act(cell, cell.state.withLock { $0.board.linkEnded() })
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

  func deliver(_ bytes: [UInt8]) {
    for feed in state.withLock({ $0.feeds }) { feed.yield(bytes) }
  }

  /// The link is down, whoever ended it.
  func end() {
    let feeds = state.withLock { state in
      state.isUp = false
      return state.feeds
    }
    cell.state.withLock { if $0.link === self { $0.link = nil } }
    cell.answer(.linkLost)
    for feed in feeds { feed.finish() }
  }
}

/// The packet sockets of such a link: one packet a millisecond.
struct RescueChannel: PacketChannel {
  let link: RescueLink
  let characteristic: BluetoothUUID?

  var mtu: Int { link.mtu }

  func send(_ packet: [UInt8]) async throws(CentralError) {
    guard link.isUp, let characteristic else { throw .linkLost }
    do { try await link.central.clock.sleep(for: .milliseconds(1)) } catch { throw .linkLost }
    guard link.isUp else { throw .linkLost }
    link.central.act(link.cell, link.receive(packet, at: characteristic, false))
  }

  func packets() -> AsyncStream<[UInt8]> { link.packets() }

  func close() async {
    link.cell.state.withLock { $0.board.subscribe(false) }
  }
}
