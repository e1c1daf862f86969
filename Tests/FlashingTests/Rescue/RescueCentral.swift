import Bluetooth
import LineFixture
import Locks
import Synchronization

@testable import VirtualLine

/// A Bluetooth stack in memory with one adapter, over boards with Nordic's bootloaders and a turned clock.
final class RescueCentral: Central {
  private struct State {
    var reader: (id: Int, feed: AsyncThrowingStream<Advertisement, any Error>.Continuation)?
    var lastReader = 0
    var known: Set<BluetoothAddress> = []
    var forgotten = 0
  }

  private static let advertisingInterval = Duration.milliseconds(100)
  private static let connectTime = Duration.milliseconds(30)

  let clock: ManualClock
  let boards: [RescueBoard]
  private let state = Locked(State())

  init(_ boards: [RescueBoard], clock: ManualClock) {
    self.boards = boards
    self.clock = clock
    state.withLock { $0.known = Set(boards.compactMap { $0.advertisement()?.address }) }
  }

  // MARK: Central

  func adapters() -> AsyncStream<[AdapterState]> { AsyncStream { $0.finish() } }
  func prepare(_ adapter: AdapterHandle, radio: Bluetooth.RadioParameters) async throws(CentralError) -> RadioStanding { RadioStanding(inForce: radio) }
  func standing(of adapter: AdapterHandle, wishing radio: Bluetooth.RadioParameters) async -> RadioStanding { RadioStanding(inForce: radio) }
  func heal(_ adapter: AdapterHandle, by remedy: AdapterRemedy) async throws(CentralError) {}
  func shutDown() async {}

  func forget(_ board: BluetoothAddress, on adapter: AdapterHandle) async { state.withLock { _ = $0.known.remove(board) } }

  func discover(on adapter: AdapterHandle) -> AsyncThrowingStream<Advertisement, any Error> {
    let (stream, feed) = AsyncThrowingStream.makeStream(of: Advertisement.self, throwing: (any Error).self)
    let id = state.withLock { state in
      state.lastReader += 1
      state.reader = (state.lastReader, feed)
      return state.lastReader
    }
    feed.onTermination = { [self] _ in state.withLock { if $0.reader?.id == id { $0.reader = nil } } }
    advertise(id)
    return stream
  }

  private func advertise(_ reader: Int) {
    guard let feed = state.withLock({ $0.reader?.id == reader ? $0.reader?.feed : nil }) else { return }
    let heard = boards.compactMap { $0.advertisement() }
    state.withLock { $0.known.formUnion(heard.map(\.address)) }
    for advertisement in heard { feed.yield(advertisement) }
    clock.schedule(after: Self.advertisingInterval) { [weak self] in self?.advertise(reader) }
  }

  func connect(_ address: BluetoothAddress, on adapter: AdapterHandle, limit: Duration) async throws(CentralError) -> any GATTLink {
    guard state.withLock({ $0.known.contains(address) }) else { throw .boardUnknown }
    guard let cell = boards.first(where: { $0.advertisement()?.address == address }) else {
      do { try await clock.sleep(for: limit) } catch { throw .connectFailed("cancelled") }
      throw .connectTimedOut
    }
    do { try await clock.sleep(for: Self.connectTime) } catch { throw .connectFailed("cancelled") }
    let (link, actions) = cell.state.withLock { state -> (RescueLink?, [BoardAction]) in
      guard let linked = state.board.linked() else { return (nil, []) }
      let link = RescueLink(cell, at: address, mtu: linked.mtu, central: self)
      state.link = link
      return (link, linked.actions)
    }
    guard let link else { throw .connectFailed("le-connection-abort-by-local") }
    act(cell, actions)
    return link
  }

  // MARK: the air

  /// Does what a board wants done.
  func act(_ cell: RescueBoard, _ actions: [BoardAction]) {
    for action in actions {
      switch action {
      case .notify(let bytes):
        cell.state.withLock { $0.link }?.deliver(bytes)
        act(cell, cell.state.withLock { $0.board.delivered() })
      case .respond(let error): cell.answer(error.map { .refused("ATT error \($0)") })
      case .wake(let time, let alarm):
        clock.schedule(after: time) { [weak self] in self?.act(cell, cell.state.withLock { $0.board.alarm(alarm) }) }
      case .endLink: cell.state.withLock { $0.link }?.end()
      case .servicesChanged, .imageStored: break
      }
    }
  }
}
