import Bluetooth
import LineFixture
import SMP
import VirtualLine

@testable import Flashing

/// One virtual board and a client of it, on a clock turned by hand.
final class ClientBench {
  static let address = BluetoothAddress(bits: 0xC0DE_0000_0001)

  let clock = ManualClock()
  let central: LineCentral
  let pump: LinePump
  let board: LineBoard
  var pairing: PairingMethod?
  var settings = SMPClient.Settings()

  init(
    _ faults: [BoardFault] = [], quirks: LineBoard.Quirks = LineBoard.Quirks(), adapters: Int = 1, settings change: (inout BoardSettings) -> Void = { _ in }
  ) {
    var settings = BoardSettings()
    change(&settings)
    board = LineBoard(Self.address, settings: settings, faults: faults, running: LineImages.old, quirks: quirks)
    central = LineCentral(clock: clock)
    for index in 0..<adapters { central.plug(index) }
    central.add(board)
    pump = LinePump(clock)
  }

  var time: Timekeeper { Timekeeper(clock) { 0 } }

  /// Begins work with a client on a link of its own.
  func begin<Value: Sendable>(_ body: @escaping @Sendable (SMPClient) async throws -> Value) -> LinePump.Work<Result<Value, any Error>> {
    let handles = (0..<4).map(LineCentral.handle).filter { central.radio($0.hciIndex) != nil || $0.hciIndex == 0 }
    let opener = LinkOpener(central: central, adapters: handles, pairing: pairing, time: time)
    let (time, settings) = (time, settings)
    return pump.start {
      do {
        return .success(
          try await opener.withLink(to: Self.address) { link in
            try await SMPClient.connected(over: link, settings: settings, time: time) { try await body($0) }
          })
      } catch {
        return .failure(error)
      }
    }
  }

  /// Runs work with a client to its end.
  func run<Value: Sendable>(_ body: @escaping @Sendable (SMPClient) async throws -> Value) async throws -> Value {
    try await pump.finish(begin(body), within: .seconds(1200)).get()
  }

  /// How work with a client failed; nil when it did not.
  func failure<Value: Sendable>(_ body: @escaping @Sendable (SMPClient) async throws -> Value) async throws -> SMPClientError? {
    switch try await pump.finish(begin(body), within: .seconds(1200)) {
    case .success: return nil
    case .failure(let error as SMPClientError): return error
    case .failure(let error): throw error
    }
  }
}
