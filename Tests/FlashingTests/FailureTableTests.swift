import Bluetooth
import Flashing
import Testing

/// The failure table and what follows from it.
struct FailureTableTests {
  @Test("Every code has a row whose outcome fits its family (contract §4)", arguments: FailureCode.allCases)
  func families(_ code: FailureCode) {
    let rule = FailureRule.of(code)
    let family = String(code.rawValue.prefix { $0 != "." })
    let allowed: Set<Outcome> =
      switch family {
      case "identity", "policy": [.refused]
      case "link", "smp", "dfu", "image", "verify": [.failed, .timeout]
      case "board": [.timeout]
      case "adapter", "bus", "disk": [.error]
      case "station": [.error, .aborted]
      default: [.aborted]
      }
    #expect(allowed.contains(rule.outcome))
    #expect(rule.remedy.hasSuffix("."))
    #expect((rule.blames == .board) == (rule.outcome == .failed || rule.outcome == .timeout))
    #expect((rule.blames == .station) == (rule.outcome == .error))
    if rule.outcome == .refused { #expect(!rule.isRetried) }
  }

  @Test("Codes are dotted words, each once")
  func vocabulary() {
    let words = FailureCode.allCases.map(\.rawValue)
    #expect(Set(words).count == words.count)
    #expect(words.allSatisfy { $0.split(separator: ".").count == 2 && $0.allSatisfy { $0.isLowercase || $0 == "." || $0 == "_" } })
  }

  @Test("What follows a rescue's failures: the board's own words are not asked for on another adapter")
  func rescues() throws {
    let rows: [(FailureCode, Outcome, NextMove)] = [
      (.dfuNoService, .failed, .again(elsewhere: false)), (.dfuUnidentified, .failed, .again(elsewhere: false)),
      (.dfuNotEntered, .failed, .again(elsewhere: false)), (.dfuNoAnswer, .timeout, .again(elsewhere: true)),
      (.dfuStalled, .timeout, .again(elsewhere: true)), (.dfuBytesLost, .failed, .again(elsewhere: true)), (.dfuRejected, .failed, .done),
      (.dfuTooLarge, .failed, .done), (.dfuNotValid, .failed, .again(elsewhere: false)), (.dfuError, .failed, .again(elsewhere: false)),
      (.policyNotStranded, .refused, .done), (.policyWrongPackage, .refused, .done), (.policyNoFirmware, .refused, .done),
      (.policyBootloader, .refused, .done), (.verifyStillBootloader, .failed, .again(elsewhere: false)),
      (.verifyBootloaderUnchanged, .failed, .again(elsewhere: false)), (.verifyNeverReturned, .timeout, .again(elsewhere: true)),
      (.verifyOtherBoard, .failed, .done),
    ]
    let address = try #require(BluetoothAddress("C0:DE:00:00:00:01"))
    var record = AttemptRecord(
      batchID: 1, stationID: "s", profile: "p", job: .rescue, mac: address, addressType: .random, attempt: 1, startedAt: 0, toolVersion: "t")
    for (code, outcome, move) in rows {
      (record.outcome, record.failureCode) = (FailureRule.of(code).outcome, code)
      #expect(record.outcome == outcome, "\(code)")
      let limits = AttemptLimits(attempts: 3, stationRetries: 2)
      #expect(FailurePolicy.decide(record, judged: 1, faults: 0, limits: limits) == move, "\(code)")
      #expect(FailurePolicy.decide(record, judged: 3, faults: 0, limits: limits) == .done, "\(code)")
    }
    let dfu = FailureCode.allCases.filter { $0.rawValue.hasPrefix("dfu.") }
    #expect(Set(dfu).isSubset(of: rows.map(\.0)), "a code without a row")
  }

  struct Row: Sendable {
    var code: FailureCode?
    var outcome: Outcome
    var judged: Int
    var faults: Int
    var move: NextMove
  }

  @Test(
    "What follows an attempt, with attempts 3 and station_retries 2",
    arguments: [
      Row(code: nil, outcome: .passed, judged: 1, faults: 0, move: .done),
      Row(code: nil, outcome: .skipped, judged: 0, faults: 0, move: .done),
      Row(code: .identityModel, outcome: .refused, judged: 0, faults: 0, move: .done),
      Row(code: .linkLost, outcome: .failed, judged: 1, faults: 0, move: .again(elsewhere: true)),
      Row(code: .linkLost, outcome: .failed, judged: 2, faults: 0, move: .again(elsewhere: true)),
      Row(code: .linkLost, outcome: .failed, judged: 3, faults: 0, move: .done),
      Row(code: .verifyReverted, outcome: .failed, judged: 1, faults: 0, move: .again(elsewhere: false)),
      Row(code: .imageTooLarge, outcome: .failed, judged: 1, faults: 0, move: .done),
      Row(code: .adapterRemoved, outcome: .error, judged: 0, faults: 1, move: .again(elsewhere: true)),
      Row(code: .adapterRemoved, outcome: .error, judged: 0, faults: 2, move: .again(elsewhere: true)),
      Row(code: .adapterRemoved, outcome: .error, judged: 0, faults: 3, move: .done),
      Row(code: .stationCrashed, outcome: .aborted, judged: 0, faults: 1, move: .again(elsewhere: false)),
      // A full disk says nothing about the board: when there is room again, the batch goes on with it.
      Row(code: .diskFailed, outcome: .error, judged: 0, faults: 1, move: .again(elsewhere: true)),
    ])
  func decide(_ row: Row) throws {
    let address = try #require(BluetoothAddress("C0:DE:00:00:00:01"))
    var record = AttemptRecord(
      batchID: 1, stationID: "s", profile: "p", job: .update, mac: address, addressType: .random, attempt: 1, startedAt: 0, toolVersion: "t")
    record.outcome = row.outcome
    record.failureCode = row.code
    let move = FailurePolicy.decide(record, judged: row.judged, faults: row.faults, limits: AttemptLimits(attempts: 3, stationRetries: 2))
    #expect(move == row.move)
  }
}
