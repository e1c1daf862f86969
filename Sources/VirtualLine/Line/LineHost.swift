import Bluetooth
import DBus
import Reactor

/// The running line: boards as values, adapters as bluetoothd has them, links and their sockets, all on one reactor.
///
/// It plays bluetoothd on a bus and the air beneath it; what a board does is decided by its own value (`HostedBoard`) alone.
actor LineHost {
  /// Advertisements that one adapter tells in one round of 100 ms; with more boards in the air each is heard less often.
  static let heardPerRound = 16
  static let round: Duration = .milliseconds(100)
  /// The limit of our own calls to the bus.
  static let busLimit: Duration = .seconds(5)

  nonisolated let reactor: Reactor
  let address: DBusAddress
  let radio: RadioParameters
  let timing: LineTiming
  let seed: UInt64
  let started = ContinuousClock.now

  var bus: DBusConnection?
  var boards: [any HostedBoard]
  var adapters: [StackAdapter]
  let boardNumbers: [BluetoothAddress: Int]
  var links: [Int: HostedLink] = [:]
  /// Until when a board's last link is still on its way down.
  var gaps: [Int: Duration] = [:]
  var script: LineFaultScript
  var tray: LineTray
  var discoveryTimers: [Int: ReactorTimer] = [:]
  var images = ImageShelf()
  var heardCount: UInt64 = 0
  /// Clients with an agent for pairing.
  var agents: Set<String> = []
  var lastTicket = 0
  /// Responses to write requests, by number, until their calls take them.
  var responses: [Int: UInt8?] = [:]
  /// A change that truth.json does not show yet.
  var isChanged = true
  /// Facts about the client's manners, for truth.json.
  var conduct = LineTruth.Conduct()
  /// udev's side; nil when the host runs without one.
  var testbed: UdevTestbed?
  var isStopped = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  init(_ options: LineOptions, script: LineScript, boards: [any HostedBoard], address: DBusAddress, reactor: Reactor) {
    self.reactor = reactor
    self.address = address
    self.boards = boards
    radio = script.radio ?? RadioParameters()
    timing = LineTiming(scale: options.timeScale)
    seed = options.seed
    adapters = (0..<options.adapters).map { StackAdapter(number: $0) }
    boardNumbers = Dictionary(
      boards.enumerated().flatMap { board in board.element.addresses.map { ($0, board.offset) } }, uniquingKeysWith: { first, _ in first })
    self.script = LineFaultScript(script.line ?? [])
    tray = LineTray(boards: boards.count, places: options.places, rest: timing.trayRest)
  }

  var now: Duration { ContinuousClock.now - started }

  // MARK: Beginning and end

  func start() async throws(DBusError) {
    for number in boards.indices { perform(boards[number].powerOn(), number) }
    try await takeName()
    later(.seconds(1)) { $0.sweep() }
  }

  func stop() {
    isStopped = true
    for number in Array(links.keys) { linkDown(number, tell: false) }
    for timer in discoveryTimers.values { timer.cancel() }
    discoveryTimers = [:]
    let leaving = bus
    bus = nil
    leaving?.assumeIsolated { $0.close() }
  }

  /// Appears on the bus as bluetoothd does.
  func takeName() async throws(DBusError) {
    let bus = try await DBusConnection.open(address, on: reactor)
    await bus.serve { [weak self] call in await self?.answer(call) ?? .unknownMethod(call) }
    let gone = DBusMatch(sender: DBusConnection.busName, interface: DBusConnection.busName, member: "NameOwnerChanged")
    try await bus.observe(gone, limit: Self.busLimit) { [weak self] signal in
      guard let name = signal.arguments.first?.text, name.hasPrefix(":"), signal.arguments.last?.text == "" else { return }
      self?.assumeIsolated { $0.clientGone(name) }
    }
    self.bus = bus
    try await bus.requestName("org.bluez", limit: Self.busLimit)
  }

  // MARK: Time

  /// Calls `body` on this actor when `delay` has passed, unless the line has ended by then.
  @discardableResult
  func later(_ delay: Duration, _ body: @escaping @Sendable (isolated LineHost) -> Void) -> ReactorTimer {
    reactor.after(delay) { [weak self] in
      self?.assumeIsolated { host in
        if !host.isStopped { body(host) }
      }
    }
  }

  // MARK: Signals

  func signal(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
    // What the bus does not take is lost, as with any daemon; the next change tells again.
    bus?.assumeIsolated { try? $0.emit(path: path, interface: interface, member: member, arguments: arguments) }
  }

  func changed(_ object: StackObject, _ interface: String, _ values: [String: DBusValue], invalidated: [String] = []) {
    signal(object.path, StackFaces.properties, "PropertiesChanged", [.string(interface), .properties(values), .strings(invalidated)])
  }

  func appeared(_ object: StackObject, _ interface: String, _ values: [String: DBusValue]) {
    let interfaces = DBusValue.dictionary([.init(.string(interface), .properties(values))], key: "s", value: "a{sv}")
    signal("/", StackFaces.objects, "InterfacesAdded", [.objectPath(object.path), interfaces])
  }

  func vanished(_ object: StackObject, _ interface: String) {
    signal("/", StackFaces.objects, "InterfacesRemoved", [.objectPath(object.path), .strings([interface, StackFaces.properties])])
  }

  /// The object of a board below an adapter; nil while the adapter is unplugged, or does not know the board.
  func object(_ board: Int, on adapter: Int) -> StackObject? {
    guard let hci = adapters[adapter].hci, let known = adapters[adapter].boards[board] else { return nil }
    return .board(hci: hci, known.face.address)
  }
}
