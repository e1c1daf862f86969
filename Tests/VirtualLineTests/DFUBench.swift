import Bluetooth

@testable import VirtualLine

/// A board with one of Nordic's bootloaders on a bench: its alarms ring in the order of a turned clock, what it says is written down.
struct DFUBench {
  var board: DFUBoard
  private(set) var now: Duration = .zero
  /// `N` notification, `R` response (`R fd` with an ATT error), `X` the link's end, `S` Service Changed.
  private(set) var said: [String] = []
  private var alarms: [(at: Duration, alarm: BoardAlarm)] = []

  init(
    _ kind: BoardKind, address: UInt64 = 0xC0DE_8000_0101, faults: [BoardFault] = [], hardware: String = "0.1",
    _ change: (inout DFUSettings) -> Void = { _ in }
  ) {
    var settings = BoardSettings()
    settings.kind = kind
    change(&settings.dfu)
    let identity = BoardIdentity(
      address: BluetoothAddress(bits: address), name: "App", serial: "0200CE", model: "6", hardware: hardware, manufacturer: "MbientLab Inc")
    board = DFUBoard(identity: identity, settings: settings, faults: faults)
    take(board.powerOn())
  }

  /// Connects and subscribes; false when the board does not let itself be connected.
  @discardableResult
  mutating func connect(subscribing: Bool = true) -> Bool {
    guard let (_, actions) = board.linked() else { return false }
    take(actions)
    board.subscribe(subscribing)
    return true
  }

  mutating func drop() { take(board.linkEnded()) }

  /// A write request, as `W`, or a write command; returns what was said until the bench is quiet for `limit`.
  mutating func write(_ value: String, to characteristic: BluetoothUUID, request: Bool = true, within limit: Duration = .milliseconds(100)) -> [String] {
    write(bytes(value), to: characteristic, request: request, within: limit)
  }

  mutating func write(_ value: [UInt8], to characteristic: BluetoothUUID, request: Bool, within limit: Duration) -> [String] {
    said = []
    take(board.receive(value, at: characteristic, wantsResponse: request))
    run(for: limit)
    return said
  }

  /// Control point of whichever protocol the board's bootloader speaks.
  mutating func control(_ value: String, within limit: Duration = .milliseconds(100)) -> [String] {
    write(value, to: board.kind == .secure ? .secureDFUControlPoint : .legacyDFUControlPoint, within: limit)
  }

  mutating func packet(_ value: [UInt8], within limit: Duration = .milliseconds(5)) -> [String] {
    write(value, to: board.kind == .secure ? .secureDFUPacket : .legacyDFUPacket, request: false, within: limit)
  }

  mutating func run(for limit: Duration) {
    let end = now + limit
    while let next = alarms.indices.min(by: { alarms[$0].at < alarms[$1].at }), alarms[next].at <= end {
      let (at, alarm) = alarms.remove(at: next)
      now = max(now, at)
      take(board.alarm(alarm))
    }
    now = end
  }

  private mutating func take(_ actions: [BoardAction]) {
    for action in actions {
      switch action {
      case .notify(let value, _):
        said.append("N " + hex(value))
        take(board.delivered())
      case .respond(let error): said.append(error.map { "R " + hex([$0]) } ?? "R")
      case .wake(let delay, let alarm): alarms.append((now + delay, alarm))
      case .endLink(let end): said.append("X \(end)")
      case .servicesChanged: said.append("S")
      case .imageStored: break
      }
    }
  }
}
