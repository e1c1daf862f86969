import Bluetooth
import BusFixture
import DBus
import Reactor

@testable import BlueZ

/// A private bus, a bluetoothd that obeys, and the central under test with short limits.
struct Station {
  let bus: PrivateBus
  let reactor: Reactor
  let bluez: FakeBlueZ
  let central: BlueZCentral
  private let keeper: Keeper

  static let first = AdapterHandle(hciIndex: 0, address: BluetoothAddress(bits: 0x001B_DC00_0000))
  static let other = AdapterHandle(hciIndex: 1, address: BluetoothAddress(bits: 0x001B_DC00_0001))
  static let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
  static let second = BluetoothAddress(bits: 0xC0DE_0000_0002)
  static let limit = Duration.seconds(20)

  init(management: @escaping RadioDesk.Opener = FakeKernel().opener) async throws {
    bus = try PrivateBus()
    reactor = try Reactor()
    bluez = try await FakeBlueZ(bus: bus, reactor: reactor)
    try await bluez.start()
    var limits = BlueZLimits()
    limits.reconnectPause = .milliseconds(20)
    limits.gap = .milliseconds(5)
    limits.disconnect = .seconds(2)
    central = BlueZCentral(on: reactor, address: DBusAddress(bus.address), limits: limits, management: management)
    keeper = Keeper(central)
    await until { $0.count == 2 }
  }

  /// Returns when the stack's adapters are as wanted.
  func until(_ wanted: ([AdapterState]) -> Bool) async {
    for await adapters in central.adapters() where wanted(adapters) { return }
  }

  /// bluetoothd has a board, and the central has been told.
  func remember(_ board: String, _ extra: [String: DBusValue] = [:]) async throws {
    try await bluez.remember(board, extra)
    _ = await central.wait(Self.limit) { $0.has(board, "org.bluez.Device1") }
  }

  /// The central's own task, ended with the station.
  private final class Keeper: Sendable {
    let task: Task<Void, Never>
    init(_ central: BlueZCentral) { task = Task { await central.run() } }
    deinit { task.cancel() }
  }
}

extension AsyncThrowingStream where Element == Advertisement, Failure == any Error {
  /// How the stream ended: nil when without an error.
  func end() async -> CentralError? {
    do {
      for try await _ in self {}
      return nil
    } catch {
      return error as? CentralError
    }
  }
}
