import Flashing

/// How an attempt is closed that a crash left open (contract §2): a pure function of its row and its noted phases.
enum CrashClosing {
  /// - Parameters:
  ///   - phases: the phases that were noted, oldest first.
  ///   - wall: the time of closing, which becomes `finished_at` (record numbers and times then have the same order).
  static func close(_ attempt: AttemptRecord, phases: [(phase: Phase, at: Int64)], at wall: Int64) -> AttemptRecord {
    var closed = attempt
    closed.outcome = .aborted
    closed.good = false
    closed.isFinal = false
    closed.failureCode = .stationCrashed
    closed.failurePhase = phases.last?.phase
    closed.failureMessage =
      "the station stopped in the middle of this attempt" + (phases.last.map { ", in phase \($0.phase.rawValue)" } ?? "")
      + ": start the same job again, it looks at the board first"
    closed.finishedAt = wall
    // The monotonic clock is gone with the process. The time up to the last sign of life is known; how long the station was off says nothing
    // about the board. A wall clock that was set back makes 0, never less.
    closed.duration = Double(max(0, (phases.last?.at ?? attempt.startedAt) - attempt.startedAt)) / 1000
    // Once something may have been written, nobody knows what the board runs; a later reconnect does not undo it.
    if phases.contains(where: { $0.phase.mayHaveWritten }) { closed.leftAs = .unknown }
    return closed
  }
}

extension Phase {
  /// Upload and everything after it.
  fileprivate var mayHaveWritten: Bool {
    switch self {
    case .discover, .connect, .identify, .prepare: false
    case .upload, .test, .reset, .reconnect, .confirm, .verify, .detach, .rescue: true
    }
  }
}
