import Bluetooth
import Firmware
import LineFixture
import Locks
import Synchronization
import Testing
import VirtualLine

@testable import Flashing

/// The room as another program uses it: one board, links by a closure or a Bluetooth stack, no station.
@Suite struct BoardUpgradeTests {
  let clock = ManualClock()
  let pump: LinePump
  let central: LineCentral
  let board: LineBoard
  let connects = Shared(0)
  static let address = SessionBench.address

  init() {
    pump = LinePump(clock)
    central = LineCentral(clock: clock)
    var settings = BoardSettings()
    settings.bufferSize = 1024
    board = LineBoard(Self.address, settings: settings, running: LineImages.old)
    central.plug(0)
    central.add(board)
    central.know(Self.address, on: 0)
  }

  private var time: Timekeeper {
    let clock = clock
    return Timekeeper(clock) { Int64(clock.now.sinceStart.seconds * 1000) }
  }

  private func order(_ mode: UpgradeMode = .testAndConfirm) throws -> UpdateOrder {
    try UpdateOrder(FirmwarePackage(fileName: "new.bin", bytes: LineImages.new), mode: mode)
  }

  /// Over links that a closure makes.
  private func upgrade(_ mode: UpgradeMode = .testAndConfirm, failing failures: Int = 0) throws -> BoardUpgrade {
    let (central, connects) = (central, connects)
    return BoardUpgrade(try order(mode), of: Self.address, time: time) { limit in
      connects.value += 1
      if connects.value <= failures { throw CentralError.connectFailed("le-connection-abort-by-local") }
      return try await central.connect(Self.address, on: LineCentral.handle(0), limit: limit)
    }
  }

  private func events(of upgrade: BoardUpgrade) -> (LinePump.Work<Void>, Shared<[BoardUpgrade.Event]>) {
    let events = Shared<[BoardUpgrade.Event]>([])
    return (pump.start { for await event in upgrade.events { events.value.append(event) } }, events)
  }

  @Test(arguments: UpgradeMode.allCases) func overLinks(_ mode: UpgradeMode) async throws {
    let upgrade = try upgrade(mode)
    let (reading, events) = events(of: upgrade)
    let ending = try await pump.finish(pump.start { await upgrade.run() }, within: .seconds(300))
    try await pump.finish(reading, within: .seconds(1))
    #expect(ending.outcome == .passed, "\(ending.failure?.message ?? "")")
    #expect(ending.failure == nil)
    #expect(ending.isGood == (mode == .testAndConfirm || mode == .confirmOnly))
    #expect(ending.firmwareBefore == "1.0.0")
    #expect(ending.firmwareAfter == (mode == .uploadOnly ? "1.0.0" : "1.1.0"))
    #expect(ending.uploadBytes == LineImages.new.count)
    #expect(ending.serialNumber == "SN-1")
    let told = events.value
    #expect(told.first == .phase(.connect))
    #expect(told.contains(.progress(bytes: LineImages.new.count, total: LineImages.new.count)))
    #expect(told.last == .phase(.detach))
    // While the board swaps, a try or two come too early.
    #expect(mode == .uploadOnly ? connects.value == 1 : connects.value >= 2)
    #expect(!board.isConnected)
  }

  @Test func overAStack() async throws {
    let upgrade = BoardUpgrade(.update(try order()), of: Self.address, on: LineCentral.handle(0), of: central, time: time)
    let ending = try await pump.finish(pump.start { await upgrade.run() }, within: .seconds(300))
    #expect(ending.outcome == .passed, "\(ending.failure?.message ?? "")")
    #expect(ending.isGood)
    #expect(central.violations.isEmpty)
  }

  @Test func aBoardThatHasTheImageIsSkipped() async throws {
    let first = try upgrade()
    _ = try await pump.finish(pump.start { await first.run() }, within: .seconds(300))
    let second = try upgrade()
    let ending = try await pump.finish(pump.start { await second.run() }, within: .seconds(300))
    #expect(ending.outcome == .skipped)
    #expect(ending.isGood)
  }

  @Test func triesThatFailAreRepeatedAndHaveALimit() async throws {
    let upgrade = try upgrade(failing: 2)
    let ending = try await pump.finish(pump.start { await upgrade.run() }, within: .seconds(300))
    #expect(ending.outcome == .passed)
    #expect(ending.retries == 2)
    let hopeless = try self.upgrade(failing: 1000)
    let failed = try await pump.finish(pump.start { await hopeless.run() }, within: .seconds(300))
    #expect(failed.failure?.code == .linkConnect)
    #expect(failed.leftAs == .untouched)
  }

  /// A board that never comes back is given up after the limit, however often the closure is asked.
  @Test func aBoardThatStaysAway() async throws {
    let (central, connects) = (central, connects)
    let upgrade = BoardUpgrade(try order(), of: Self.address, time: time) { limit in
      connects.value += 1
      guard connects.value == 1 else { throw CentralError.connectTimedOut }
      return try await central.connect(Self.address, on: LineCentral.handle(0), limit: limit)
    }
    let ending = try await pump.finish(pump.start { await upgrade.run() }, within: .seconds(600))
    #expect(ending.failure?.code == .verifyNeverReturned)
    #expect(ending.leftAs == .unknown)
    #expect(connects.value > 100)
  }

  @Test func pauseAndResume() async throws {
    let upgrade = try upgrade()
    let (reading, events) = events(of: upgrade)
    let work = pump.start { await upgrade.run() }
    try await pump.turn(within: .seconds(60)) { board.uploads >= 10 }
    upgrade.pause()
    upgrade.pause()
    #expect(upgrade.isPaused)
    let end = clock.now.sinceStart + .seconds(900)
    try await pump.turn(within: .seconds(901)) { clock.now.sinceStart >= end }
    #expect(board.uploads < 20)
    upgrade.resume()
    upgrade.resume()
    let ending = try await pump.finish(work, within: .seconds(300))
    try await pump.finish(reading, within: .seconds(1))
    #expect(ending.outcome == .passed, "\(ending.failure?.message ?? "")")
    #expect(ending.retries == 0)
    #expect(events.value.filter { $0 == .paused || $0 == .resumed } == [.paused, .resumed])
  }

  /// Cut off in the middle, as by the end of the program: another one goes on at the board's byte.
  @Test(arguments: [false, true]) func theNextUpgradeResumesAtTheBoardsOffset(_ isPaused: Bool) async throws {
    let first = try upgrade()
    let work = pump.start { await first.run() }
    try await pump.turn(within: .seconds(60)) { board.uploads >= 12 }
    if isPaused { first.pause() }
    first.cancel()
    let aborted = try await pump.finish(work, within: .seconds(5))
    #expect(aborted.outcome == .aborted)
    #expect(aborted.failure?.code == .operatorStopped)
    #expect(!board.isConnected)
    let second = try upgrade()
    let ending = try await pump.finish(pump.start { await second.run() }, within: .seconds(300))
    #expect(ending.outcome == .passed)
    let resumed = try #require(ending.resumedFrom)
    #expect(resumed > 1000)
    #expect(ending.uploadBytes == LineImages.new.count - resumed)
  }

  @Test func theTasksCancellationIsACancel() async throws {
    let upgrade = try upgrade()
    let work = pump.start { await upgrade.run() }
    try await pump.turn(within: .seconds(60)) { board.uploads >= 12 }
    work.cancel()
    #expect(try await pump.finish(work, within: .seconds(5)).outcome == .aborted)
    #expect(!board.isConnected)
  }

  /// The board comes back, and the operator cancels in the moment between the connection and its use: that link is closed, too.
  @Test func noLinkIsLeftOpenWhenItIsCancelled() async throws {
    for moment in stride(from: 0, through: 6000, by: 100) {
      let test = Self()
      let upgrade = try test.upgrade()
      let work = test.pump.start { await upgrade.run() }
      try await test.pump.turn(within: .seconds(60)) { test.clock.now.sinceStart >= .milliseconds(moment) }
      upgrade.cancel()
      _ = try await test.pump.finish(work, within: .seconds(30))
      #expect(!test.board.isConnected, "cancelled after \(moment) ms")
    }
  }

  @Test func anUpgradeRunsOnce() async throws {
    let upgrade = try upgrade()
    _ = try await pump.finish(pump.start { await upgrade.run() }, within: .seconds(300))
    let again = try await pump.finish(pump.start { await upgrade.run() }, within: .seconds(1))
    #expect(again.outcome == .error)
    #expect(again.failure?.code == .stationInternal)
  }

  @Test func aPackageThatNoStationWouldFlashIsNone() throws {
    var damaged = LineImages.new
    damaged[600] ^= 1
    let package = try FirmwarePackage(fileName: "new.bin", bytes: damaged)
    #expect(throws: UnfitPackage.self) { try UpdateOrder(package) }
  }
}
