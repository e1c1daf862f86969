import Bluetooth
import DBus
import Reactor

/// The methods of `org.bluez` (BlueZ doc/org.bluez.*.rst), as far as a central needs them.
extension LineHost {
  func answer(_ call: DBusCall) async -> DBusReply {
    guard !isStopped, let object = StackObject(path: call.path) else { return .unknownObject(call) }
    if call.interface == StackFaces.properties || call.interface.isEmpty { return property(call, object) }
    switch object {
    case .root:
      guard call.interface == StackFaces.objects, call.member == "GetManagedObjects" else { return .unknownMethod(call) }
      return .values([managedObjects()])
    case .stack: return call.interface == StackFaces.agents ? agentCall(call) : .unknownMethod(call)
    case .service: return .unknownMethod(call)
    case .adapter(let hci):
      guard let adapter = adapter(hci) else { return .unknownObject(call) }
      return call.interface == StackFaces.adapter ? await adapterCall(call, adapter) : .unknownMethod(call)
    case .board(let hci, let address):
      guard let (adapter, board) = known(hci, address) else { return .unknownObject(call) }
      guard call.interface == StackFaces.board else { return .unknownMethod(call) }
      switch call.member {
      case "Connect": return await connect(board, on: adapter, client: call.sender)
      case "Disconnect": return await disconnect(board, on: adapter)
      case "Pair": return await pair(board, on: adapter)
      case "CancelPairing": return .doesNotExist
      default: return .unknownMethod(call)
      }
    case .characteristic(let hci, let address, let service, let handle):
      guard let (_, board) = known(hci, address), let item = resolved(hci, address)?.characteristic(service: service, handle: handle) else {
        return .unknownObject(call)
      }
      return call.interface == StackFaces.characteristic ? await characteristicCall(call, board, item) : .unknownMethod(call)
    }
  }

  private func adapter(_ hci: Int) -> Int? { adapters.firstIndex { $0.hci == hci } }

  private func known(_ hci: Int, _ address: BluetoothAddress) -> (adapter: Int, board: Int)? {
    guard let adapter = adapter(hci), let board = boardNumbers[address], adapters[adapter].boards[board]?.face.address == address else { return nil }
    return (adapter, board)
  }

  /// The link of a board whose services are shown.
  private func resolved(_ hci: Int, _ address: BluetoothAddress) -> HostedLink? {
    guard let (adapter, board) = known(hci, address), adapters[adapter].boards[board]?.link == .resolved else { return nil }
    return links[board]
  }

  // MARK: Adapter1

  private func adapterCall(_ call: DBusCall, _ adapter: Int) async -> DBusReply {
    switch (call.member, call.signature) {
    case ("StartDiscovery", ""): return startDiscovery(adapter, client: call.sender)
    case ("StopDiscovery", ""): return stopDiscovery(adapter, client: call.sender)
    case ("SetDiscoveryFilter", "a{sv}"):
      adapters[adapter].filtering.insert(call.sender)
      return .nothing
    case ("GetDiscoveryFilters", ""):
      return .values([.strings(["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"])])
    case ("RemoveDevice", "o"):
      guard let path = call.arguments.first?.text, case .board(let hci, let address) = StackObject(path: path), hci == adapters[adapter].hci,
        let (_, board) = known(hci, address)
      else { return .doesNotExist }
      return await removeBoard(board, on: adapter)
    default: return .unknownMethod(call)
    }
  }

  // MARK: GattCharacteristic1

  private func characteristicCall(_ call: DBusCall, _ board: Int, _ item: BoardAttributes.Characteristic) async -> DBusReply {
    let mayCommand = item.flags.contains("write-without-response")
    switch (call.member, call.signature) {
    case ("ReadValue", "a{sv}"): return item.flags.contains("read") ? await readValue(board, item) : .notPermitted
    case ("WriteValue", "aya{sv}"):
      guard let value = call.arguments.first?.octets else { return .invalidArguments }
      // Without a type bluetoothd takes the request, where the characteristic has it.
      let type = call.arguments.last?.properties?["type"]?.text
      if item.flags.contains("write"), type != "command" { return await writeRequest(value, board, item) }
      guard mayCommand, type != "request" else { return .notPermitted }
      queue(value, for: board, .command(item.uuid))
      return .nothing
    case ("AcquireWrite", "a{sv}"): return mayCommand ? acquireWrite(board, item) : .notSupported
    // A socket for notifications only: indications come as signals (bluetoothd, src/gatt-client.c).
    case ("AcquireNotify", "a{sv}"): return item.flags.contains("notify") ? await acquireNotify(board, item) : .notSupported
    case ("StartNotify", ""):
      guard item.notifies else { return .notSupported }
      guard let link = links[board] else { return .notConnected }
      if let how = link.notifying[item.uuid] { return how == .socket ? .notPermitted : .inProgress }
      return await subscribe(board, link.ticket, item.uuid, .signals) ?? .nothing
    case ("StopNotify", ""): return stopNotify(board, item.uuid)
    default: return .unknownMethod(call)
    }
  }

  /// A read is a request and its answer: two connection events, and two more for each further piece of MTU − 1 bytes (Core 5.4 Vol 3 Part G, 4.8.3).
  private func readValue(_ board: Int, _ item: BoardAttributes.Characteristic) async -> DBusReply {
    guard let link = links[board] else { return .notConnected }
    let pieces = 1 + (boards[board].read(item.uuid)?.count ?? 0) / max(1, link.mtu - 1)
    await reactor.sleep(radio.interval * (2 * pieces))
    guard let same = links[board], same.ticket == link.ticket, !same.severed else { return .failed("Not connected") }
    if let error = boards[board].refusal(ofReading: item.uuid) { return .attributeError(error) }
    guard let value = boards[board].read(item.uuid) else { return .attributeError(0x0A) }
    return .values([.bytes(value)])
  }

  // MARK: Properties

  private func property(_ call: DBusCall, _ object: StackObject) -> DBusReply {
    guard let (interface, values) = properties(of: object) else { return .unknownObject(call) }
    switch (call.member, call.signature) {
    case ("GetAll", "s"): return call.arguments[0].text == interface ? .values([.properties(values)]) : .unknownProperty
    case ("Get", "ss"):
      guard call.arguments[0].text == interface, let name = call.arguments[1].text, let value = values[name] else { return .unknownProperty }
      return .values([.variant(value)])
    case ("Set", "ssv"):
      guard case .adapter(let hci) = object, let adapter = adapter(hci), call.arguments[1].text == "Powered", let on = call.arguments[2].truth else {
        return .error(name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "Property is not writable here")
      }
      power(adapter, on: on)
      return .nothing
    default: return .unknownMethod(call)
    }
  }

  private func power(_ adapter: Int, on: Bool) {
    guard adapters[adapter].powered != on, let hci = adapters[adapter].hci else { return }
    if !on {
      adapters[adapter].tried(.powerCycle)
      for (board, link) in links where link.adapter == adapter { linkDown(board) }
      adapters[adapter].discoverers = []
      adapters[adapter].attempt = nil
    }
    adapters[adapter].powered = on
    changed(.adapter(hci: hci), StackFaces.adapter, ["Powered": .bool(on)])
    if !on { discoveryChanged(adapter) }
  }

  /// The one interface of an object and its properties; nil when there is no such object now.
  private func properties(of object: StackObject) -> (interface: String, values: [String: DBusValue])? {
    switch object {
    case .root, .stack: return nil
    case .adapter(let hci):
      guard let adapter = adapter(hci) else { return nil }
      return (StackFaces.adapter, StackFaces.properties(of: adapters[adapter], hci: hci))
    case .board(let hci, let address):
      guard let (adapter, board) = known(hci, address), let known = adapters[adapter].boards[board] else { return nil }
      return (StackFaces.board, StackFaces.properties(of: known, number: board, link: links[board], adapter: hci))
    case .service(let hci, let address, let handle):
      guard let service = resolved(hci, address)?.services.first(where: { $0.handle == handle }) else { return nil }
      return (StackFaces.service, StackFaces.properties(of: service, board: StackObject.board(hci: hci, address).path))
    case .characteristic(let hci, let address, let service, let handle):
      guard let link = resolved(hci, address), let item = link.characteristic(service: service, handle: handle) else { return nil }
      let parent = StackObject.service(hci: hci, address, handle: service).path
      return (StackFaces.characteristic, StackFaces.properties(of: item, service: parent, link: link))
    }
  }

  /// The whole tree, `a{oa{sa{sv}}}`.
  private func managedObjects() -> DBusValue {
    var entries: [DBusValue.Entry] = []
    func add(_ object: StackObject) {
      guard let (interface, values) = properties(of: object) else { return }
      let interfaces = DBusValue.dictionary([.init(.string(interface), .properties(values))], key: "s", value: "a{sv}")
      entries.append(.init(.objectPath(object.path), interfaces))
    }
    for adapter in adapters {
      guard let hci = adapter.hci else { continue }
      add(.adapter(hci: hci))
      for (_, known) in adapter.boards.sorted(by: { $0.key < $1.key }) {
        let address = known.face.address
        add(.board(hci: hci, address))
        for service in resolved(hci, address)?.services ?? [] {
          add(.service(hci: hci, address, handle: service.handle))
          for item in service.characteristics { add(.characteristic(hci: hci, address, service: service.handle, handle: item.handle)) }
        }
      }
    }
    return .dictionary(entries, key: "o", value: "a{sa{sv}}")
  }
}

extension DBusReply {
  /// What GDBus answers for an object that is not there (the message that stations see after 30 s, rig README, pitfall 7).
  static func unknownObject(_ call: DBusCall) -> DBusReply {
    .error(
      name: "org.freedesktop.DBus.Error.UnknownObject",
      message: "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface \"\(call.interface)\" doesn't exist\n")
  }
}
