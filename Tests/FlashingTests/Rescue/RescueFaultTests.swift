import Bluetooth
import NordicDFU
import Testing

@testable import Flashing
@testable import VirtualLine

/// The fault list of facts/nordic-dfu.md §9.4 against one attempt: outcome, code, recoveries, and how the board is left.
@Suite("Rescue: faults")
struct RescueFaultTests {
  struct Row: Sendable, CustomStringConvertible {
    var what: String
    var faults: [BoardFault] = []
    var change: @Sendable (inout DFUSettings) -> Void = { _ in }
    var code: FailureCode?
    var retries = 0
    var leftAs = LeftAs.application
    var description: String { what }
  }

  static let rows = [
    Row(what: "nothing wrong"),
    Row(what: "erase takes 20 s", faults: [BoardFault(.slowErase).with { $0.milliseconds = 20_000 }]),
    Row(what: "init packet refused", faults: [BoardFault(.refuseInit)], code: .dfuRejected, leftAs: .bootloader),
    Row(what: "receipt missing", faults: [BoardFault(.loseReceipt, count: 3)], retries: 1),
    Row(what: "receipt with a wrong count", faults: [BoardFault(.wrongReceipt, count: 3)], retries: 1),
    Row(what: "receipt late by 2 s", faults: [BoardFault(.delayReceipt, count: 3).with { $0.milliseconds = 2000 }]),
    Row(what: "10 03 06 at a packet", faults: [BoardFault(.failData, offset: 500)], retries: 1),
    Row(what: "10 03 02 flood", faults: [BoardFault(.loseState, offset: 500)], retries: 1),
    Row(what: "link drop at 1 %", faults: [BoardFault(.dropLink, offset: 20)], retries: 2),
    Row(what: "link drop at 50 %", faults: [BoardFault(.dropLink, offset: 1000)], retries: 2),
    Row(what: "no response to activate", faults: [BoardFault(.activateUnanswered)]),
    Row(what: "start answers 2 once", faults: [BoardFault(.refuseStart)], retries: 1),
    Row(what: "checksum wrong once", faults: [BoardFault(.checksumError)], retries: 1),
    Row(
      what: "checksum wrong always", faults: [BoardFault(.checksumError, times: 0)], code: .dfuNotValid, retries: 1, leftAs: .bootloader),
    Row(what: "100 % but back in the bootloader", faults: [BoardFault(.backInBootloader, times: 0)], code: .verifyStillBootloader, leftAs: .bootloader),
    Row(
      what: "back in the bootloader after 20 s", faults: [BoardFault(.backInBootloader, times: 0).with { $0.milliseconds = 20_000 }],
      code: .verifyStillBootloader, leftAs: .bootloader),
    Row(what: "never returns", faults: [BoardFault(.neverReturn)], code: .verifyNeverReturned, leftAs: .unknown),
    Row(what: "address + 1 after the reset", faults: [BoardFault(.otherAddress)]),
    // Such a bootloader is older than the init packet of the package (§2.2); the one that calls itself 0.1 is an application.
    Row(what: "version absent", change: { $0.dfuVersion = nil }, code: .policyWrongPackage, leftAs: .untouched),
    Row(what: "version 0.1", change: { $0.dfuVersion = "0.1" }, code: .policyNotStranded, leftAs: .untouched),
    Row(what: "version 0.5", change: { $0.dfuVersion = "0.5" }),
    Row(what: "Service Changed 500 ms after connect", faults: [BoardFault(.serviceChanged).with { $0.milliseconds = 500 }]),
    Row(what: "notification before the write response", faults: [BoardFault(.notifyFirst, times: 0)]),
    Row(what: "a connection fails", faults: [BoardFault(.refuseConnect)], retries: 1),
  ]

  @Test(arguments: rows)
  func ends(_ row: Row) async throws {
    let bench = try RescueBench(row.faults, row.change)
    let record = try await bench.run()
    #expect(record.failureCode == row.code, "\(record.failureMessage ?? "")")
    #expect(record.outcome == (row.code.map { FailureRule.of($0).outcome } ?? .passed))
    #expect(record.good == (row.code == nil))
    #expect(record.retries == row.retries)
    #expect(record.leftAs == row.leftAs)
    #expect(bench.board.board.isUpdated == (row.code == nil))
    #expect(!bench.board.isConnected, "a link is left open")
    if row.code == nil {
      #expect(record.firmwareAfter == "1.4.5")
      #expect(record.verifiedBy == .version)
    }
  }

  @Test(
    "What goes wrong each time ends the attempt after a limited number of tries",
    arguments: [
      Row(what: "receipts", faults: [BoardFault(.loseReceipt, times: 0)], code: .dfuStalled, leftAs: .bootloader),
      Row(what: "buffers", faults: [BoardFault(.failData, offset: 500, times: 0)], code: .dfuError, leftAs: .bootloader),
      Row(what: "start", faults: [BoardFault(.refuseStart, times: 0)], code: .dfuError, leftAs: .bootloader),
    ])
  func limited(_ row: Row) async throws {
    let bench = try RescueBench(row.faults)
    let record = try await bench.run()
    #expect(record.failureCode == row.code, "\(record.failureMessage ?? "")")
    #expect(record.leftAs == row.leftAs)
    #expect(bench.board.starts > 1)
    #expect(record.retries <= 2 * DFUTries.gentlerLimit + DFUTries.againLimit)
    #expect(!bench.board.isConnected)
  }

  @Test("A bootloader without Device Information is never guessed at: nothing is written, and the board is tried again")
  func unidentified() async throws {
    let bench = try RescueBench { $0.information = false }
    let record = try await bench.run()
    // Without a maker the profile cannot be sure either.
    #expect(record.failureCode == .dfuUnidentified, "\(record.failureMessage ?? "")")
    #expect(record.outcome == .failed)
    #expect(record.leftAs == .untouched)
    #expect(FailureRule.of(.dfuUnidentified).isRetried)
    #expect(bench.board.board.writes == 0)
  }

  @Test("Another maker's DFU board is refused before a byte is written")
  func foreign() async throws {
    let bench = try RescueBench(manufacturer: "Somebody Else")
    let record = try await bench.run()
    #expect(record.outcome == .refused)
    #expect(record.failureCode == .identityManufacturer)
    #expect(record.leftAs == .untouched)
    #expect(bench.board.board.writes == 0)
  }

  @Test("A lost transfer is begun again with half the receipt interval, each time")
  func receipts() async throws {
    let faults = [BoardFault(.dropLink, offset: 1000), BoardFault(.dropLink, offset: 1200)]
    let bench = try RescueBench(faults)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(Array(Set(bench.board.receipts)).sorted(by: >) == [8, 4, 2])
  }
}
