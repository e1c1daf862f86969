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
    var bonds: Set<BluetoothAddress> = []
    var memory = Memory.none
    /// The services of a board as they were seen first, and how often it was forgotten since.
    var services: [BluetoothAddress: (seen: [BoardAttributes.Service], forgotten: Int)] = [:]
  }

  /// How the stack remembers the services of an address (facts/nordic-dfu.md §6.3).
  enum Memory: Hashable {
    case none
    case untilForgotten
    /// As bluetoothd before 5.87: forgetting the board once is not enough.
    case stubborn
  }

  private static let advertisingInterval = Duration.milliseconds(100)
  private static let connectTime = Duration.milliseconds(30)
  private static let resolveTime = Duration.milliseconds(200)

  let clock: ManualClock
  let boards: [RescueBoard]
  private let state = Locked(State())

  init(_ boards: [RescueBoard], clock: ManualClock) {
    self.boards = boards
    self.clock = clock
    state.withLock { $0.known = Set(boards.compactMap { $0.advertisement()?.address }) }
  }

  func remember(_ memory: Memory) { state.withLock { $0.memory = memory } }

  // MARK: bonds

  func isBonded(_ board: BluetoothAddress) -> Bool { state.withLock { $0.bonds.contains(board) } }
  func bond(_ board: BluetoothAddress) { state.withLock { _ = $0.bonds.insert(board) } }

  // MARK: Central

  func adapters() -> AsyncStream<[AdapterState]> { AsyncStream { $0.finish() } }
  func prepare(_ adapter: AdapterHandle, radio: Bluetooth.RadioParameters) async throws(CentralError) -> RadioStanding { RadioStanding(inForce: radio) }
  func standing(of adapter: AdapterHandle, wishing radio: Bluetooth.RadioParameters) async -> RadioStanding { RadioStanding(inForce: radio) }
  func heal(_ adapter: AdapterHandle, by remedy: AdapterRemedy) async throws(CentralError) {}
  func shutDown() async {}

  func forget(_ board: BluetoothAddress, on adapter: AdapterHandle) async {
    state.withLock { state in
      state.known.remove(board)
      state.bonds.remove(board)
      state.services[board]?.forgotten += 1
      let limit = state.memory == .stubborn ? 2 : 1
      if let forgotten = state.services[board]?.forgotten, forgotten >= limit { state.services[board] = nil }
    }
  }

  /// What the stack shows of a board that was just connected.
  private func shown(_ live: [BoardAttributes.Service], of board: BluetoothAddress) -> [BoardAttributes.Service] {
    state.withLock { state in
      guard state.memory != .none else { return live }
      if let remembered = state.services[board] { return remembered.seen }
      state.services[board] = (live, 0)
      return live
    }
  }

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
      let link = RescueLink(cell, at: address, mtu: linked.mtu, central: self, shown: shown(state.board.services, of: address))
      state.link = link
      return (link, linked.actions)
    }
    guard let link else { throw .connectFailed("le-connection-abort-by-local") }
    act(cell, actions)
    return link
  }

  /// Service Changed: the services go with their sockets, and come again as they are now.
  private func resolveAgain(_ cell: RescueBoard) {
    guard let link = cell.state.withLock({ $0.link }) else { return }
    link.hideServices()
    clock.schedule(after: Self.resolveTime) { [weak self] in
      let live = cell.board.services
      self?.state.withLock { if $0.services[link.board] != nil { $0.services[link.board] = (live, 0) } }
      link.show(live)
    }
  }

  // MARK: the air

  /// Does what a board wants done.
  func act(_ cell: RescueBoard, _ actions: [BoardAction]) {
    for action in actions {
      switch action {
      case .notify(let bytes, _):
        cell.state.withLock { $0.link }?.deliver(bytes)
        act(cell, cell.state.withLock { $0.board.delivered() })
      case .respond(let error): cell.answer(error.map { .refused("ATT error \($0)") })
      case .wake(let time, let alarm):
        clock.schedule(after: time) { [weak self] in self?.act(cell, cell.state.withLock { $0.board.alarm(alarm) }) }
      case .endLink: cell.state.withLock { $0.link }?.end()
      case .servicesChanged: resolveAgain(cell)
      case .imageStored: break
      }
    }
  }
}
