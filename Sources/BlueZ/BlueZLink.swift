import Bluetooth
import DBus
import Reactor

/// One connected board, as long as it stays so.
struct BlueZLink: GATTLink {
  let board: BluetoothAddress
  let path: String
  let id: UInt64
  let latch: Latch
  let central: BlueZCentral

  func characteristics() async -> [GATTCharacteristic] {
    await central.characteristics(of: path, id)
  }

  func pair(_ method: PairingMethod, limit: Duration) async throws(CentralError) {
    try await central.pair(path, id, method, limit: limit)
  }

  func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID, limit: Duration) async throws(CentralError) -> [UInt8] {
    try await central.read(characteristic, of: service, path, id, limit: limit)
  }

  func write(
    _ value: [UInt8], to characteristic: BluetoothUUID, of service: BluetoothUUID, withResponse: Bool, limit: Duration
  ) async throws(CentralError) {
    try await central.write(value, to: characteristic, of: service, withResponse: withResponse, path, id, limit: limit)
  }

  func openChannel(
    notifying: BluetoothUUID, writing: BluetoothUUID?, of service: BluetoothUUID, limit: Duration
  ) async throws(CentralError) -> any PacketChannel {
    try await central.openChannel(notifying: notifying, writing: writing, of: service, path, id, limit: limit)
  }

  func ended() async {
    await latch.wait()
  }

  func disconnect() async {
    await central.disconnect(path, id)
  }
}
