import Bluetooth
import Flashing
import Locks
import Station
import Synchronization

/// Records in memory, with the failures that a disk has.
final class MemoryStore: RecordStore {
  private struct State {
    var begun: [AttemptRecord] = []
    var finished: [AttemptRecord] = []
    var phases: [(Int64, Phase)] = []
    var ended: (reason: EndReason, missing: [String])?
    var earlier: [AttemptRecord] = []
    var failures: [BluetoothAddress: Int] = [:]
    var key: BatchKey?
    var failsOpening = false
    var commitsBeforeFailure: Int?
    var failsReading = false
    var failsEnding = false
  }

  private let state = Locked(State())

  var begun: [AttemptRecord] { state.withLock { $0.begun } }
  var finished: [AttemptRecord] { state.withLock { $0.finished } }
  var ended: (reason: EndReason, missing: [String])? { state.withLock { $0.ended } }
  var key: BatchKey? { state.withLock { $0.key } }
  func phases(of attempt: Int64) -> [Phase] { state.withLock { $0.phases.filter { $0.0 == attempt }.map(\.1) } }

  func failOpening() { state.withLock { $0.failsOpening = true } }
  func failReading() { state.withLock { $0.failsReading = true } }
  func failEnding() { state.withLock { $0.failsEnding = true } }
  /// The disk is full after so many commits.
  func failCommits(after count: Int) { state.withLock { $0.commitsBeforeFailure = count } }
  func setFailures(_ count: Int, of board: BluetoothAddress) { state.withLock { $0.failures[board] = count } }
  /// The unfinished batch that goes on.
  func setEarlier(_ attempts: [AttemptRecord]) { state.withLock { $0.earlier = attempts } }

  func openBatch(_ key: BatchKey, stationID: String, operator: String?, startNew: Bool, at wall: Int64) async throws(RecordError) -> OpenedBatch {
    let opened: OpenedBatch? = state.withLock { state in
      guard !state.failsOpening else { return nil }
      state.key = key
      state.ended = nil
      return OpenedBatch(id: 7, isContinued: !state.earlier.isEmpty, attempts: state.earlier)
    }
    guard let opened else { throw .busy("another job runs") }
    return opened
  }

  func begin(_ attempt: AttemptRecord) async throws(RecordError) -> AttemptRecord {
    state.withLock { state in
      var attempt = attempt
      attempt.attemptID = Int64(state.begun.count + 1)
      state.begun.append(attempt)
      return attempt
    }
  }

  func enter(_ phase: Phase, attemptID: Int64, at wall: Int64) async throws(RecordError) {
    state.withLock { $0.phases.append((attemptID, phase)) }
  }

  func finish(_ attempt: AttemptRecord) async throws(RecordError) -> AttemptRecord {
    let finished: AttemptRecord? = state.withLock { state in
      if let left = state.commitsBeforeFailure, state.finished.count >= left { return nil }
      var attempt = attempt
      attempt.record = Int64(state.finished.count + 1)
      attempt.reportDay = "2026-11-30"
      state.finished.append(attempt)
      return attempt
    }
    guard let finished else { throw .notWritable("database or disk is full") }
    return finished
  }

  func failuresInARow(_ mac: BluetoothAddress) async throws(RecordError) -> Int {
    if state.withLock({ $0.failsReading }) { throw .notWritable("disk I/O error") }
    return state.withLock { $0.failures[mac] ?? 0 }
  }

  func lastAttempt(at board: BluetoothAddress) async throws(RecordError) -> AttemptRecord? {
    state.withLock { $0.finished.last { $0.mac == board || $0.dfuMAC == board } }
  }

  func addresses(withSerial serial: String) async throws(RecordError) -> [BluetoothAddress] {
    state.withLock { $0.finished.filter { $0.serialNumber == serial && $0.failureCode != .identitySerialTwice }.map(\.mac) }
  }

  func endBatch(_ id: Int64, reason: EndReason, missing: [String], at wall: Int64) async throws(RecordError) -> String {
    if state.withLock({ $0.failsEnding }) { throw .notWritable("database or disk is full") }
    state.withLock { $0.ended = (reason, missing) }
    return "00ff"
  }
}

/// Everything the station told, with its time.
final class MemoryEvents: EventSink {
  private let state = Locked<[(time: Int64, event: StationEvent)]>([])

  var all: [(time: Int64, event: StationEvent)] { state.withLock { $0 } }
  var names: [String] { all.map(\.event.name) }
  func count(_ name: String) -> Int { names.count { $0 == name } }

  func emit(_ event: StationEvent, at time: Int64) { state.withLock { $0.append((time, event)) } }

  /// The done boards with their last results.
  var done: [AttemptRecord] {
    all.compactMap { if case .boardDone(let record) = $0.event { record } else { nil } }
  }

  var faults: [FailureCode] {
    all.compactMap { if case .stationFault(let code, _, _) = $0.event { code } else { nil } }
  }

  var end: StationEvent.BatchEnd? {
    all.lazy.compactMap { if case .batchFinished(let end) = $0.event { end } else { nil } }.first
  }
}
