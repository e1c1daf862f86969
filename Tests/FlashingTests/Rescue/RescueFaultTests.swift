import Bluetooth
import NordicDFU
import Testing

@testable import Flashing
@testable import VirtualLine

/// The fault list of facts/nordic-dfu.md §9.4 on virtual boards, a row or more for each fault in its order: the outcome of the job, its code, and how many
/// attempts and recoveries it took. Then what the list does not name and users have met (§2, §5 to §7).
@Suite("Rescue: faults")
struct RescueFaultTests {
  typealias Row = RescueFaultRow

  static let legacy: [Row] = [
    Row("nothing wrong", [], .passed),
    Row("erase takes 20 s", [.slow(.slowErase, 20_000)], .passed),
    Row("init rejected 10 02 06", [BoardFault(.refuseInit)], .failed, .dfuRejected, leftAs: .bootloader),
    Row("receipt missing", [BoardFault(.loseReceipt, count: 3)], .passed, retries: 1),
    Row("receipts missing always", [BoardFault(.loseReceipt, times: 0)], .timeout, .dfuStalled, attempts: 3, retries: 3, leftAs: .bootloader),
    Row("receipt with a wrong count", [BoardFault(.wrongReceipt, count: 3)], .passed, retries: 1),
    Row("receipts with a wrong count always", [BoardFault(.wrongReceipt, times: 0)], .failed, .dfuBytesLost, attempts: 3, retries: 3, leftAs: .bootloader),
    Row("receipt late by 2 s", [.slow(.delayReceipt, 2000, count: 3)], .passed),
    Row("10 03 06 at a packet", [BoardFault(.failData, offset: 500)], .passed, retries: 1),
    Row("10 03 02 flood", [BoardFault(.loseState, offset: 500)], .passed, retries: 1),
    // One recovery for the link, one for what the bootloader still remembers.
    Row("link drop at 1 %", [BoardFault(.dropLink, offset: 20)], .passed, retries: 2),
    Row("link drop at 50 %", [BoardFault(.dropLink, offset: 1000)], .passed, retries: 2),
    Row("link drop after 05, before the write response", [BoardFault(.activateUnanswered)], .passed),
    Row("start answers 2 once", [BoardFault(.refuseStart)], .passed, retries: 1),
    Row("CRC error on validate once", [BoardFault(.checksumError)], .passed, retries: 1),
    Row("CRC error on validate always", [BoardFault(.checksumError, times: 0)], .failed, .dfuNotValid, attempts: 3, retries: 1, leftAs: .bootloader),
    Row("accepted, comes back as bootloader once", [BoardFault(.backInBootloader)], .passed, attempts: 2),
    Row(
      "accepted, comes back as bootloader always", [BoardFault(.backInBootloader, times: 0)], .failed, .verifyStillBootloader, attempts: 3,
      leftAs: .bootloader),
    Row(
      "accepted, comes back as bootloader after 50 s", [.slow(.backInBootloader, 50_000, times: 0)], .failed, .verifyStillBootloader, attempts: 3,
      leftAs: .bootloader),
    Row("address + 1 after the reset", [BoardFault(.otherAddress)], .passed),
    Row("same address, other GATT at the same handles", [], .passed, enters: true) { _ in
    } prepare: {
      $0.central.remember(.untilForgotten)
    },
    Row("the same, and the stack does not forget at once", [], .passed, retries: 1, enters: true) { _ in
    } prepare: {
      $0.central.remember(.stubborn)
    },
    Row(
      "two boards with the same name", [], .passed,
      others: [RescueBoard.virtual(at: BluetoothAddress(bits: 0xC0DE_0000_0101), serial: "SN2")]),
    // Such a bootloader is older than the init packet of the package (§2.2); the one that calls itself 0.1 is an application.
    Row("version absent", [], .refused, .policyWrongPackage, leftAs: .untouched) { $0.dfuVersion = nil },
    Row("version 0.1", [], .refused, .policyNotStranded, leftAs: .untouched) { $0.dfuVersion = "0.1" },
    Row("version 0.5", [], .passed) { $0.dfuVersion = "0.5" },
    Row("version 0.8", [], .passed) { $0.dfuVersion = "0.8" },
    Row("extra DIS service", [], .passed, kind: .legacy) { $0.information = true },
    Row("no DIS service", [], .passed, kind: .legacy) { $0.information = false },
    // Its sockets go with the services: as a lost link.
    Row("Service Changed 500 ms after connect", [.slow(.serviceChanged, 500), .slow(.slowErase, 1000)], .passed, retries: 2),
    Row("notification before write response", [BoardFault(.notifyFirst, times: 0)], .passed),
  ]

  static let secure: [Row] = [
    Row("nothing wrong", [], .passed, kind: .secure, firmware: .threeObjects),
    Row("CRC mismatch on object 3 once", [BoardFault(.spoilObject, count: 3)], .passed, kind: .secure, firmware: .threeObjects),
    Row(
      "CRC mismatch on object 3 always", [BoardFault(.spoilObject, count: 3, times: 0)], .failed, .dfuBytesLost, attempts: 3, retries: 3,
      leftAs: .bootloader, kind: .secure, firmware: .threeObjects),
    Row(
      "link drop at 50 %, resume offset with good CRC", [BoardFault(.dropLink, offset: 5000)], .passed, retries: 1, kind: .secure, firmware: .threeObjects,
      resumed: 4096...5000),
    Row(
      "resume offset with bad CRC", [BoardFault(.dropLink, offset: 5000), BoardFault(.wrongResume, count: 2)], .passed, retries: 1, kind: .secure,
      firmware: .threeObjects),
    Row(
      "8 on execute of what was executed", [BoardFault(.silent, count: 3, command: 1)], .passed, retries: 1, kind: .secure, firmware: .threeObjects,
      resumed: 4096...4096),
    Row(
      "the same from a bootloader that says yes to it", [BoardFault(.silent, count: 3, command: 1)], .passed, retries: 1, kind: .secure,
      firmware: .threeObjects,
      resumed: 4096...4096
    ) { $0.refusesSecondExecute = false },
    Row("0B 07", [.coded(.refuseInit, 7)], .failed, .dfuRejected, leftAs: .bootloader, kind: .secure),
    Row("0B 05: fw_version too low", [], .failed, .dfuRejected, leftAs: .bootloader, kind: .secure, firmware: .older),
    Row("0B 0C once", [BoardFault(.checksumError)], .passed, retries: 1, kind: .secure),
    Row("0B 0C always", [BoardFault(.checksumError, times: 0)], .failed, .dfuNotValid, attempts: 3, retries: 1, leftAs: .bootloader, kind: .secure),
    Row("0B 0D", [.coded(.refuse, 0x0B0D, command: 4)], .failed, .dfuTooLarge, leftAs: .bootloader, kind: .secure),
    Row("stray 60 03", [BoardFault(.strayAnswer, times: 0)], .passed, kind: .secure, firmware: .threeObjects),
    Row("link drop after the last execute, before its response", [BoardFault(.activateUnanswered)], .passed, kind: .secure),
    Row("notification before write response", [BoardFault(.notifyFirst, times: 0)], .passed, kind: .secure, firmware: .threeObjects),
    Row(
      "accepted, comes back as bootloader always", [BoardFault(.backInBootloader, times: 0)], .failed, .verifyStillBootloader, attempts: 3,
      leftAs: .bootloader, kind: .secure),
    // Progress in RAM outlives a lost link, and only progress in flash a reset (§3.5).
    Row(
      "link drop at 50 %, progress in flash", [BoardFault(.dropLink, offset: 5000)], .passed, retries: 1, kind: .secure, firmware: .threeObjects,
      resumed: 4096...5000
    ) { $0.keepsProgress = true },
    Row("reset at 50 %, progress in RAM", [BoardFault(.powerCut, offset: 5000)], .passed, retries: 1, kind: .secure, firmware: .threeObjects),
    Row(
      "reset at 50 %, progress in flash", [BoardFault(.powerCut, offset: 5000)], .passed, retries: 1, kind: .secure, firmware: .threeObjects,
      resumed: 4096...5000
    ) { $0.keepsProgress = true },
  ]

  static let met: [Row] = [
    Row("erase takes nearly 60 s", [.slow(.slowErase, 59_500)], .passed),
    Row("erase takes longer than anybody waits", [.slow(.slowErase, 65_000, times: 0)], .timeout, .dfuNoAnswer, attempts: 3, retries: 3, leftAs: .bootloader),
    Row("buffers overflow always", [BoardFault(.failData, offset: 500, times: 0)], .failed, .dfuError, attempts: 3, retries: 3, leftAs: .bootloader),
    Row("start answers 2 always", [BoardFault(.refuseStart, times: 0)], .failed, .dfuError, attempts: 3, retries: 1, leftAs: .bootloader),
    // Four links lost, and in between three resets of what the bootloader remembers: the reason is the link.
    Row("link drop always", [BoardFault(.dropLink, offset: 500, times: 0)], .failed, .linkLost, attempts: 3, retries: 6, leftAs: .bootloader),
    Row("link drop at the first packet always", [BoardFault(.dropLink, offset: 0, times: 0)], .failed, .linkLost, attempts: 3, retries: 6, leftAs: .bootloader),
    Row("power drops always", [BoardFault(.powerCut, offset: 500, times: 0)], .failed, .linkLost, attempts: 3, retries: 3, leftAs: .bootloader),
    Row(
      "a link drops once, and the bootloader remembers it for ever", [BoardFault(.dropLink, offset: 500), BoardFault(.refuseStart, count: 2, times: 0)],
      .failed, .dfuError, attempts: 3, retries: 3, leftAs: .bootloader),
    Row("never returns", [BoardFault(.neverReturn)], .timeout, .verifyNeverReturned, leftAs: .unknown),
    Row("a connection fails", [BoardFault(.refuseConnect)], .passed, retries: 1),
    Row("an application's jump over Legacy DFU", [], .passed, kind: .legacy, enters: true),
    Row("ADV_DIRECT_IND after the jump", [], .passed, kind: .legacy, enters: true) { _ in
    } prepare: {
      $0.board.advertiseDirected()
    },
    Row("address + 1 after the jump", [], .passed, kind: .legacy, enters: true) { $0.address = .plusOne },
    Row("8EC90003: address + 1", [], .passed, kind: .secure, enters: true),
    Row("8EC90003 of an application that is paired", [], .passed, kind: .secure, enters: true) { _ in
    } prepare: {
      $0.order.pairing = .justWorks
    },
    Row("8EC90004: the bond opens the bootloader at the same address", [], .passed, kind: .secure, enters: true) {
      $0.sharesBond = true
    } prepare: {
      $0.order.pairing = .justWorks
    },
    Row(
      "8EC90004, link drop at 50 %", [BoardFault(.dropLink, offset: 1000)], .passed, retries: 1, kind: .secure, enters: true, resumed: 1...1000
    ) {
      $0.sharesBond = true
    } prepare: {
      $0.order.pairing = .justWorks
    },
    Row(
      "8EC90004, comes back as bootloader once: the second attempt still has the bond", [BoardFault(.backInBootloader)], .passed, attempts: 2, kind: .secure,
      enters: true
    ) {
      $0.sharesBond = true
    } prepare: {
      $0.order.pairing = .justWorks
    },
    Row("8EC90004 without pairing in the profile", [], .failed, .linkNotPermitted, leftAs: .untouched, kind: .secure, enters: true) { $0.sharesBond = true },
  ]

  @Test("§9.4, Legacy DFU", arguments: legacy)
  func legacyFaults(_ row: Row) async throws { try await row.check() }

  @Test("§9.4, Secure DFU", arguments: secure)
  func secureFaults(_ row: Row) async throws { try await row.check() }

  @Test("What users have met beside the list", arguments: met)
  func otherFaults(_ row: Row) async throws { try await row.check() }

  @Test("A board that was sent back to its bootloader by the image is never passed, whenever it comes back", arguments: [0, 20_000, 50_000, 80_000])
  func neverPassed(_ milliseconds: Int) async throws {
    for kind in [BoardKind.metawear, .legacy, .secure] {
      try await Row(
        "back after \(milliseconds) ms", [.slow(.backInBootloader, milliseconds, times: 0)], .failed, .verifyStillBootloader, attempts: 3, leftAs: .bootloader,
        kind: kind
      ).check()
    }
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

  @Test(
    "A transfer that broke off is begun again with half the receipt interval, down to 1",
    arguments: [
      ([BoardFault(.dropLink, offset: 1000), BoardFault(.dropLink, offset: 1200)], [8, 4, 2]),
      ([BoardFault(.failData, offset: 500), BoardFault(.failData, offset: 700)], [8, 4, 2]),
      ([BoardFault(.failData, offset: 500), BoardFault(.failData, offset: 700), BoardFault(.failData, offset: 900)], [8, 4, 2, 1]),
      ([BoardFault(.checksumError)], [8, 8]),
    ] as [([BoardFault], [UInt8])])
  func receipts(_ faults: [BoardFault], _ intervals: [UInt8]) async throws {
    let bench = try RescueBench(faults)
    let record = try await bench.run()
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.receipts == intervals)
  }

  @Test("The extended error of a Secure bootloader is named to the operator")
  func named() async throws {
    for (code, words) in [(5, "the board has a newer one"), (6, "another hardware version"), (7, "another SoftDevice"), (8, "not signed")] {
      let bench = try RescueBench([.coded(.refuseInit, code)], kind: .secure, shelf: SecureFirmware.shelf(2000))
      let record = try await bench.run()
      #expect(record.failureMessage?.contains(words) == true, "\(record.failureMessage ?? "")")
    }
  }
}
