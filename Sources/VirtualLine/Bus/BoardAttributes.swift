import Bluetooth

/// The GATT databases of virtual boards, by kind and mode.
enum BoardAttributes {
  struct Service: Hashable, Sendable {
    var handle: Int
    var uuid: BluetoothUUID
    var characteristics: [Characteristic]
  }

  struct Characteristic: Hashable, Sendable {
    var handle: Int
    var uuid: BluetoothUUID
    var flags: [String]
  }

  /// Device Information as a board has it.
  static func information(where isThere: (BluetoothUUID) -> Bool) -> Service {
    var service = information
    service.characteristics.append(Characteristic(handle: 0x0B + 2 * service.characteristics.count, uuid: .softwareRevision, flags: ["read"]))
    service.characteristics.removeAll { !isThere($0.uuid) }
    return service
  }

  /// Device Information at the same handles in every database.
  static let information = Service(
    handle: 0x0A, uuid: .deviceInformation,
    characteristics: [BluetoothUUID.manufacturerName, .modelNumber, .serialNumber, .hardwareRevision, .firmwareRevision].enumerated().map {
      Characteristic(handle: 0x0B + 2 * $0.offset, uuid: $0.element, flags: ["read"])
    })

  /// SMP (smp.md §2.1).
  static let smp: [Service] = {
    guard let packets = BluetoothUUID(VirtualBoard.characteristic) else { return [] }
    return [main(.simpleManagement, [(packets, ["write-without-response", "notify"])])]
  }()

  /// The service of a mode: always at 0x20, so that the same handles mean other things when the mode changes (nordic-dfu.md §6.3).
  static func main(_ uuid: BluetoothUUID, _ characteristics: [(BluetoothUUID, [String])]) -> Service {
    Service(
      handle: 0x20, uuid: uuid,
      characteristics: characteristics.enumerated().map { Characteristic(handle: 0x21 + 3 * $0.offset, uuid: $0.element.0, flags: $0.element.1) })
  }
}

extension BoardAttributes.Characteristic {
  var notifies: Bool { flags.contains("notify") || flags.contains("indicate") }
}
