import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Signals as facts/bluez.md and BlueZ's doc/*-api.txt describe them; the tree is a value, so each row is one.
struct ObjectTreeTests {
  private static let device = "org.bluez.Device1"
  private static let path = "/org/bluez/hci0/dev_C0_DE_00_00_00_01"

  private func interfaces(_ values: [String: [String: DBusValue]]) -> DBusValue {
    .dictionary(values.sorted { $0.key < $1.key }.map { .init(.string($0.key), .properties($0.value)) }, key: "s", value: "a{sv}")
  }

  private func signal(_ interface: String, _ member: String, path: String = "/", _ arguments: [DBusValue]) -> DBusSignal {
    DBusSignal(sender: ":1.1", path: path, interface: interface, member: member, arguments: arguments)
  }

  private func added(_ path: String, _ values: [String: [String: DBusValue]]) -> DBusSignal {
    signal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.objectPath(path), interfaces(values)])
  }

  private func changed(_ values: [String: DBusValue], invalid: [String] = [], path: String = Self.path) -> DBusSignal {
    signal("org.freedesktop.DBus.Properties", "PropertiesChanged", path: path, [.string(Self.device), .properties(values), .strings(invalid)])
  }

  @Test("added, changed, invalidated, removed")
  func life() {
    var tree = ObjectTree(limit: 10)
    let arrival = tree.apply(added(Self.path, [Self.device: ["RSSI": .int16(-50)]]))
    #expect(arrival == [.set(path: Self.path, interface: Self.device, ["RSSI": .int16(-50)])])
    let change = tree.apply(changed(["RSSI": .int16(-40)]))
    #expect(change == [.set(path: Self.path, interface: Self.device, ["RSSI": .int16(-40)])])
    #expect(tree.properties(Self.path, Self.device)?["RSSI"] == .int16(-40))
    _ = tree.apply(changed([:], invalid: ["RSSI"]))
    #expect(tree.properties(Self.path, Self.device)?.isEmpty == true)
    let removed = signal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", [.objectPath(Self.path), .strings([Self.device, "unknown"])])
    let departure = tree.apply(removed)
    #expect(departure == [.removed(path: Self.path, interface: Self.device)])
    #expect(tree.objects.isEmpty)
    let late = tree.apply(changed(["RSSI": .int16(-30)]))
    #expect(late.isEmpty, "a signal of an object that is gone changes nothing")
  }

  @Test("what has not the form of the signal changes nothing")
  func malformed() {
    var tree = ObjectTree(limit: 10)
    _ = tree.apply(added(Self.path, [Self.device: [:]]))
    let before = tree.objects
    let rows: [DBusSignal] = [
      signal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded", []),
      signal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.string("x"), .string("y")]),
      signal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", [.objectPath(Self.path), .string(Self.device)]),
      signal("org.freedesktop.DBus.Properties", "PropertiesChanged", path: Self.path, [.string(Self.device), .bytes([1]), .strings([])]),
      signal("org.freedesktop.DBus.Properties", "PropertiesChanged", path: Self.path, [.int32(1), .properties([:]), .strings([])]),
      signal("org.example", "InterfacesAdded", [.objectPath("/x"), interfaces([:])]),
    ]
    for row in rows {
      let changes = tree.apply(row)
      #expect(changes.isEmpty, "\(row)")
    }
    #expect(tree.objects == before)
    let replaced = [tree.replace(with: []), tree.replace(with: [.string("x")])]
    #expect(replaced == [false, false])
  }

  @Test("no more objects than the limit")
  func limit() {
    var tree = ObjectTree(limit: 2)
    for index in 0..<5 { _ = tree.apply(added("/o\(index)", [Self.device: [:]])) }
    #expect(tree.objects.count == 2)
    let growth = tree.apply(added("/o0", ["more": [:]]))
    #expect(!growth.isEmpty, "a known object may grow")
  }

  @Test(
    "an adapter is known by number and address together",
    arguments: [
      ("/org/bluez/hci0", "00:1B:DC:00:00:00", true), ("/org/bluez/hci12", "00:1B:DC:00:00:00", true), ("/org/bluez/hcix", "00:1B:DC:00:00:00", false),
      ("/org/bluez/hci-1", "00:1B:DC:00:00:00", false), ("/org/bluez/hci0", "00:1B:DC:00:00", false), ("/other/hci0", "00:1B:DC:00:00:00", false),
    ])
  func adapters(path: String, address: String, known: Bool) {
    var tree = ObjectTree(limit: 10)
    _ = tree.apply(added(path, ["org.bluez.Adapter1": ["Address": .string(address), "Powered": .bool(true)]]))
    #expect(tree.adapters.isEmpty != known)
    if let handle = tree.adapters.first?.handle {
      #expect(tree.path(of: handle) == path)
      #expect(tree.path(of: AdapterHandle(hciIndex: handle.hciIndex, address: BluetoothAddress(bits: 1))) == nil)
      #expect(tree.path(of: AdapterHandle(hciIndex: handle.hciIndex + 1, address: handle.address)) == nil)
    }
  }

  @Test("boards belong to their adapter; the same address on another adapter is another object")
  func boards() {
    var tree = ObjectTree(limit: 10)
    for adapter in ["/org/bluez/hci0", "/org/bluez/hci1"] {
      let values: [String: DBusValue] = ["Address": .string("C0:DE:00:00:00:01"), "Adapter": .objectPath(adapter)]
      _ = tree.apply(added(adapter + "/dev_C0_DE_00_00_00_01", [Self.device: values]))
    }
    let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
    #expect(tree.path(of: board, below: "/org/bluez/hci1") == "/org/bluez/hci1/dev_C0_DE_00_00_00_01")
    #expect(tree.path(of: BluetoothAddress(bits: 5), below: "/org/bluez/hci1") == nil)
  }

  @Test("a characteristic without its service is not offered")
  func characteristics() {
    var tree = ObjectTree(limit: 10)
    _ = tree.apply(added(Self.path, [Self.device: [:]]))
    let values: [String: DBusValue] = ["UUID": .string("2a24"), "Service": .objectPath(Self.path + "/service1"), "Flags": .strings(["read"])]
    _ = tree.apply(added(Self.path + "/service1/char2", ["org.bluez.GattCharacteristic1": values]))
    #expect(tree.characteristics(of: Self.path).isEmpty)
    _ = tree.apply(added(Self.path + "/service1", ["org.bluez.GattService1": ["UUID": .string("180a")]]))
    #expect(tree.characteristics(of: Self.path).map(\.value) == [GATTCharacteristic(service: .deviceInformation, uuid: .modelNumber, flags: ["read"])])
    #expect(tree.characteristics(of: Self.path + "0").isEmpty)
  }
}
