import Bluetooth
import Firmware
import FoundationEssentials
import Testing

@testable import Flashing
@testable import VirtualLine

/// The Secure part of facts/nordic-dfu.md §9.4: objects, checksums and what is left of an earlier upload.
@Suite("Rescue: Secure DFU")
struct RescueSecureTests {
  /// A package of Nordic's tool (Tests/FirmwareTests/Fixtures/nordic/README.md). Its image says no version, so that the virtual board tells 0.0.0.
  static func shelf() throws -> PackageShelf {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return PackageShelf(
      try NordicPackage(path: tests.appending(path: "FirmwareTests/Fixtures/nordic/secure-app.zip").path), version: TestShelf.version("0.0.0"))
  }

  typealias Row = RescueFaultTests.Row

  @Test(arguments: [
    Row(what: "nothing wrong"),
    Row(what: "one object spoilt", faults: [BoardFault(.spoilObject, count: 1)]),
    Row(what: "link drop at 50 %", faults: [BoardFault(.dropLink, offset: 200)], retries: 1),
    Row(what: "init packet refused, 0B 07", faults: [BoardFault(.refuseInit)], code: .dfuRejected, leftAs: .bootloader),
    Row(what: "hash wrong, 0B 0C, always", faults: [BoardFault(.checksumError, times: 0)], code: .dfuNotValid, retries: 1, leftAs: .bootloader),
    Row(what: "no response to the last execute", faults: [BoardFault(.activateUnanswered)]),
    Row(what: "100 % but back in the bootloader", faults: [BoardFault(.backInBootloader, times: 0)], code: .verifyStillBootloader, leftAs: .bootloader),
    Row(what: "a bonded bootloader at the application's address", change: { $0.address = .same }),
  ])
  func ends(_ row: Row) async throws {
    let bench = try RescueBench(row.faults, kind: .secure, shelf: Self.shelf(), row.change)
    let record = try await bench.run()
    #expect(record.failureCode == row.code, "\(record.failureMessage ?? "")")
    #expect(record.retries == row.retries)
    #expect(record.leftAs == row.leftAs)
    #expect(bench.board.board.isUpdated == (row.code == nil))
    #expect(!bench.board.isConnected)
  }

  @Test("A board that was met at its bootloader's address is recorded under its application's, with the other beside it")
  func addresses() async throws {
    let bench = try RescueBench(kind: .secure, shelf: Self.shelf())
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.mac == RescueBench.address)
    #expect(record.dfuMAC == RescueBench.address.bootloaderNeighbour)
  }

  @Test("A running application is sent to its bootloader under a name of its own, and comes back")
  func buttonless() async throws {
    let bench = try RescueBench(kind: .secure, shelf: Self.shelf(), enters: true) {
      $0.start = .application
      $0.application = "0.0.0"
    }
    bench.order.allowsDowngrade = true
    #expect(try await bench.run().outcome == .skipped)
    let other = try RescueBench(kind: .secure, shelf: Self.shelf(), enters: true) {
      $0.start = .application
      $0.application = "1.0.0"
    }
    other.order.allowsDowngrade = true
    let record = try await other.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.firmwareBefore == "1.0.0")
    #expect(record.dfuMAC == RescueBench.address.bootloaderNeighbour)
    #expect(other.board.board.jumps == 1)
  }
}
