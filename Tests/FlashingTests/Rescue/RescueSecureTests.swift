import Bluetooth
import Firmware
import FoundationEssentials
import Testing

@testable import Flashing
@testable import VirtualLine

/// Boards with Secure DFU under their two addresses, with a package of Nordic's own tool.
@Suite("Rescue: Secure DFU")
struct RescueSecureTests {
  /// A package of Nordic's tool (Tests/FirmwareTests/Fixtures/nordic/README.md). Its image says no version, so that the virtual board tells 0.0.0.
  static func shelf() throws -> PackageShelf {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return PackageShelf(
      try NordicPackage(path: tests.appending(path: "FirmwareTests/Fixtures/nordic/secure-app.zip").path), version: TestShelf.version("0.0.0"))
  }

  @Test("A board that was met at its bootloader's address is recorded under its application's, with the other beside it")
  func addresses() async throws {
    let bench = try RescueBench(kind: .secure, shelf: Self.shelf())
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.mac == RescueBench.address)
    #expect(record.dfuMAC == RescueBench.address.bootloaderNeighbour)
  }

  @Test("Bytes that came before the link was lost count once, also those that only the offset of the next link acknowledges", arguments: [4500, 5000, 9000])
  func uploadBytes(_ offset: Int) async throws {
    let bench = try RescueBench([BoardFault(.dropLink, offset: offset)], kind: .secure, shelf: SecureFirmware.shelf())
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries > 0)
    #expect(record.uploadBytes == SecureFirmware.length)
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
