import Bluetooth
import Flashing
import LineFixture
import VirtualLine

@testable import Station

/// A whole station over a line in memory: adapters, boards, store, events and a turned clock.
final class StationBench {
  static let profile = "[board]\nname = line\nfamily = mcuboot\n[match]\nname_prefix = Line\nmin_rssi = -80\n"

  let clock = ManualClock()
  let central: LineCentral
  let pump: LinePump
  let store = MemoryStore()
  let events = MemoryEvents()
  private(set) var boards: [LineBoard] = []
  var profiles = [StationBench.profile]
  var limits = "board_timeout = 5m\nswap_timeout = 20s\nadapter_timeout = 30s\nbus_timeout = 20s\nstop_after_same_failures = 0\n"
  var bounds = BatchBounds(idle: .seconds(40))
  var liftsQuarantine = false
  var mode = UpgradeMode.testAndConfirm
  var job = JobKind.update
  var lot: String? = "L1"
  var collector: (any DiagnosticCollector)?
  var workOrder: String? = "W1"

  init(adapters: Int = 1, seed: UInt64? = nil) {
    central = LineCentral(clock: clock)
    pump = LinePump(clock, seed: seed)
    for index in 0..<adapters { central.plug(index) }
  }

  static func address(_ number: Int) -> BluetoothAddress { BluetoothAddress(bits: 0xC0DE_0000_0000 + UInt64(number)) }

  @discardableResult
  func add(
    _ number: Int, _ faults: [BoardFault] = [], running: [UInt8] = LineImages.old, address: BluetoothAddress? = nil,
    settings: (inout BoardSettings) -> Void = { _ in }, quirks: (inout LineBoard.Quirks) -> Void = { _ in }
  ) -> LineBoard {
    var boardSettings = BoardSettings()
    boardSettings.bufferSize = 1024
    settings(&boardSettings)
    var boardQuirks = LineBoard.Quirks()
    quirks(&boardQuirks)
    let board = LineBoard(address ?? Self.address(number), settings: boardSettings, faults: faults, running: running, quirks: boardQuirks)
    boards.append(board)
    central.add(board)
    return board
  }

  /// - Parameter store: nil is the bench's own.
  func controller(store other: MemoryStore? = nil) throws -> StationController {
    let profiles = try profiles.map { try BoardProfile(iniFile($0, file: "line.profile")) }
    let configuration = try StationConfiguration(iniFile("[limits]\n" + limits), hostName: "S1", timezone: "UTC")
    let image = UpdateImage(
      bytes: LineImages.new, sha256: LineImages.digest(LineImages.new), hash: LineImages.hash(LineImages.new), version: "1.1.0")
    let order = UpdateOrder(images: [image], mode: mode)
    let kinds = profiles.map { profile in
      var order = order
      order.identity.needsSerial = profile.identity.serial != .none
      return LineJob.Kind(profile: profile, order: .update(order), version: order.version, packageName: "new.bin", packageSHA256: "aa")
    }
    let job = LineJob(
      job: job, modes: job == .rescue ? [.bootloader] : [.application], stationID: "S1", toolVersion: "test", database: "memory", kinds: kinds, lot: lot,
      workOrder: workOrder, operator: "op", bounds: bounds,
      startsNew: false, liftsQuarantine: liftsQuarantine, limits: configuration.limits, adapters: configuration.adapters)
    let clock = clock
    let time = Timekeeper(clock) { 1_796_000_000_000 + Int64(clock.now.sinceStart.seconds * 1000) }
    let ports = StationPorts(source: central, central: central, store: other ?? store, events: events, time: time, collector: collector)
    return StationController(job: job, ports: ports)
  }

  func begin(_ controller: StationController) -> LinePump.Work<Int32> {
    pump.start { await controller.run() }
  }

  /// Runs the job to its end and returns the exit code.
  func run(within limit: Duration = .seconds(1800)) async throws -> Int32 {
    try await pump.finish(begin(controller()), within: limit)
  }

  /// Asks the controller something from outside, as a signal handler does.
  func ask(_ body: @escaping @Sendable () async -> Void) async throws {
    _ = try await pump.finish(pump.start { await body() }, within: .seconds(1))
  }

  func finished(_ board: LineBoard) -> [AttemptRecord] { store.finished.filter { $0.mac == board.address } }
}
