import Bluetooth
import Firmware
import LineFixture

@testable import Flashing
@testable import VirtualLine

/// Firmware by its version, with the chain of bootloaders of the virtual line's catalogue.
struct TestShelf: FirmwareShelf {
  static let application = Interlock.Build(id: "app", version: version("1.4.5"), required: version("0.3.3"))

  let packages: [String: NordicPackage]
  let offered: FirmwareOffer
  var error: ShelfError?

  /// Only of texts that are versions.
  static func version(_ text: String) -> FirmwareVersion {
    guard let version = FirmwareVersion(text) else { preconditionFailure("\(text) is no version") }
    return version
  }

  /// - Parameter bootloaders: versions in order, each requiring the one before, the first requiring nothing.
  init(
    bootloaders: [String] = ["0.3.2", "0.3.3"], told: [String: String] = [:], application: Interlock.Build = Self.application, image: [UInt8]? = nil,
    requires: String = "0.3.3"
  ) throws {
    var packages: [String: NordicPackage] = [:]
    var builds: [Interlock.Build] = []
    for (place, text) in bootloaders.enumerated() {
      builds.append(Interlock.Build(id: text, version: Self.version(text), required: place == 0 ? nil : Self.version(bootloaders[place - 1])))
      packages[text] = try Self.package(.bootloader, RescueFirmware.image(1000, ImageMetadata(version: told[text] ?? text)), text)
    }
    let image = try image ?? RescueFirmware.image(2000, ImageMetadata(version: application.version.description, requiresBootloader: requires))
    packages["app"] = try Self.package(.application, image, "app")
    self.packages = packages
    offered = FirmwareOffer(application: application, interlock: Interlock(bootloaders: builds))
  }

  private static func package(_ part: DFUPart, _ image: [UInt8], _ name: String) throws -> NordicPackage {
    try NordicPackage(fileName: "\(name).zip", bytes: RescueFirmware.package(part, image))
  }

  func offer(for board: Flashing.BoardIdentity) async throws(ShelfError) -> FirmwareOffer {
    if let error { throw error }
    return offered
  }

  func package(of build: Interlock.Build) async throws(ShelfError) -> NordicPackage {
    guard let package = packages[build.id] else { throw .damaged("\(build.id) is missing") }
    return package
  }
}

/// One stranded board, one attempt at it: everything a rescue test varies.
final class RescueBench {
  static let address = RescueBoard.address

  let clock: ManualClock
  let board: RescueBoard
  let central: RescueCentral
  let pump: LinePump
  let notes = Notes()
  var order: RescueOrder
  var limits = SessionLimits(connect: .seconds(5), board: .seconds(300), stall: .seconds(20), swap: .seconds(30))
  /// The address of the first attempt, which a job keeps.
  private var admitted: BluetoothAddress?
  var mayReturnBelow = true
  private(set) lazy var control = SessionControl(time)
  var examine: @Sendable (Flashing.BoardIdentity) async throws -> Void = { _ in }

  init(
    _ faults: [BoardFault] = [], kind: BoardKind = .metawear, shelf: (any FirmwareShelf)? = nil, others: [DFUBoard] = [], enters: Bool = false,
    serial: String = "SN1", manufacturer: String = RescueFirmware.manufacturer, _ change: (inout DFUSettings) -> Void = { _ in }
  ) throws {
    clock = ManualClock()
    board = RescueBoard(RescueBoard.virtual(faults, serial: serial, kind: kind, manufacturer: manufacturer, change))
    central = RescueCentral([board] + others.map { RescueBoard($0) }, clock: clock)
    pump = LinePump(clock)
    order = RescueOrder(
      family: kind == .metawear ? .metaWear : .nordic, shelf: try shelf ?? TestShelf(),
      identity: IdentityRule(manufacturer: kind == .metawear ? RescueFirmware.manufacturer : nil), entersBootloader: enters)
  }

  var time: Timekeeper {
    let clock = clock
    return Timekeeper(clock) { 1_796_000_000_000 + Int64(clock.now.sinceStart.seconds * 1000) }
  }

  /// The next program at the same board: nobody remembers the last one.
  init(takingOver other: RescueBench) throws {
    clock = other.clock
    board = other.board
    central = other.central
    pump = other.pump
    order = other.order
    limits = other.limits
    admitted = other.admitted
  }

  func begin(wasWrittenBefore: Bool = false) -> LinePump.Work<AttemptRecord> {
    let address = admitted ?? board.advertisement()?.address ?? Self.address
    admitted = address
    let record = AttemptRecord(
      batchID: 1, stationID: "S1", profile: "P", job: .rescue, mac: address, addressType: .random, attempt: 1, startedAt: time.wall(), toolVersion: "test")
    let session = BoardSession(
      board: address, adapter: LineCentral.handle(0), central: central, order: .rescue(order), limits: limits, time: time,
      control: control, journal: AttemptJournal(record, observer: notes), wasWrittenBefore: wasWrittenBefore, trustsStoredImage: true,
      mayReturnBelow: mayReturnBelow, examine: examine)
    return pump.start { await session.run() }
  }

  /// The attempts that a job makes at the board, one after the other, until its policy says that it is done or the board is not heard any more.
  func attempts(limits: AttemptLimits = AttemptLimits(attempts: 3, stationRetries: 2)) async throws -> [AttemptRecord] {
    var records: [AttemptRecord] = []
    while true {
      let record = try await run(wasWrittenBefore: records.contains { $0.leftAs != .untouched })
      records.append(record)
      let judged = records.count { $0.outcome?.isJudged == true }
      let faults = records.count { $0.outcome == .error || $0.outcome == .aborted }
      guard case .again = FailurePolicy.decide(record, judged: judged, faults: faults, limits: limits) else { return records }
      do {
        try await pump.turn(within: Self.absence) { board.advertisement() != nil }
      } catch is LinePump.NeverOver {
        return records
      }
    }
  }

  /// After so much silence a board that waits for another attempt is given up.
  private static let absence = Duration.seconds(120)

  /// Runs one attempt to its end.
  func run(wasWrittenBefore: Bool = false) async throws -> AttemptRecord {
    try await pump.finish(begin(wasWrittenBefore: wasWrittenBefore), within: .seconds(3600))
  }
}
