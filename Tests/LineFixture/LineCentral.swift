public import Bluetooth
import Locks
import Synchronization
import VirtualLine

/// A Bluetooth stack in memory with several adapters: port `Central` and port `AdapterSource`, over virtual boards and a turned clock.
///
/// It notes what a caller must not do: connect while it still listens on the same adapter, or twice at a time on one adapter.
public final class LineCentral: Central, AdapterSource {
  private struct Adapter {
    var hardware: AdapterHardware
    var handle: AdapterHandle
    var reader: (id: Int, feed: AsyncThrowingStream<Advertisement, any Error>.Continuation)?
    var connecting = 0
    var known: Set<BluetoothAddress> = []
    var links: [LineLink] = []
    var prepared = 0
    var radio: Bluetooth.RadioParameters?
    var bonds: Set<BluetoothAddress> = []
  }

  private struct State {
    var adapters: [Int: Adapter] = [:]
    var boards: [BluetoothAddress: LineBoard] = [:]
    var stale: Set<BluetoothAddress> = []
    var lastReader = 0
    var violations: [String] = []
    var isAway = false
    var discoveryFails: Set<Int> = []
    var discoveryEnds: Set<Int> = []
    var hardwareFeeds: [AsyncStream<[AdapterHardware]>.Continuation] = []
    var stackFeeds: [AsyncStream<[AdapterState]>.Continuation] = []
    var listeningTimes = 0
    var remedies: [AdapterRemedy] = []
    var mayReauthorise = false
    var remedyThatHelps: AdapterRemedy?
  }

  /// Between two advertisements of a board.
  private static let advertisingInterval = Duration.milliseconds(100)
  private static let connectTime = Duration.milliseconds(30)

  public let clock: ManualClock
  private let state = Locked(State())

  public init(clock: ManualClock) {
    self.clock = clock
  }

  // MARK: for tests

  /// Against the rules of the port; empty is right.
  public var violations: [String] { state.withLock { $0.violations } }

  public static func handle(_ index: Int) -> AdapterHandle {
    AdapterHandle(hciIndex: index, address: BluetoothAddress(bits: 0x00_1A_7D_00_00_00 + UInt64(index)))
  }

  public func radio(_ index: Int) -> Bluetooth.RadioParameters? { state.withLock { $0.adapters[index]?.radio } }
  /// The bonds that an adapter holds.
  public func bonds(_ index: Int) -> Set<BluetoothAddress> { state.withLock { $0.adapters[index]?.bonds ?? [] } }
  func isBonded(_ board: BluetoothAddress, on adapter: AdapterHandle) -> Bool { bonds(adapter.hciIndex).contains(board) }
  public func bond(_ board: BluetoothAddress, on adapter: AdapterHandle) {
    state.withLock { _ = $0.adapters[adapter.hciIndex]?.bonds.insert(board) }
  }
  public func prepared(_ index: Int) -> Int { state.withLock { $0.adapters[index]?.prepared ?? 0 } }

  /// What was tried on adapters that failed, in order.
  public var remedies: [AdapterRemedy] { state.withLock { $0.remedies } }
  /// USB devices may be re-authorised: they go and come.
  public func permitReauthorisation() { state.withLock { $0.mayReauthorise = true } }
  /// The remedy after which listening works again on every adapter.
  public func help(by remedy: AdapterRemedy) { state.withLock { $0.remedyThatHelps = remedy } }

  /// How often somebody began to listen.
  public var listeningTimes: Int { state.withLock { $0.listeningTimes } }

  /// Plugs an adapter in at `1-<index + 1>`, or at the path given.
  public func plug(_ index: Int, path: String? = nil) {
    let hardware = AdapterHardware(hciIndex: index, usbPath: path ?? "1-\(index + 1)", vendorID: 0x0A12, productID: 1)
    state.withLock { $0.adapters[index] = Adapter(hardware: hardware, handle: Self.handle(index)) }
    tell()
  }

  /// Unplugs it: its links end and its reader fails.
  public func unplug(_ index: Int) {
    let gone = state.withLock { $0.adapters.removeValue(forKey: index) }
    gone?.reader?.feed.finish(throwing: CentralError.adapterGone)
    for link in gone?.links ?? [] { link.end() }
    tell()
  }

  /// The stack goes away or comes back.
  public func setAway(_ isAway: Bool) {
    let adapters = state.withLock { state in
      state.isAway = isAway
      return Array(state.adapters.values)
    }
    if isAway {
      for adapter in adapters {
        adapter.reader?.feed.finish(throwing: CentralError.stackGone("no reply"))
        for link in adapter.links { link.end() }
      }
    }
    tell()
  }

  /// Listening fails on this adapter from now on.
  public func failDiscovery(on index: Int) { state.withLock { _ = $0.discoveryFails.insert(index) } }

  /// Listening works again on this adapter.
  public func mendDiscovery(on index: Int) { state.withLock { _ = $0.discoveryFails.remove(index) } }

  /// Listening ends at once and without an error on this adapter from now on.
  public func endDiscovery(on index: Int) { state.withLock { _ = $0.discoveryEnds.insert(index) } }

  /// Whoever listens on this adapter now is told that it failed.
  public func breakDiscovery(on index: Int) {
    state.withLock { $0.adapters[index]?.reader?.feed }?.finish(throwing: CentralError.refused("org.bluez.Error.Failed"))
  }

  public func add(_ board: LineBoard) {
    let isStale = board.state.withLock { $0.quirks.hasStaleServices }
    state.withLock { state in
      for address in board.addresses { state.boards[address] = board }
      if isStale { state.stale.insert(board.address) }
    }
  }

  /// The adapter has heard the board before.
  public func know(_ board: BluetoothAddress, on index: Int) { state.withLock { _ = $0.adapters[index]?.known.insert(board) } }

  private func tell() {
    let (hardware, stack, feeds, stackFeeds) = state.withLock { state in
      let sorted = state.adapters.sorted { $0.key < $1.key }.map(\.value)
      return (
        sorted.map(\.hardware), state.isAway ? [] : sorted.map { AdapterState(handle: $0.handle, powered: true) }, state.hardwareFeeds, state.stackFeeds
      )
    }
    for feed in feeds { feed.yield(hardware) }
    for feed in stackFeeds { feed.yield(stack) }
  }

  // MARK: AdapterSource, Central

  public func adapters() -> AsyncStream<[AdapterHardware]> {
    let (stream, feed) = AsyncStream.makeStream(of: [AdapterHardware].self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.hardwareFeeds.append(feed) }
    tell()
    return stream
  }

  public func adapters() -> AsyncStream<[AdapterState]> {
    let (stream, feed) = AsyncStream.makeStream(of: [AdapterState].self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.stackFeeds.append(feed) }
    tell()
    return stream
  }

  public func heal(_ adapter: AdapterHandle, by remedy: AdapterRemedy) async throws(CentralError) {
    if let error = objection(adapter) { throw error }
    note(remedy)
  }

  public func reauthorise(usbPath: String) async throws(AdapterSourceError) {
    note(.reauthorise)
    let index = state.withLock { state in
      state.mayReauthorise ? state.adapters.first { $0.value.hardware.usbPath == usbPath }?.key : nil
    }
    guard let index else { throw AdapterSourceError("Permission denied") }
    unplug(index)
    plug(index, path: usbPath)
  }

  private func note(_ remedy: AdapterRemedy) {
    state.withLock { state in
      state.remedies.append(remedy)
      if state.remedyThatHelps == remedy { state.discoveryFails = [] }
    }
  }

  @discardableResult
  public func prepare(_ adapter: AdapterHandle, radio: Bluetooth.RadioParameters) async throws(CentralError) -> RadioStanding {
    if let error = objection(adapter) { throw error }
    state.withLock {
      $0.adapters[adapter.hciIndex]?.prepared += 1
      $0.adapters[adapter.hciIndex]?.radio = radio
    }
    return RadioStanding(inForce: radio)
  }

  public func standing(of adapter: AdapterHandle, wishing radio: Bluetooth.RadioParameters) async -> RadioStanding {
    RadioStanding(inForce: radio)
  }

  public func discover(on adapter: AdapterHandle) -> AsyncThrowingStream<Advertisement, any Error> {
    let (stream, feed) = AsyncThrowingStream.makeStream(of: Advertisement.self, throwing: (any Error).self)
    if let error = objection(adapter) {
      feed.finish(throwing: error)
      return stream
    }
    let (earlier, id, fails) = state.withLock { state in
      state.lastReader += 1
      state.listeningTimes += 1
      let earlier = state.adapters[adapter.hciIndex]?.reader?.feed
      let fails = state.discoveryFails.contains(adapter.hciIndex)
      if !fails { state.adapters[adapter.hciIndex]?.reader = (state.lastReader, feed) }
      return (earlier, state.lastReader, fails)
    }
    earlier?.finish()
    if fails {
      feed.finish(throwing: CentralError.refused("org.bluez.Error.NotReady"))
      return stream
    }
    // Not kept: the central keeps its readers.
    feed.onTermination = { [weak self] _ in
      self?.state.withLock { state in
        if state.adapters[adapter.hciIndex]?.reader?.id == id { state.adapters[adapter.hciIndex]?.reader = nil }
      }
    }
    if state.withLock({ $0.discoveryEnds.contains(adapter.hciIndex) }) { feed.finish() }
    advertise(adapter.hciIndex, id)
    return stream
  }

  public func connect(_ board: BluetoothAddress, on adapter: AdapterHandle, limit: Duration) async throws(CentralError) -> any GATTLink {
    if let error = objection(adapter) { throw error }
    state.withLock { state in
      if state.adapters[adapter.hciIndex]?.reader != nil { state.violations.append("connect to \(board) while hci\(adapter.hciIndex) listens") }
      if (state.adapters[adapter.hciIndex]?.connecting ?? 0) > 0 { state.violations.append("two connects at a time on hci\(adapter.hciIndex)") }
      state.adapters[adapter.hciIndex]?.connecting += 1
    }
    defer { state.withLock { $0.adapters[adapter.hciIndex]?.connecting -= 1 } }
    let (cell, isKnown, isStale) = state.withLock { state in
      (state.boards[board], state.adapters[adapter.hciIndex]?.known.contains(board) == true, state.stale.contains(board))
    }
    guard let cell, isKnown else { throw .boardUnknown }
    guard cell.advertisement(for: "")?.address == board else {
      do { try await clock.sleep(for: limit) } catch { throw .connectFailed("cancelled") }
      throw .connectTimedOut
    }
    do { try await clock.sleep(for: Self.connectTime) } catch { throw .connectFailed("cancelled") }
    if let error = objection(adapter) { throw error }
    let link: LineLink? = cell.state.withLock { state in
      guard let mtu = state.board.connect() else { return nil }
      let link = LineLink(cell, at: board, on: adapter, central: self, mtu: mtu, isStale: isStale)
      state.link = link
      state.links += 1
      return link
    }
    guard let link else { throw .connectFailed("le-connection-abort-by-local") }
    state.withLock { $0.adapters[adapter.hciIndex]?.links.append(link) }
    return link
  }

  public func forget(_ board: BluetoothAddress, on adapter: AdapterHandle) async {
    state.withLock { state in
      state.adapters[adapter.hciIndex]?.known.remove(board)
      state.adapters[adapter.hciIndex]?.bonds.remove(board)
      state.stale.remove(board)
    }
  }

  public func shutDown() async {}

  // MARK: the air

  private func objection(_ adapter: AdapterHandle) -> CentralError? {
    state.withLock { state in
      if state.isAway { return .stackGone("no reply") }
      return state.adapters[adapter.hciIndex]?.handle == adapter ? nil : .adapterGone
    }
  }

  /// One round of advertisements for a reader, and the next one after the interval.
  private func advertise(_ index: Int, _ reader: Int) {
    let (feed, path, boards) = state.withLock { state -> (AsyncThrowingStream<Advertisement, any Error>.Continuation?, String, [LineBoard]) in
      guard let adapter = state.adapters[index], let present = adapter.reader, present.id == reader else { return (nil, "", []) }
      return (present.feed, adapter.hardware.usbPath ?? "", state.boards.filter { $0.key == $0.value.address }.sorted { $0.key < $1.key }.map(\.value))
    }
    guard let feed else { return }
    let heard = boards.compactMap { $0.advertisement(for: path) }
    state.withLock { state in state.adapters[index]?.known.formUnion(heard.map(\.address)) }
    for advertisement in heard { feed.yield(advertisement) }
    clock.schedule(after: Self.advertisingInterval) { [weak self] in self?.advertise(index, reader) }
  }

  /// A packet reaches its board.
  func deliver(_ packet: [UInt8], over link: LineLink) {
    link.lineBoard.note(packet)
    act(link.lineBoard, link.lineBoard.state.withLock { $0.board.write(packet) })
  }

  private func act(_ cell: LineBoard, _ actions: [BoardAction]) {
    for action in actions {
      switch action {
      case .notify(let bytes, _):
        let (link, mode) = cell.state.withLock { state in
          state.board.sent()
          return (state.link, state.quirks.reportedMode)
        }
        link?.deliver(mode.map { Self.reporting($0, bytes) } ?? bytes)
      case .wake(let time, let alarm):
        clock.schedule(after: time) { [weak self] in self?.act(cell, cell.state.withLock { $0.board.alarm(alarm) }) }
      case .endLink: cell.state.withLock { $0.link }?.end()
      case .imageStored, .respond, .servicesChanged: break
      }
    }
  }

  /// The answer to the query "mode" with another small number in it: CBOR text "mode", then one byte.
  private static func reporting(_ mode: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let key: [UInt8] = [0x64, 0x6D, 0x6F, 0x64, 0x65]
    var bytes = bytes
    for start in bytes.indices where start + 5 < bytes.count && Array(bytes[start..<(start + 5)]) == key { bytes[start + 5] = mode }
    return bytes
  }
}
