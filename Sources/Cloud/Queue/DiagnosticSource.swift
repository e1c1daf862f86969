public import Bluetooth

/// Who speaks and where it goes: a board, the device id it gives itself (characteristic 54220002), and its destination.
public struct DiagnosticSource: Hashable, Sendable {
  public let board: BluetoothAddress
  public let deviceID: String
  public let destination: ChunkDestination

  public init(board: BluetoothAddress, deviceID: String, destination: ChunkDestination) {
    (self.board, self.deviceID, self.destination) = (board, deviceID, destination)
  }
}
