import Bluetooth

@testable import VirtualLine

/// A board with diagnostics on a bench: notifications stay in the air until they are let through, so that one sees what is in flight.
struct DiagnosticBench {
  static let export = DiagnosticAttributes.dataExport

  var board: VirtualBoard
  /// In flight, oldest first.
  private(set) var air: [[UInt8]] = []
  /// What the client has, in hexadecimal.
  private(set) var got: [String] = []
  private(set) var ends: [LinkEnd] = []
  /// Delays of the looks for new data that are asked for.
  private(set) var polls: [Duration] = []
  private var responses: [UInt8?] = []
  private var alarms: [BoardAlarm] = []

  init(_ faults: [BoardFault] = [], _ change: (inout DiagnosticSettings) -> Void = { _ in }) {
    var settings = BoardSettings()
    var diagnostics = DiagnosticSettings()
    change(&diagnostics)
    settings.mds = diagnostics
    let identity = BoardIdentity(
      address: BluetoothAddress(bits: 0xC0DE_0000_0001), name: "VLINE-0001", serial: "S1", model: "VL-1", hardware: "1.0", manufacturer: "Flashline")
    board = VirtualBoard(identity: identity, settings: settings, faults: faults)
    board.start()
  }

  /// Connects, and with `streaming` subscribes and starts.
  mutating func connect(streaming: Bool = false) {
    _ = board.connect()
    guard streaming else { return }
    _ = board.subscribe(true, to: Self.export)
    _ = write([1])
  }

  mutating func drop() {
    air = []
    _ = board.linkEnded()
  }

  /// The response: nil is success.
  mutating func write(_ value: [UInt8]) -> UInt8? {
    responses = []
    take(board.receive(value, at: Self.export, wantsResponse: true))
    return responses.first ?? nil
  }

  /// Lets so many notifications through.
  mutating func carry(_ count: Int, kept: Bool = true) {
    for _ in 0..<count where !air.isEmpty {
      let value = air.removeFirst()
      if kept { got.append(hex(value)) }
      take(board.delivered(from: Self.export, kept: kept))
    }
  }

  mutating func ring() {
    let due = alarms
    alarms = []
    for alarm in due { take(board.alarm(alarm)) }
  }

  var truth: LineTruth.Diagnostics? { board.truth(number: 0).mds }

  private mutating func take(_ actions: [BoardAction]) {
    for action in actions {
      switch action {
      case .notify(let value, Self.export): air.append(value)
      case .respond(let error): responses.append(error)
      case .wake(let delay, let alarm):
        polls.append(delay)
        alarms.append(alarm)
      case .endLink(let end):
        ends.append(end)
        air = []
      case .notify, .imageStored, .servicesChanged: break
      }
    }
  }
}
