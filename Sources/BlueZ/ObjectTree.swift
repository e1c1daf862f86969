import Bluetooth
import DBus

/// bluetoothd's objects, interfaces and properties, kept up to date by its signals: a value, no I/O.
///
/// Sources: D-Bus Specification 0.42, "org.freedesktop.DBus.ObjectManager" and "…Properties"; BlueZ doc/adapter-api.txt, device-api.txt, gatt-api.txt.
struct ObjectTree {
  typealias Properties = [String: DBusValue]

  /// What a signal did.
  enum Change: Equatable {
    /// These properties have (new) values: all of them when the interface was added.
    case set(path: String, interface: String, Properties)
    case removed(path: String, interface: String)

    var interface: String {
      switch self {
      case .set(_, let interface, _), .removed(_, let interface): interface
      }
    }
  }

  private(set) var objects: [String: [String: Properties]] = [:]
  /// How often a board's `Connected` was said to be false: a link that came and went leaves no other trace.
  private var linkEnds: [String: Int] = [:]
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  // MARK: Signals

  /// Takes the answer to `GetManagedObjects` (`a{oa{sa{sv}}}`) in place of everything before; false when it is none.
  mutating func replace(with managed: [DBusValue]) -> Bool {
    guard managed.count == 1, let entries = managed[0].entries else { return false }
    objects = [:]
    linkEnds = [:]
    for entry in entries {
      guard let path = entry.key.text, let interfaces = entry.value.entries else { return false }
      _ = add(path, interfaces)
    }
    return true
  }

  /// Takes one signal of bluetoothd; anything that is not one of the three, or not in their form, changes nothing.
  mutating func apply(_ signal: DBusSignal) -> [Change] {
    switch (signal.interface, signal.member, signal.arguments.count) {
    case (BlueZName.objectManager, "InterfacesAdded", 2):
      guard let path = signal.arguments[0].text, let interfaces = signal.arguments[1].entries else { return [] }
      return add(path, interfaces)
    case (BlueZName.objectManager, "InterfacesRemoved", 2):
      guard let path = signal.arguments[0].text, let names = signal.arguments[1].elements else { return [] }
      return names.compactMap(\.text).compactMap { remove(path, $0) }
    case (BlueZName.properties, "PropertiesChanged", 3):
      guard let interface = signal.arguments[0].text, let changed = signal.arguments[1].properties, let invalid = signal.arguments[2].elements else {
        return []
      }
      return change(signal.path, interface, changed, invalid.compactMap(\.text))
    default:
      return []
    }
  }

  private mutating func add(_ path: String, _ interfaces: [DBusValue.Entry]) -> [Change] {
    guard objects[path] != nil || objects.count < limit else { return [] }
    return interfaces.compactMap { entry in
      guard let interface = entry.key.text, let properties = entry.value.properties else { return nil }
      objects[path, default: [:]][interface] = properties
      return .set(path: path, interface: interface, properties)
    }
  }

  private mutating func remove(_ path: String, _ interface: String) -> Change? {
    guard objects[path]?.removeValue(forKey: interface) != nil else { return nil }
    if objects[path]?.isEmpty == true { objects[path] = nil }
    if interface == BlueZName.device { linkEnds[path] = nil }
    return .removed(path: path, interface: interface)
  }

  private mutating func change(_ path: String, _ interface: String, _ changed: Properties, _ invalid: [String]) -> [Change] {
    guard objects[path]?[interface] != nil else { return [] }
    for (name, value) in changed { objects[path]?[interface]?[name] = value }
    for name in invalid { objects[path]?[interface]?[name] = nil }
    if interface == BlueZName.device, changed["Connected"]?.truth == false { linkEnds[path, default: 0] += 1 }
    return [.set(path: path, interface: interface, changed)]
  }

  // MARK: What it says

  func properties(_ path: String, _ interface: String) -> Properties? { objects[path]?[interface] }

  func has(_ path: String, _ interface: String) -> Bool { objects[path]?[interface] != nil }

  /// Every adapter whose number and address can be read, by number.
  var adapters: [AdapterState] {
    objects.keys.compactMap(adapter(at:)).sorted { $0.handle.hciIndex < $1.handle.hciIndex }
  }

  func adapter(at path: String) -> AdapterState? {
    guard let properties = properties(path, BlueZName.adapter), path.hasPrefix(BlueZName.root + "/hci") else { return nil }
    guard let index = Int(path.dropFirst(BlueZName.root.count + 4)), index >= 0 else { return nil }
    guard let address = properties["Address"]?.text.flatMap(BluetoothAddress.init) else { return nil }
    return AdapterState(handle: AdapterHandle(hciIndex: index, address: address), powered: properties["Powered"]?.truth ?? false)
  }

  /// The adapter's path, when both its number and its address are still those of the handle.
  func path(of handle: AdapterHandle) -> String? {
    let path = BlueZName.root + "/hci\(handle.hciIndex)"
    return adapter(at: path)?.handle == handle ? path : nil
  }

  /// The boards that an adapter knows.
  func boards(below adapter: String) -> [String] {
    objects.compactMap { path, interfaces in interfaces[BlueZName.device]?["Adapter"]?.text == adapter ? path : nil }.sorted()
  }

  func path(of board: BluetoothAddress, below adapter: String) -> String? {
    boards(below: adapter).first { properties($0, BlueZName.device)?["Address"]?.text.flatMap(BluetoothAddress.init) == board }
  }

  func isConnected(_ board: String) -> Bool { properties(board, BlueZName.device)?["Connected"]?.truth ?? false }

  func linkEnds(of board: String) -> Int { linkEnds[board] ?? 0 }

  func isResolved(_ board: String) -> Bool { properties(board, BlueZName.device)?["ServicesResolved"]?.truth ?? false }

  /// Paired or bonded: somebody wants to keep it.
  func isKept(_ board: String) -> Bool {
    let properties = properties(board, BlueZName.device)
    return properties?["Paired"]?.truth ?? false || properties?["Bonded"]?.truth ?? false
  }

  /// What a board advertises, as far as bluetoothd remembers; name and services may stem from earlier (facts/bluez.md §4).
  func advertisement(of board: String, rssi: Int?) -> Advertisement? {
    guard let properties = properties(board, BlueZName.device) else { return nil }
    guard let address = properties["Address"]?.text.flatMap(BluetoothAddress.init) else { return nil }
    var manufacturerData: [UInt16: [UInt8]] = [:]
    for entry in properties["ManufacturerData"]?.entries ?? [] {
      guard let company = entry.key.integer.flatMap(UInt16.init(exactly:)), let octets = entry.value.octets else { continue }
      manufacturerData[company] = octets
    }
    return Advertisement(
      address: address, addressType: properties["AddressType"]?.text == "public" ? .public : .random, name: properties["Name"]?.text, rssi: rssi,
      services: Set((properties["UUIDs"]?.elements ?? []).compactMap { $0.text.flatMap(BluetoothUUID.init) }), manufacturerData: manufacturerData)
  }

  /// A board's characteristics with their paths, in the order of the paths (which is that of the handles).
  /// A characteristic that indicates and does not notify.
  func onlyIndicates(_ characteristic: String) -> Bool {
    let flags = (properties(characteristic, BlueZName.gattCharacteristic)?["Flags"]?.elements ?? []).compactMap(\.text)
    return flags.contains("indicate") && !flags.contains("notify")
  }

  func characteristics(of board: String) -> [(path: String, value: GATTCharacteristic)] {
    let prefix = board + "/"
    let paths = objects.keys.filter { $0.hasPrefix(prefix) }.sorted()
    return paths.compactMap { path in
      guard let properties = properties(path, BlueZName.gattCharacteristic), let uuid = properties["UUID"]?.text.flatMap(BluetoothUUID.init) else { return nil }
      guard let service = properties["Service"]?.text.flatMap({ self.properties($0, BlueZName.gattService) })?["UUID"]?.text.flatMap(BluetoothUUID.init)
      else { return nil }
      let flags = (properties["Flags"]?.elements ?? []).compactMap(\.text)
      return (path, GATTCharacteristic(service: service, uuid: uuid, flags: Set(flags)))
    }
  }
}
