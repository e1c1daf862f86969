import Bluetooth
import Flashing
import Testing

@testable import Station

extension StationController {
  /// Time passes in which an adapter listens.
  fileprivate func listen(for duration: Duration) { listened += duration }
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
