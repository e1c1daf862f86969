import Flashing

/// What the ledger knows of one board in this batch.
struct BoardAccount: Sendable {
  enum State: Hashable, Sendable {
    case inHand
    /// For another attempt, since this time.
    case waiting(since: Duration)
    case done
  }

  /// A record apart from its account: a table of thousands of boards that grows moves pointers, not fifty columns each.
  private final class Kept: Sendable {
    let record: AttemptRecord
    init(_ record: AttemptRecord) { self.record = record }
  }

  var state: State {
    didSet { if state == .done { kept = nil } }
  }
  /// Attempts begun.
  var attempts = 0
  /// Attempts that count for yield.
  private(set) var judged = 0
  /// Attempts that ended `error` or `aborted`.
  private(set) var faults = 0
  private(set) var last: LastAttempt?
  private var kept: Kept?
  /// The last attempt with all its columns, while another one may follow; those of a board that is done are in the database only.
  var lastRecord: AttemptRecord? { kept?.record }
  /// An attempt wrote to the board, or may have.
  private(set) var wasWritten = false

  init(state: State) {
    self.state = state
  }

  /// Whether the board takes one of the `--count` boards: it is or may yet be written to, or it was, or it was judged.
  var takesPlace: Bool { state != .done || judged > 0 || wasWritten }

  var isWaiting: Bool {
    if case .waiting = state { return true }
    return false
  }

  mutating func add(_ record: AttemptRecord) {
    last = LastAttempt(record)
    kept = state == .done ? nil : Kept(record)
    guard let outcome = record.outcome else { return }
    if outcome.isJudged { judged += 1 }
    switch outcome {
    case .skipped, .refused: break
    case .error, .aborted:
      faults += 1
      noteWriting(record)
    case .passed, .failed, .timeout: noteWriting(record)
    }
  }

  private mutating func noteWriting(_ record: AttemptRecord) {
    if record.leftAs != .untouched || (record.uploadBytes ?? 0) > 0 { wasWritten = true }
  }
}
