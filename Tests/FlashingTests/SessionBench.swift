import Bluetooth
import Firmware
import LineFixture
import Locks
import Synchronization
import VirtualLine

@testable import Flashing

/// One board, one adapter, one attempt: everything a session test varies.
final class SessionBench {
  static let address = BluetoothAddress(bits: 0xC0DE_0000_0001)

  let clock: ManualClock
  let central: LineCentral
  var pump: LinePump
  let board: LineBoard
  let settings: BoardSettings
  let observer = Notes()
  var order: UpdateOrder
  var limits = SessionLimits(connect: .seconds(5), board: .seconds(300), stall: .seconds(20), swap: .seconds(30))
  private(set) lazy var control = SessionControl(time)
  var wasWrittenBefore = false
  var trustsStoredImage = true
  var examine: @Sendable (IdentityRead) async throws -> Void = { _ in }

  init(
    _ faults: [BoardFault] = [], mode: UpgradeMode = .testAndConfirm, image: [UInt8] = LineImages.new, running: [UInt8] = LineImages.old,
    quirks: LineBoard.Quirks = LineBoard.Quirks(), settings change: (inout BoardSettings) -> Void = { _ in }
  ) {
    clock = ManualClock()
    var settings = BoardSettings()
    // Small packets, so that an upload has many requests.
    settings.bufferSize = 1024
    change(&settings)
    self.settings = settings
    board = LineBoard(Self.address, settings: settings, faults: faults, running: running, quirks: quirks)
    central = LineCentral(clock: clock)
    central.plug(0)
    central.add(board)
    central.know(Self.address, on: 0)
    pump = LinePump(clock)
    order = Self.order(image, mode: mode)
  }

  /// A board that has a word of its own, and the update that the SDK would build for it.
  init(
    _ kind: SMPKind, _ faults: [BoardFault] = [], mode: UpgradeMode = .testAndConfirm, quirks: LineBoard.Quirks = LineBoard.Quirks(),
    settings change: (inout BoardSettings) -> Void = { _ in }
  ) {
    clock = ManualClock()
    var settings = kind.settings
    settings.bufferSize = 1024
    change(&settings)
    self.settings = settings
    board = LineBoard(Self.address, settings: settings, faults: faults, quirks: quirks)
    central = LineCentral(clock: clock)
    central.plug(0)
    central.add(board)
    central.know(Self.address, on: 0)
    pump = LinePump(clock)
    order = Self.order(settings, minor: 1, mode: mode)
  }

  /// The update to 1.`minor`.0 of boards that are built like this.
  static func order(_ settings: BoardSettings, minor: UInt8, mode: UpgradeMode) -> UpdateOrder {
    let package = LineImages.package(settings, 1, minor)
    let images = package.parts.map { part in
      UpdateImage(
        number: part.image, slot: part.slot, bytes: part.bytes, sha256: LineImages.digest(part.bytes), hash: LineImages.hash(part.bytes),
        version: package.version.smpText, isReadBack: settings.image(part.image).listing == .full)
    }
    return UpdateOrder(images: images, mode: mode)
  }

  /// Bytes of the images that go to the board: of builds for two slots, one.
  var sent: Int { order.numbers.reduce(0) { sum, number in sum + (order.images.first { $0.number == number }?.bytes.count ?? 0) } }

  /// The next program at the same board: nobody remembers the last one.
  init(takingOver other: SessionBench) {
    clock = other.clock
    central = other.central
    pump = other.pump
    board = other.board
    settings = other.settings
    order = other.order
    limits = other.limits
  }

  static func order(_ image: [UInt8], version: String = "1.1.0", mode: UpgradeMode) -> UpdateOrder {
    UpdateOrder(images: [Self.image(image, version: version)], mode: mode)
  }

  static func image(_ image: [UInt8], number: Int = 0, slot: Int = 1, version: String = "1.1.0") -> UpdateImage {
    UpdateImage(number: number, slot: slot, bytes: image, sha256: LineImages.digest(image), hash: LineImages.hash(image), version: version)
  }

  var time: Timekeeper {
    let clock = clock
    return Timekeeper(clock) { 1_796_000_000_000 + Int64(clock.now.sinceStart.seconds * 1000) }
  }

  func begin(attempt: Int = 1) -> LinePump.Work<AttemptRecord> {
    let record = AttemptRecord(
      batchID: 1, stationID: "S1", profile: "line", job: .update, mac: Self.address, addressType: .random, attempt: attempt, startedAt: time.wall(),
      toolVersion: "test")
    let session = BoardSession(
      board: Self.address, adapter: LineCentral.handle(0), central: central, order: .update(order), limits: limits, time: time,
      control: control, journal: AttemptJournal(record, observer: observer), wasWrittenBefore: wasWrittenBefore, trustsStoredImage: trustsStoredImage,
      examine: examine)
    return pump.start { await session.run() }
  }

  /// Runs one attempt to its end.
  func run(attempt: Int = 1) async throws -> AttemptRecord {
    try await pump.finish(begin(attempt: attempt), within: .seconds(1200))
  }
}

/// What the session told its observer.
final class Notes: SessionObserver {
  private struct State {
    var phases: [Phase] = []
    var progress: [Int] = []
    var refusesAt: Phase?
    var act: (@Sendable (Phase) -> Void)?
  }

  private let state = Locked(State())

  var phases: [Phase] { state.withLock { $0.phases } }
  var progress: [Int] { state.withLock { $0.progress } }
  func refuse(at phase: Phase) { state.withLock { $0.refusesAt = phase } }

  /// Called when a phase was entered, before its first step.
  func whenEntered(_ act: @escaping @Sendable (Phase) -> Void) { state.withLock { $0.act = act } }

  func entered(_ phase: Phase, _ record: AttemptRecord) async throws {
    let (refuses, act) = state.withLock { state in
      state.phases.append(phase)
      return (state.refusesAt == phase, state.act)
    }
    act?(phase)
    if refuses { throw RecordError.notWritable("disk full") }
  }

  func progressed(_ bytes: Int, of total: Int, at now: Duration, _ record: AttemptRecord) {
    state.withLock { $0.progress.append(bytes) }
  }
}

extension BoardFault {
  func with(_ change: (inout BoardFault) -> Void) -> BoardFault {
    var fault = self
    change(&fault)
    return fault
  }
}
