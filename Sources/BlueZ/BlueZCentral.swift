public import Bluetooth
public import DBus
public import Reactor

/// Bluetooth through bluetoothd: several adapters in the central role over one bus connection.
///
/// `run()` must be running for anything to work. All state changes on the reactor's thread, in the order of the bus.
public actor BlueZCentral: Central {
  public nonisolated let reactor: Reactor
  nonisolated let limits: BlueZLimits
  private let address: DBusAddress

  /// The bus while it is there.
  private(set) var bus: DBusConnection?
  /// bluetoothd's unique name while its tree is known.
  private(set) var service: String?
  /// Counts bluetoothd's lives, so that an answer to an earlier one is not taken for this one.
  private var life = 0
  private(set) var awayReason = "not connected to the system bus yet"
  var isShutDown = false

  private(set) var tree: ObjectTree
  private var lastID: UInt64 = 0
  private var adapterReaders: [UInt64: AsyncStream<[AdapterState]>.Continuation] = [:]
  private var lastAdapters: [AdapterState] = []
  private var waiters: [UInt64: Waiter] = [:]
  var turns = Turns()
  var turnWaiters: [UInt64: Latch] = [:]
  /// The running discovery of each adapter, by its path.
  var discoveries: [String: Discovery] = [:]
  /// The board that an adapter is connecting to, by the adapter's path.
  var connecting: [String: String] = [:]
  /// Our links, by the board's path.
  var links: [String: OpenLink] = [:]
  /// What is wished of each adapter's links.
  var wishes: [AdapterHandle: RadioWishes] = [:]
  /// The pairing under way.
  var pairing: PairingAgent?
  /// What our agent at bluetoothd can do; nil while there is none.
  var agentCapability: String?
  /// Boards with a link of ours that demanded encryption without being asked to pair, by their paths.
  var demanding: Set<String> = []
  nonisolated let radioDesk: RadioDesk
  /// Links (and attempts) being ended, by the board's path.
  var endings: [String: Latch] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  public init(on reactor: Reactor, address: DBusAddress = .system, limits: BlueZLimits = BlueZLimits()) {
    self.init(on: reactor, address: address, limits: limits) { () throws(ManagementFailure) in try ManagementSocket(on: reactor) }
  }

  /// With another way to the kernel's management commands.
  init(on reactor: Reactor, address: DBusAddress, limits: BlueZLimits, management: @escaping RadioDesk.Opener) {
    self.reactor = reactor
    radioDesk = RadioDesk(open: management, limit: limits.management)
    self.address = address
    self.limits = limits
    tree = ObjectTree(limit: limits.objects)
  }

  // MARK: The connection

  /// Keeps the connection to the bus, and makes it again when it ends, until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      do throws(DBusError) {
        let connection = try await DBusConnection.open(address, on: reactor)
        try await attach(connection)
        await connection.ended()
        await connection.close()
        lose("the system bus has gone away")
      } catch {
        lose("no system bus: \(error)")
      }
      bus = nil
      await reactor.sleep(limits.reconnectPause)
    }
    lose("the program is ending")
  }

  private func attach(_ connection: DBusConnection) async throws(DBusError) {
    bus = connection
    awayReason = "bluetoothd is not running"
    await connection.serve { [weak self] call in await self?.answer(call) ?? .unknownMethod(call) }
    for match in [
      DBusMatch(sender: BlueZName.service, interface: BlueZName.objectManager),
      DBusMatch(sender: BlueZName.service, interface: BlueZName.properties, member: "PropertiesChanged"),
    ] {
      try await connection.observe(match, limit: limits.call) { [weak self] signal in
        self?.assumeIsolated { $0.receive(signal) }
      }
    }
    try await connection.observeOwner(of: BlueZName.service, limit: limits.call) { [weak self] owner in
      self?.assumeIsolated { $0.serviceChanged(owner) }
    }
  }

  private func serviceChanged(_ owner: String?) {
    if service != nil || owner == nil { lose("bluetoothd has gone away") }
    life += 1
    if let owner { readTree(owner, life) }
  }

  /// Asks for the tree; the answer is taken in its place among the signals.
  private func readTree(_ owner: String, _ life: Int) {
    guard let connection = bus else { return }
    let limit = limits.readTree
    Task {
      try await connection.call(
        destination: owner, path: "/", interface: BlueZName.objectManager, member: "GetManagedObjects", limit: limit
      ) { [weak self] answer in
        self?.assumeIsolated { $0.takeTree(answer, owner, life) }
      }
    }
  }

  private func takeTree(_ answer: Result<[DBusValue], DBusError>, _ owner: String, _ life: Int) {
    guard life == self.life else { return }
    if case .success(let managed) = answer, tree.replace(with: managed) {
      service = owner
      treeChanged()
    } else {
      if case .failure(let error) = answer { awayReason = "bluetoothd does not answer (\(error))" }
      // bluetoothd owns its name a moment before it answers.
      reactor.after(limits.reconnectPause) { [weak self] in self?.assumeIsolated { $0.readTreeAgain(owner, life) } }
    }
  }

  private func readTreeAgain(_ owner: String, _ life: Int) {
    if life == self.life { readTree(owner, life) }
  }

  /// bluetoothd or the bus is away: everything that hung on it ends.
  private func lose(_ reason: String) {
    awayReason = reason
    service = nil
    life += 1
    tree = ObjectTree(limit: limits.objects)
    agentCapability = nil
    demanding = []
    for path in discoveries.keys { finishDiscovery(path, .stackGone(reason)) }
    for path in links.keys { linkDown(path) }
    treeChanged()
  }

  /// A call to bluetoothd; never to a later life of it.
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], limit: Duration
  ) async throws(BlueZFailure) -> [DBusValue] {
    guard let bus, let service else { throw .stackGone(awayReason) }
    do throws(DBusError) {
      return try await bus.call(destination: service, path: path, interface: interface, member: member, arguments: arguments, limit: limit)
    } catch {
      throw BlueZFailure(error)
    }
  }

  // MARK: The tree

  private func receive(_ signal: DBusSignal) {
    guard service != nil else { return }
    let changes = tree.apply(signal)
    guard !changes.isEmpty else { return }
    for change in changes { react(to: change) }
    // Most signals are advertisements of boards: going through all objects for each would cost more than everything else.
    treeChanged(adapters: changes.contains { $0.interface == BlueZName.adapter })
  }

  private func react(to change: ObjectTree.Change) {
    switch change {
    case .set(let path, BlueZName.device, let properties):
      heard(path, properties)
      if properties["Connected"]?.truth == false { linkDown(path) }
    case .removed(let path, BlueZName.device):
      linkDown(path)
    case .set(let path, BlueZName.adapter, let properties) where properties["Powered"]?.truth == false:
      // Also the first that is heard of an adapter being unplugged.
      finishDiscovery(path, .adapterGone)
    case .removed(let path, BlueZName.adapter):
      finishDiscovery(path, .adapterGone)
    case .set(let path, BlueZName.gattCharacteristic, let properties):
      if let value = properties["Value"]?.octets { valueChanged(path, value) }
    default:
      break
    }
  }

  private func treeChanged(adapters mayDiffer: Bool = true) {
    if mayDiffer { tellAdapters() }
    for (id, waiter) in waiters where service == nil || waiter.isOver(tree) {
      waiters[id] = nil
      waiter.latch.open()
    }
  }

  private func tellAdapters() {
    let adapters = service == nil ? [] : tree.adapters
    guard adapters != lastAdapters else { return }
    lastAdapters = adapters
    for reader in adapterReaders.values { reader.yield(adapters) }
  }

  private struct Waiter {
    var isOver: (ObjectTree) -> Bool
    var latch: Latch
  }

  /// Waits until the tree fulfils the condition. False when the limit passed, the task was cancelled, or the stack went away.
  func wait(_ limit: Duration, until condition: @escaping (ObjectTree) -> Bool) async -> Bool {
    guard service != nil else { return false }
    if condition(tree) { return true }
    let id = makeID()
    let latch = Latch()
    waiters[id] = Waiter(isOver: condition, latch: latch)
    let timer = reactor.after(limit) { latch.open() }
    await latch.wait()
    timer.cancel()
    waiters[id] = nil
    return service != nil && condition(tree)
  }

  func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  // MARK: Adapters

  public nonisolated func adapters() -> AsyncStream<[AdapterState]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [AdapterState].self, bufferingPolicy: .bufferingNewest(1))
    reactor.perform { [weak self] in
      guard let self else { return continuation.finish() }
      self.assumeIsolated { $0.addReader(continuation) }
    }
    return stream
  }

  private func addReader(_ continuation: AsyncStream<[AdapterState]>.Continuation) {
    let id = makeID()
    adapterReaders[id] = continuation
    continuation.onTermination = { [weak self, reactor] _ in
      reactor.perform { [weak self] in self?.assumeIsolated { $0.adapterReaders[id] = nil } }
    }
    continuation.yield(lastAdapters)
  }

  /// The adapter's path now, or why there is none.
  func path(of adapter: AdapterHandle, mustBeOn: Bool = true) throws(CentralError) -> String {
    if isShutDown { throw .stackGone("the program is ending") }
    guard service != nil else { throw .stackGone(awayReason) }
    guard let path = tree.path(of: adapter) else { throw .adapterGone }
    guard !mustBeOn || tree.adapter(at: path)?.powered == true else { throw .adapterGone }
    return path
  }
}

/// Runs work to its end even when the surrounding task is cancelled: what was begun on an adapter must be ended there.
func finishing<Value: Sendable>(_ reactor: Reactor, _ work: @escaping @Sendable () async -> Value) async -> Value {
  // An unstructured task on purpose: it does not inherit the cancellation, and it is awaited.
  await Task(executorPreference: reactor) { await work() }.value
}
