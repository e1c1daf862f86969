import Bluetooth
import Flashing
import LineFixture
import Testing

@testable import Station

extension StationController {
  /// Time passes in which an adapter listens.
  fileprivate func listen(for duration: Duration) { listened += duration }

  /// One attempt at a board, from the claim to the committed record.
  fileprivate func attempt(_ sighting: SightingBook.Sighting, on adapter: LineAdapter, _ handle: AdapterHandle) async {
    claims[sighting.board] = ledger.claim(sighting.board, now: .zero)
    await flash(sighting, adapter, handle)
  }
}

/// What a rescue asks before it takes a board.
struct StationRescueTests {
  static let board = BluetoothAddress(bits: 0xC0DE_0000_0001)
  static let profile = "[board]\nname = P\nfamily = metawear\n[match]\nname = MetaWear\nmin_rssi = -80\n[identity]\nmodel_number = 6\n"

  /// A controller of a rescue whose boards wait 30 s, over this store.
  static func controller(_ store: MemoryStore, job: JobKind = .rescue) throws -> StationController {
    let bench = StationBench()
    bench.profiles = [profile + "[rescue]\nstranded_after = 30s\n"]
    bench.job = job
    return try bench.controller(store: store)
  }

  static func sighting(_ verdict: Admission.Verdict = .bootloader(profile: 0), board: BluetoothAddress = board) -> SightingBook.Sighting {
    SightingBook.Sighting(board: board, addressType: .random, verdict: verdict, name: "MetaBoot", rssi: -50, adapter: AdapterName(usbPath: "1-1"))
  }

  static func attempt(_ leftAs: LeftAs, station: String = "S1", mac: BluetoothAddress = board, dfu: BluetoothAddress? = nil) -> AttemptRecord {
    var record = AttemptRecord(
      batchID: 1, stationID: station, profile: "P", job: .update, mac: mac, addressType: .random, attempt: 1, startedAt: 0, toolVersion: "t")
    record.leftAs = leftAs
    record.dfuMAC = dfu
    record.lot = "L9"
    record.workOrder = "W9"
    return record
  }

  /// Heard every second for so long.
  static func hear(_ controller: StationController, seconds: Int, _ board: BluetoothAddress = board) async {
    for _ in 0...seconds {
      await controller.followBootloader(board, .bootloader(profile: 0))
      await controller.listen(for: .seconds(1))
    }
  }

  @Test func aBoardWaitsItsTime() async throws {
    let controller = try Self.controller(MemoryStore())
    await Self.hear(controller, seconds: 20)
    #expect(await !controller.isStranded(Self.sighting()))
    await Self.hear(controller, seconds: 20)
    #expect(await controller.isStranded(Self.sighting()))
    // Another station sent it home, or it went by itself.
    await controller.followBootloader(Self.board, .application(profile: 0))
    #expect(await !controller.isStranded(Self.sighting()))
    await Self.hear(controller, seconds: 20)
    #expect(await !controller.isStranded(Self.sighting()))
  }

  @Test func aLineJobWaitsForNoBoard() async throws {
    #expect(try await Self.controller(MemoryStore(), job: .update).isStranded(Self.sighting(.application(profile: 0))))
  }

  struct Lot: Sendable {
    var lot: String?
    var workOrder: String?
    var hasHistory = true
    var recorded: [String?]
  }

  @Test(
    "Without --lot a board keeps lot and work order of its last attempt; what is given counts",
    arguments: [
      Lot(lot: nil, workOrder: nil, recorded: ["L9", "W9"]), Lot(lot: nil, workOrder: "W2", recorded: ["L9", "W2"]),
      Lot(lot: "L2", workOrder: nil, recorded: ["L2", nil]), Lot(lot: "L2", workOrder: "W2", recorded: ["L2", "W2"]),
      Lot(lot: nil, workOrder: nil, hasHistory: false, recorded: [nil, nil]),
    ])
  func lots(_ row: Lot) async throws {
    for job in [JobKind.rescue, .update] {
      let bench = StationBench(adapters: 1)
      (bench.profiles, bench.job, bench.lot, bench.workOrder) = ([Self.profile], job, row.lot, row.workOrder)
      if row.hasHistory { _ = try await bench.store.finish(Self.attempt(.bootloader)) }
      let controller = try bench.controller()
      let handle = LineCentral.handle(0)
      let adapter = LineAdapter(
        hardware: AdapterHardware(hciIndex: 0, usbPath: "1-1", vendorID: 0x0A12, productID: 1), label: "1-1", handle: handle, usability: .usable)
      _ = try await bench.pump.finish(bench.pump.start { await controller.attempt(Self.sighting(), on: adapter, handle) }, within: .seconds(60))
      let record = try #require(bench.store.finished.last)
      // A line job has its own lot, or none.
      #expect([record.lot, record.workOrder] == (job == .rescue ? row.recorded : [row.lot, row.workOrder]))
    }
  }

  @Test("A board that a crashed attempt of this batch had flashed is read back although it runs its application by now; others are left alone")
  func takesBack() async throws {
    let bench = StationBench()
    bench.profiles = ["[board]\nname = P\nfamily = metawear\n[match]\nname_prefix = Line\nmin_rssi = -80\n[identity]\nmodel_number = 6\n"]
    bench.job = .rescue
    let crashed = bench.add(1)
    let untouched = bench.add(2)
    bench.add(3)
    var earlier: [AttemptRecord] = []
    for (board, leftAs) in [(crashed, LeftAs.unknown), (untouched, .untouched)] {
      var record = Self.attempt(leftAs, mac: board.address)
      (record.outcome, record.failureCode, record.job) = (.aborted, .stationCrashed, .rescue)
      earlier.append(record)
    }
    bench.store.setEarlier(earlier)
    _ = try await bench.run()
    #expect(bench.store.finished.map(\.mac) == [crashed.address])
  }

  struct Row: Sendable {
    var attempt: AttemptRecord
    var isExempt: Bool
  }

  @Test(
    "Only a board that this station itself left in its bootloader, or nobody knows where, need not wait",
    arguments: [
      Row(attempt: attempt(.bootloader), isExempt: true), Row(attempt: attempt(.unknown), isExempt: true),
      Row(attempt: attempt(.application), isExempt: false), Row(attempt: attempt(.untouched), isExempt: false),
      Row(attempt: attempt(.unconfirmed), isExempt: false), Row(attempt: attempt(.bootloader, station: "S2"), isExempt: false),
      Row(attempt: attempt(.bootloader, mac: BluetoothAddress(bits: 0xC0DE_0000_0009)), isExempt: false),
      // It was met under its application's address.
      Row(attempt: attempt(.bootloader, mac: BluetoothAddress(bits: 0xC0DE_0000_0000), dfu: board), isExempt: true),
    ])
  func detachedBoards(_ row: Row) async throws {
    let store = MemoryStore()
    _ = try await store.finish(row.attempt)
    let controller = try Self.controller(store)
    await Self.hear(controller, seconds: 0)
    #expect(await controller.isStranded(Self.sighting()) == row.isExempt)
  }

  @Test("A board's history is read once, however often it is heard, and again when it was forgotten for the others")
  func historyIsBounded() async throws {
    let controller = try Self.controller(MemoryStore())
    for number in 0..<(StationController.memoryLimit + 10) {
      await controller.followBootloader(BluetoothAddress(bits: UInt64(number)), .bootloader(profile: 0))
    }
    #expect(await controller.historyRead.count <= StationController.memoryLimit)
  }
}
