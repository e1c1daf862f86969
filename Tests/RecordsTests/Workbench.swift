import Bluetooth
import Flashing
import Foundation
import Synchronization
import Testing

@testable import Records

/// A folder of its own for one test, removed with it.
final class Workbench: Sendable {
  let folder: String
  var database: String { folder + "/station.db" }
  var reports: String { folder + "/reports" }

  init() throws {
    folder = NSTemporaryDirectory() + "records-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    _ = chmod(reports, 0o755)
    try? FileManager.default.removeItem(atPath: folder)
  }

  func place(_ timeZone: String = "Europe/Berlin") throws -> RecordPlace {
    RecordPlace(database: database, reports: reports, calendar: try #require(LocalCalendar(timeZone: timeZone)))
  }

  func open(clock: HandClock = HandClock()) async throws -> RecordBook {
    try await RecordBook.open(place(), time: Timekeeper(clock, wall: { Sample.morning }))
  }

  /// A second connection for what a user with the `sqlite3` shell would do.
  func shell(_ sql: String) throws {
    try Database(database, .readWrite).execute(sql)
  }

  func query(_ sql: String) throws -> [[ResultCell]] {
    var rows: [[ResultCell]] = []
    try Database(database, .readWrite).rows(sql) { row in
      rows.append(row)
      return .goOn
    }
    return rows
  }

  func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }
}

/// A clock that a test turns by hand; who sleeps is woken when the hand passes his time.
final class HandClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [(until: Instant, wake: CheckedContinuation<Void, Never>)] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await withCheckedContinuation { continuation in
      let watchers = state.withLock { state in
        state.sleepers.append((deadline, continuation))
        defer { state.watchers = [] }
        return state.watchers
      }
      for watcher in watchers { watcher.resume() }
    }
    try Task.checkCancellation()
  }

  /// Returns when somebody sleeps.
  func untilSomebodySleeps() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        guard state.sleepers.isEmpty else { return true }
        state.watchers.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func turn(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.until <= now }
      state.sleepers.removeAll { $0.until <= now }
      return due
    }
    for sleeper in due { sleeper.wake.resume() }
  }
}

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
