import Bluetooth
import LineFixture
import Testing

@testable import Flashing
@testable import VirtualLine

/// That a board which is dead after its update never passes for a neighbour of its lot that runs the wanted version: without serial numbers only the addresses
/// tell them apart.
@Suite("Rescue: neighbours without serial numbers")
struct RescueNeighbourTests {
  /// Runs the version that `RescueSecureTests.shelf` is taken for.
  static func running(at address: BluetoothAddress) -> DFUBoard {
    RescueBoard.virtual(at: address, serial: "", kind: .secure) {
      $0.start = .application
      $0.application = "0.0.0"
    }
  }

  @Test("A stranded board never returns, and a neighbour is heard where its application might be", arguments: [false, true])
  func below(_ mayReturnBelow: Bool) async throws {
    let neighbour = Self.running(at: RescueBench.address.applicationNeighbour)
    let bench = try RescueBench(
      [BoardFault(.neverReturn)], kind: .secure, shelf: RescueSecureTests.shelf(), others: [neighbour], serial: ""
    ) { $0.address = .same }
    bench.mayReturnBelow = mayReturnBelow
    let record = try await bench.run()
    // Where nobody was heard there before, the board itself may be: that it is another cannot be known then.
    #expect(record.outcome == (mayReturnBelow ? .passed : .timeout), "\(record.failureMessage ?? "")")
    #expect(bench.central.boards[1].board.connections == (mayReturnBelow ? 1 : 0))
  }

  @Test("A running board is dead after its jump, and the application of a neighbour has its bootloader's address")
  func above() async throws {
    let neighbour = Self.running(at: RescueBench.address.bootloaderNeighbour)
    let bench = try RescueBench(
      [BoardFault(.neverReturn)], kind: .secure, shelf: RescueSecureTests.shelf(), others: [neighbour], enters: true, serial: ""
    ) {
      $0.start = .application
      $0.application = "1.0.0"
    }
    bench.order.allowsDowngrade = true
    let record = try await bench.run()
    #expect(record.outcome == .timeout, "\(record.failureMessage ?? "")")
    #expect(record.failureCode == .verifyNeverReturned)
    let other = bench.central.boards[1].board
    #expect(other.jumps == 0 && other.writes == 0)
  }
}
