import Bluetooth
import DBus

/// The properties that objects of the `org.bluez` tree show (BlueZ doc/org.bluez.*.rst), as pure functions of the line's state.
enum StackFaces {
  static let adapter = "org.bluez.Adapter1"
  static let board = "org.bluez.Device1"
  static let service = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let properties = "org.freedesktop.DBus.Properties"
  static let agents = "org.bluez.AgentManager1"
  static let objects = "org.freedesktop.DBus.ObjectManager"
  /// Company identifier for tests in the Bluetooth assigned numbers.
  static let company: UInt16 = 0xFFFF

  static func properties(of adapter: StackAdapter, hci: Int) -> [String: DBusValue] {
    [
      "Address": .string(adapter.address.description), "AddressType": .string("public"), "Name": .string("virtual-line"),
      "Alias": .string("virtual-line #\(adapter.number + 1)"), "Class": .uint32(0), "Powered": .bool(adapter.powered), "Discoverable": .bool(false),
      "DiscoverableTimeout": .uint32(180), "Pairable": .bool(true), "PairableTimeout": .uint32(0), "Discovering": .bool(adapter.isDiscovering),
      "UUIDs": .strings([]), "Modalias": .string("usb:v1D6Bp0246d0542"), "Roles": .strings(["central", "peripheral"]),
    ]
  }

  /// - Parameter link: the board's link, whichever adapter has it.
  static func properties(of known: StackAdapter.KnownBoard, number: Int, link: HostedLink?, adapter hci: Int) -> [String: DBusValue] {
    var values: [String: DBusValue] = [
      "Address": .string(known.face.address.description), "AddressType": .string("random"), "Name": .string(known.face.name),
      "Alias": .string(known.face.name), "Paired": .bool(known.isBonded), "Bonded": .bool(known.isBonded), "Trusted": .bool(false), "Blocked": .bool(false),
      "LegacyPairing": .bool(false), "Connected": .bool(known.link != .none), "ServicesResolved": .bool(known.link == .resolved),
      "UUIDs": .strings(uuids(known, link)), "Adapter": .objectPath(StackObject.adapter(hci: hci).path),
      "ManufacturerData": manufacturerData(number),
    ]
    if let rssi = known.rssi { values["RSSI"] = .int16(Int16(clamping: rssi)) }
    return values
  }

  static func uuids(_ known: StackAdapter.KnownBoard, _ link: HostedLink?) -> [String] {
    guard known.link == .resolved, let link else { return known.face.services.map(\.description) }
    return link.services.map(\.uuid.description)
  }

  private static func manufacturerData(_ number: Int) -> DBusValue {
    let bytes: [UInt8] = [0x56, 0x4C, UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    return .dictionary([DBusValue.Entry(.uint16(company), .variant(.bytes(bytes)))], key: "q", value: "v")
  }

  static func properties(of service: BoardAttributes.Service, board: String) -> [String: DBusValue] {
    ["UUID": .string(service.uuid.description), "Device": .objectPath(board), "Primary": .bool(true), "Includes": .array([], of: "o")]
  }

  /// - Parameter link: the link as the host has it; nil when the board is not connected.
  static func properties(of item: BoardAttributes.Characteristic, service: String, link: HostedLink?) -> [String: DBusValue] {
    var values: [String: DBusValue] = [
      "UUID": .string(item.uuid.description), "Service": .objectPath(service), "Flags": .strings(item.flags), "Value": .bytes([]),
    ]
    if let link { values["MTU"] = .uint16(UInt16(clamping: link.mtu)) }
    if item.notifies {
      values["Notifying"] = .bool(link?.notifying[item.uuid] != nil)
      values["NotifyAcquired"] = .bool(link?.readers[item.uuid] != nil)
    }
    if item.flags.contains("write-without-response") { values["WriteAcquired"] = .bool(link?.writers[item.handle] != nil) }
    return values
  }
}
