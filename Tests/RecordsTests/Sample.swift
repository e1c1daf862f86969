import Bluetooth
import Flashing

@testable import Records

/// Values that tests start from.
enum Sample {
  /// 2026-11-30T08:00:00.000Z
  static let morning: Int64 = 1_796_025_600_000
  static let key = BatchKey(job: .update, profiles: ["demo"], packages: ["aa"], lot: "L1", workOrder: nil)

  static func board(_ number: Int) -> BluetoothAddress { BluetoothAddress(bits: 0xC0DE_0000_0000 + UInt64(number)) }

  static func attempt(_ batch: Int64, board number: Int, count: Int = 1, at start: Int64 = morning) -> AttemptRecord {
    var attempt = AttemptRecord(
      batchID: batch, stationID: "line-1", profile: "demo", job: .update, mac: board(number), addressType: .random, attempt: count, startedAt: start,
      toolVersion: "0.1.0")
    attempt.lot = "L1"
    attempt.imageHash = "ab12"
    return attempt
  }

  /// The attempt as it looks when the board was done `seconds` later.
  static func ended(_ attempt: AttemptRecord, _ outcome: Outcome, seconds: Double = 2, final: Bool = true) -> AttemptRecord {
    var ended = attempt
    ended.outcome = outcome
    ended.good = outcome == .passed || outcome == .skipped
    ended.finishedAt = attempt.startedAt + Int64(seconds * 1000)
    ended.duration = seconds
    ended.isFinal = final
    if outcome == .failed { ended.failureCode = .linkLost }
    if outcome == .timeout { ended.failureCode = .boardTimeout }
    return ended
  }
}

extension RecordBook {
  /// One whole attempt: begun and finished.
  @discardableResult
  func record(
    _ batch: Int64, board number: Int, _ outcome: Outcome, count: Int = 1, at start: Int64 = Sample.morning, final: Bool = true,
    change: (inout AttemptRecord) -> Void = { _ in }
  ) throws(RecordError) -> AttemptRecord {
    var attempt = Sample.attempt(batch, board: number, count: count, at: start)
    change(&attempt)
    return try finish(Sample.ended(begin(attempt), outcome, final: final))
  }

  func newBatch(_ key: BatchKey = Sample.key, startNew: Bool = true, at wall: Int64 = Sample.morning) throws(RecordError) -> OpenedBatch {
    try openBatch(key, stationID: "line-1", operator: "Ada", startNew: startNew, at: wall)
  }
}
