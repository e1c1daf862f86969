import Bluetooth

/// The GATT database of a virtual board: Device Information and SMP (smp.md §2.1).
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

  static let services: [Service] = {
    let information = [BluetoothUUID.manufacturerName, .modelNumber, .serialNumber, .hardwareRevision, .firmwareRevision]
    let readable = information.enumerated().map { Characteristic(handle: 0x0B + 2 * $0.offset, uuid: $0.element, flags: ["read"]) }
    var services = [Service(handle: 0x0A, uuid: .deviceInformation, characteristics: readable)]
    if let smp = BluetoothUUID(VirtualBoard.service), let packets = BluetoothUUID(VirtualBoard.characteristic) {
      let characteristic = Characteristic(handle: 0x21, uuid: packets, flags: ["write-without-response", "notify"])
      services.append(Service(handle: 0x20, uuid: smp, characteristics: [characteristic]))
    }
    return services
  }()

  static func characteristic(service: Int, handle: Int) -> Characteristic? {
    services.first { $0.handle == service }?.characteristics.first { $0.handle == handle }
  }
}
