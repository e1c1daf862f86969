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
