import Bluetooth

/// An SMP board on a line: one GATT database and one address for its whole life.
extension VirtualBoard: HostedBoard {
  var face: BoardFace { BoardFace(address: addressNow, name: nameNow, services: [.simpleManagement]) }
  var services: [BoardAttributes.Service] {
    flash.isInLoader && !settings.loader.information ? BoardAttributes.smp.filter { $0.uuid == .simpleManagement } : BoardAttributes.smp
  }
  var bootCount: Int { boots.count }
  var bytesReceived: Int { suit?.record.bytesReceived ?? images.bytesReceived }

  mutating func powerOn() -> [BoardAction] {
    start()
    return []
  }

  mutating func linked() -> (mtu: Int, actions: [BoardAction])? { connect().map { ($0, []) } }

  mutating func linkEnded() -> [BoardAction] {
    disconnected()
    return []
  }

  /// The SMP characteristic has no write with a response; the host lets none through.
  mutating func receive(_ value: [UInt8], at characteristic: BluetoothUUID, wantsResponse: Bool) -> [BoardAction] { write(value) }

  mutating func delivered() -> [BoardAction] {
    sent()
    return []
  }
}
