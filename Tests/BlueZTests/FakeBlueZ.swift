import BusFixture
import DBus
import Glibc
import Reactor

/// A bluetoothd that does what the test says: objects, methods and signals as BlueZ 5.66's doc/*-api.txt has them, on a private bus.
actor FakeBlueZ {
  /// What the next `Connect` of a board does.
  enum Behaviour: Sendable {
    case connects
    case fails(name: String, message: String)
    /// Never answers, until `Disconnect`.
    case silent
    /// `ServicesResolved` comes first, and the services' objects before the next answer: the order that bluetoothd 5.66 was seen to have on the rig.
    case resolvesAhead
    /// Connected, but the services are never resolved.
    case unresolved
    /// Connected, then the link ends while the services are read.
    case dropsWhileResolving
  }

  /// What a `Pair` of a board demands of our agent.
  enum Pairing: Sendable {
    case justWorks
    case passkey(UInt32)
    /// The agent is asked to compare numbers, and about another board first.
    case comparison
    case endsLink
    case silent
  }

  static let hci0 = "/org/bluez/hci0"
  static let hci1 = "/org/bluez/hci1"
  static let board = hci0 + "/dev_C0_DE_00_00_00_01"
  static let second = hci0 + "/dev_C0_DE_00_00_00_02"
  static let characteristic = "/service0010/char0011"
  static let model = "/service0020/char0021"
  static let buttonless = "/service0030/char0031"

  private let connection: DBusConnection
  private var objects: [String: [String: [String: DBusValue]]] = [:]
  private var demanding: Set<String> = []
  private var pairings: [String: Pairing] = [:]
  /// The agent that is registered: whose, where, and what it can do.
  private(set) var agent: (sender: String, path: String, isDefault: Bool)?
  private(set) var capabilities: [String] = []
  private var behaviours: [String: [Behaviour]] = [:]
  private var silent: [String: Latch] = [:]
  /// The board whose services are still to be told.
  private var ahead: String?
  /// Every call, as `path member`.
  private(set) var log: [String] = []
  private(set) var filter: [String: DBusValue] = [:]
  private(set) var writes: [(value: [UInt8], type: String)] = []
  private var readAnswer: DBusReply = .values([.bytes(Array("nrf52840dk".utf8))])
  /// Our ends of the packet sockets.
  private(set) var notifySocket: OwnedDescriptor?
  private(set) var writeSocket: OwnedDescriptor?
  private var acquireWriteFails = false

  init(bus: PrivateBus, reactor: Reactor) async throws {
    connection = try await DBusConnection.open(DBusAddress(bus.address), on: reactor)
    for (index, path) in [Self.hci0, Self.hci1].enumerated() {
      objects[path] = ["org.bluez.Adapter1": ["Address": .string("00:1B:DC:00:00:0\(index)"), "Powered": .bool(true), "Discovering": .bool(false)]]
    }
    objects["/org/bluez"] = ["org.bluez.AgentManager1": [:]]
  }

  func start() async throws {
    await connection.serve { [weak self] call in await self?.answer(call) ?? .unknownMethod(call) }
    try await connection.requestName("org.bluez", limit: .seconds(10))
  }

  /// Dies: without a farewell, as with SIGKILL.
  func die() async {
    await connection.close()
  }

  // MARK: What the test says

  func plan(_ board: String, _ behaviours: Behaviour...) {
    self.behaviours[board] = behaviours
  }

  func planPairing(_ board: String, _ pairing: Pairing) { pairings[board] = pairing }

  func leaveAgent() { agent = (":1.0", "/", false) }

  /// The board lets nobody subscribe over a link that is not encrypted.
  func demandEncryption(of board: String) { demanding.insert(board) }

  func answerReads(with reply: DBusReply) { readAnswer = reply }

  func failAcquireWrite() { acquireWriteFails = true }

  /// A board as bluetoothd remembers it, without having heard it now.
  func remember(_ board: String, _ extra: [String: DBusValue] = [:]) throws {
    let adapter = String(board.prefix(Self.hci0.count))
    let address = board.suffix(17).split(separator: "_").joined(separator: ":")
    let properties: [String: DBusValue] = [
      "Address": .string(address), "AddressType": .string("random"), "Adapter": .objectPath(adapter), "Name": .string("stale"),
      "Connected": .bool(false), "ServicesResolved": .bool(false), "Paired": .bool(false), "UUIDs": .strings([]),
    ]
    try add(board, "org.bluez.Device1", properties.merging(extra) { $1 })
  }

  func set(_ path: String, _ interface: String, _ changed: [String: DBusValue], invalid: [String] = []) throws {
    for (name, value) in changed { objects[path]?[interface]?[name] = value }
    for name in invalid { objects[path]?[interface]?[name] = nil }
    try connection.assumeIsolated {
      try $0.emit(
        path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        arguments: [.string(interface), .properties(changed), .strings(invalid)])
    }
  }

  func setBoard(_ board: String, _ changed: [String: DBusValue]) throws {
    try set(board, "org.bluez.Device1", changed)
  }

  func add(_ path: String, _ interface: String, _ properties: [String: DBusValue]) throws {
    objects[path, default: [:]][interface] = properties
    let interfaces = DBusValue.dictionary([.init(.string(interface), .properties(properties))], key: "s", value: "a{sv}")
    try connection.assumeIsolated {
      try $0.emit(path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded", arguments: [.objectPath(path), interfaces])
    }
  }

  func remove(_ path: String) throws {
    for gone in objects.keys.filter({ $0 == path || $0.hasPrefix(path + "/") }).sorted().reversed() {
      let interfaces = objects.removeValue(forKey: gone)?.keys.sorted() ?? []
      try connection.assumeIsolated {
        try $0.emit(
          path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesRemoved",
          arguments: [.objectPath(gone), .strings(interfaces)])
      }
    }
  }

  func dropLink(_ board: String) throws {
    try set(board, "org.bluez.Device1", ["Connected": .bool(false), "ServicesResolved": .bool(false)])
    notifySocket?.close()
    writeSocket?.close()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { connection.reactor.asUnownedSerialExecutor() }

  // MARK: Methods

  private func answer(_ call: DBusCall) async -> DBusReply {
    guard call.member != "GetManagedObjects" else { return managedObjects }
    if let board = ahead {
      ahead = nil
      do { try addServices(board) } catch { return .error(name: "org.bluez.Error.Failed", message: "\(error)") }
    }
    if call.member == "Get" { return .values([.variant(.bool(true))]) }
    log.append("\(call.path) \(call.member)")
    guard objects[call.path] != nil else {
      return .error(name: "org.freedesktop.DBus.Error.UnknownObject", message: "Method \"\(call.member)\" with signature \"\" on interface … doesn't exist\n")
    }
    do {
      return try await answer(known: call)
    } catch {
      return .error(name: "org.bluez.Error.Failed", message: "\(error)")
    }
  }

  private func answer(known call: DBusCall) async throws -> DBusReply {
    switch (call.member, call.signature) {
    case ("Set", "ssv"):
      try set(call.path, call.arguments[0].text ?? "", [call.arguments[1].text ?? "": call.arguments[2].unwrapped])
    case ("SetDiscoveryFilter", "a{sv}"):
      filter = call.arguments[0].properties ?? [:]
    case ("StartDiscovery", ""), ("StopDiscovery", ""):
      try set(call.path, "org.bluez.Adapter1", ["Discovering": .bool(call.member == "StartDiscovery")])
    case ("RemoveDevice", "o"):
      guard let board = call.arguments[0].text, objects[board] != nil else { return .error(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist") }
      try remove(board)
    case ("Connect", ""):
      return try await connect(call.path)
    case ("Disconnect", ""):
      silent.removeValue(forKey: call.path)?.open()
      try dropLink(call.path)
    case ("ReadValue", "a{sv}"):
      return readAnswer
    case ("WriteValue", "aya{sv}"):
      writes.append((call.arguments[0].octets ?? [], call.arguments[1].properties?["type"]?.text ?? ""))
    case ("AcquireNotify", "a{sv}") where demanding.contains { call.path.hasPrefix($0) }:
      // As bluetoothd does: the kernel pairs by itself and asks the default agent.
      guard agent?.isDefault == true else { return Self.authenticationFailed }
      _ = try await ask("RequestAuthorization", String(call.path.prefix(Self.board.count)))
      return acquire(call.member)
    case ("AcquireNotify", "a{sv}") where call.path.hasSuffix(Self.buttonless):
      // As bluetoothd does for a characteristic without notifications (src/gatt-client.c).
      return .error(name: "org.bluez.Error.NotSupported", message: "Operation is not supported")
    case ("StartNotify", ""):
      // An indication may overtake the answer.
      try set(call.path, "org.bluez.GattCharacteristic1", ["Value": .bytes([0x20, 0x01, 0x01])])
    case ("AcquireNotify", "a{sv}"), ("AcquireWrite", "a{sv}"):
      return acquire(call.member)
    case ("RegisterAgent", "os"):
      guard agent == nil else { return .error(name: "org.bluez.Error.AlreadyExists", message: "Already Exists") }
      agent = (call.sender, call.arguments[0].text ?? "", false)
      capabilities.append(call.arguments[1].text ?? "")
    case ("RequestDefaultAgent", "o"):
      agent?.isDefault = true
    case ("UnregisterAgent", "o"):
      agent = nil
    case ("Pair", ""):
      return try await pair(call.path)
    case ("CancelPairing", ""):
      silent.removeValue(forKey: call.path)?.open()
    default:
      return .unknownMethod(call)
    }
    return .nothing
  }

  private static let authenticationFailed = DBusReply.error(name: "org.bluez.Error.AuthenticationFailed", message: "Authentication Failed")

  private func pair(_ board: String) async throws -> DBusReply {
    switch pairings[board] {
    case .justWorks:
      _ = try await ask("RequestAuthorization", board)
    case .passkey(let wanted):
      guard try await ask("RequestPasskey", board).first?.integer == Int(wanted) else { return Self.authenticationFailed }
    case .comparison:
      do { _ = try await ask("RequestAuthorization", Self.second) } catch { log.append("rejected") }
      do { _ = try await ask("RequestConfirmation", board, .uint32(123_456)) } catch { return Self.authenticationFailed }
    case .endsLink:
      try dropLink(board)
      return .error(name: "org.bluez.Error.Failed", message: "Not connected")
    case .silent:
      let latch = Latch()
      silent[board] = latch
      await latch.wait()
      return .error(name: "org.bluez.Error.AuthenticationCanceled", message: "Authentication Canceled")
    case nil:
      return Self.authenticationFailed
    }
    try setBoard(board, ["Paired": .bool(true), "Bonded": .bool(true)])
    return .nothing
  }

  /// Asks the agent that is registered, as bluetoothd does.
  private func ask(_ member: String, _ board: String, _ more: DBusValue...) async throws -> [DBusValue] {
    guard let agent else { throw DBusError.closed("no agent") }
    return try await connection.call(
      destination: agent.sender, path: agent.path, interface: "org.bluez.Agent1", member: member, arguments: [.objectPath(board)] + more, limit: .seconds(5))
  }

  private var managedObjects: DBusReply {
    let entries = objects.map { path, interfaces in
      let inner = interfaces.map { DBusValue.Entry(.string($0.key), .properties($0.value)) }
      return DBusValue.Entry(.objectPath(path), .dictionary(inner, key: "s", value: "a{sv}"))
    }
    return .values([.dictionary(entries, key: "o", value: "a{sa{sv}}")])
  }

  private func connect(_ board: String) async throws -> DBusReply {
    let behaviour = behaviours[board]?.first ?? .connects
    if behaviours[board]?.isEmpty == false { behaviours[board]?.removeFirst() }
    switch behaviour {
    case .fails(let name, let message):
      return .error(name: name, message: message)
    case .silent:
      let latch = Latch()
      silent[board] = latch
      await latch.wait()
      return .error(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")
    case .unresolved:
      try setBoard(board, ["Connected": .bool(true)])
    case .dropsWhileResolving:
      try setBoard(board, ["Connected": .bool(true)])
      try setBoard(board, ["Connected": .bool(false)])
    case .resolvesAhead:
      try setBoard(board, ["Connected": .bool(true), "ServicesResolved": .bool(true)])
      ahead = board
    case .connects:
      try setBoard(board, ["Connected": .bool(true)])
      try addServices(board)
      try setBoard(board, ["ServicesResolved": .bool(true)])
    }
    return .nothing
  }

  private func addServices(_ board: String) throws {
    try add(board + "/service0010", "org.bluez.GattService1", ["UUID": .string("8d53dc1d-1db7-4cd3-868b-8a527460aa84")])
    try add(
      board + Self.characteristic, "org.bluez.GattCharacteristic1",
      [
        "UUID": .string("da2e7828-fbce-4e01-ae9e-261174997c48"), "Service": .objectPath(board + "/service0010"), "MTU": .uint16(200),
        "Flags": .strings(["write-without-response", "notify"]),
      ])
    try add(board + "/service0020", "org.bluez.GattService1", ["UUID": .string("0000180a-0000-1000-8000-00805f9b34fb")])
    try add(
      board + Self.model, "org.bluez.GattCharacteristic1",
      ["UUID": .string("00002a24-0000-1000-8000-00805f9b34fb"), "Service": .objectPath(board + "/service0020"), "Flags": .strings(["read"])])
  }

  /// Adds a characteristic that indicates only, as the buttonless service of Nordic's Secure DFU has (facts/nordic-dfu.md §3.1).
  func addButtonless(_ board: String) throws {
    try add(board + "/service0030", "org.bluez.GattService1", ["UUID": .string("0000fe59-0000-1000-8000-00805f9b34fb")])
    try add(
      board + Self.buttonless, "org.bluez.GattCharacteristic1",
      [
        "UUID": .string("8ec90003-f315-4f60-9fb8-838830daea50"), "Service": .objectPath(board + "/service0030"), "Flags": .strings(["write", "indicate"]),
      ])
  }

  private func acquire(_ member: String) -> DBusReply {
    if member == "AcquireWrite", acquireWriteFails { return .error(name: "org.bluez.Error.NotSupported", message: "Operation is not supported") }
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { return .error(name: "org.bluez.Error.Failed", message: "socketpair") }
    let ours = OwnedDescriptor(ends[0])
    let theirs = OwnedDescriptor(ends[1])
    if member == "AcquireNotify" { notifySocket = ours } else { writeSocket = ours }
    return .values([.descriptor(theirs), .uint16(member == "AcquireNotify" ? 247 : 498)])
  }
}
