import Bluetooth
import Firmware
import LineFixture
import SMP
import VirtualLine

@testable import Flashing

/// One SUIT board, one adapter, one attempt.
final class SUITBench {
  static let address = BluetoothAddress(bits: 0xC0DE_0000_0066)

  let clock = ManualClock()
  let central: LineCentral
  let pump: LinePump
  let board: LineBoard
  let observer = Notes()
  var order: SUITOrder
  var limits = SessionLimits(connect: .seconds(5), board: .seconds(600), stall: .seconds(60), swap: .seconds(30))
  var wasWrittenBefore = false

  /// - Parameters:
  ///   - resources: what the envelope names, as URIs.
  ///   - caches: by partition, and what each holds.
  init(
    _ faults: [BoardFault] = [], sequence: UInt64 = 4, resources: [String] = [], files: [(name: String, bytes: [UInt8])] = [],
    caches: [SUITOrder.Cache] = [], quirks: LineBoard.Quirks = LineBoard.Quirks(), settings change: (inout BoardSettings) -> Void = { _ in }
  ) {
    var settings = BoardSettings()
    settings.kind = .suit
    settings.suit.sequence = 3
    settings.canonical = true
    // Small packets, so that a part has many requests.
    settings.bufferSize = 512
    change(&settings)
    board = LineBoard(Self.address, settings: settings, faults: faults, running: LineImages.old, quirks: quirks)
    central = LineCentral(clock: clock)
    central.plug(0)
    central.add(board)
    central.know(Self.address, on: 0)
    pump = LinePump(clock)
    let envelope = SUITFirmware.envelope(sequence: sequence, resources: resources)
    order = SUITOrder(
      envelope: envelope, digest: SUITFirmware.digest(of: envelope), sequenceNumber: sequence, caches: caches, resources: SUITResources(files))
  }

  /// Two resources and a cache that holds a third one.
  static func full(
    _ faults: [BoardFault] = [], settings: (inout BoardSettings) -> Void = { _ in }
  ) -> SUITBench {
    SUITBench(
      faults, resources: ["file://app.bin", "file://radio.bin", "file://cached.bin"],
      files: [("app.bin", SUITFirmware.payload(5000, seed: 1)), ("Radio.BIN", SUITFirmware.payload(3000, seed: 2))],
      caches: [SUITOrder.Cache(partition: 1, bytes: SUITFirmware.cache([("file://cached.bin", SUITFirmware.payload(4000, seed: 3))]))], settings: settings)
  }

  func run(attempt: Int = 1) async throws -> AttemptRecord {
    try await pump.finish(begin(attempt: attempt), within: .seconds(1200))
  }

  /// The operator's hand on the session that was begun last.
  private(set) var control: SessionControl?

  func begin(attempt: Int = 1) -> LinePump.Work<AttemptRecord> {
    let clock = clock
    let time = Timekeeper(clock) { 1_796_000_000_000 + Int64(clock.now.sinceStart.seconds * 1000) }
    let control = SessionControl(time)
    self.control = control
    let record = AttemptRecord(
      batchID: 1, stationID: "S1", profile: "suit", job: .update, mac: Self.address, addressType: .random, attempt: attempt, startedAt: time.wall(),
      toolVersion: "test")
    let session = BoardSession(
      board: Self.address, adapter: LineCentral.handle(0), central: central, order: .suit(order), limits: limits, time: time, control: control,
      journal: AttemptJournal(record, observer: observer), wasWrittenBefore: wasWrittenBefore, trustsStoredImage: true, examine: { _ in })
    return pump.start { await session.run() }
  }

  var truth: LineTruth.SUIT? { board.truth.suit }
  var digest: String { order.digest.hex }

  /// Requests of group 66 that the board got.
  func asked(_ command: UInt8) -> Int { board.requests.count { $0.group == 66 && $0.command == command } }
}
