public import Bluetooth
public import Flashing

/// The rules of a batch as a value: who may start, what follows an attempt, when it is over, and the exit code (contract §§1, 2).
///
/// Time enters as durations since one arbitrary start. A finished attempt passes through twice: `verdict` before it is committed (the store
/// wants to know whether it is final), `finished` after.
public struct BatchLedger: Sendable {
  /// What follows an attempt.
  public enum Verdict: Hashable, Sendable {
    /// The board is tried again, not before `pause` is over; on another adapter, where one hears it.
    case again(pause: Duration, elsewhere: Bool)
    /// That was the board's final result in this batch.
    case done
  }

  /// Why nothing starts any more, although no bound was reached.
  enum Closing: Hashable, Sendable {
    /// The operator wants no new boards.
    case drained
    /// The operator stopped the job: boards in hand are given up.
    case stopped
    case sameFailures(FailureCode)
    case fault
  }

  let bounds: BatchBounds
  let limits: LedgerLimits
  private(set) var accounts: [BluetoothAddress: BoardAccount] = [:]
  private(set) var closing: Closing?
  /// When something last happened to a board.
  private(set) var lastActivity: Duration
  private var streak: (code: FailureCode, boards: Int)?

  /// - Parameter earlier: the attempts of a batch that goes on (`OpenedBatch.attempts`). They count, but a row of same failures begins anew:
  ///   somebody has looked at the line since.
  public init(bounds: BatchBounds, limits: LedgerLimits, earlier: [AttemptRecord] = [], now: Duration) {
    self.bounds = bounds
    self.limits = limits
    lastActivity = now
    for record in earlier {
      let board = record.admittedAs
      let decision = verdict(board, record, now: now)
      var account = accounts[board] ?? BoardAccount(state: .waiting(since: now))
      account.attempts = max(account.attempts + 1, record.attempt)
      account.add(record)
      if record.isFinal || decision == .done { account.state = .done }
      accounts[board] = account
    }
  }

  // MARK: Starting

  /// Whether a board may be claimed now.
  ///
  /// - Parameter refusal: the board is only claimed to record that it is refused, and nothing will be written to it.
  public func mayStart(_ board: BluetoothAddress, refusal: Bool = false, now: Duration) -> Bool {
    guard closing == nil, !isPastUntil(now) else { return false }
    if let list = bounds.boards, list.standing(board) == .notListed { return false }
    if let account = accounts[board] { return account.isWaiting }
    if refusal { return accounts.values.count { $0.last?.outcome == .refused } < limits.refusals }
    return hasPlace
  }

  /// Claims a board for a worker and returns the number of its attempt; nil when it may not start.
  public mutating func claim(_ board: BluetoothAddress, refusal: Bool = false, now: Duration) -> Int? {
    guard mayStart(board, refusal: refusal, now: now) else { return nil }
    var account = accounts[board] ?? BoardAccount(state: .inHand)
    account.state = .inHand
    account.attempts += 1
    accounts[board] = account
    lastActivity = now
    return account.attempts
  }

  /// Gives up a claim for which no attempt was begun (nothing was recorded).
  public mutating func withdraw(_ board: BluetoothAddress, now: Duration) {
    guard var account = accounts[board], account.state == .inHand else { return }
    account.attempts -= 1
    account.state = .waiting(since: now)
    accounts[board] = account.attempts > 0 ? account : nil
  }

  // MARK: Finishing

  /// What follows a finished attempt, before it is committed. `record.isFinal` is true exactly for `.done`.
  public func verdict(_ board: BluetoothAddress, _ record: AttemptRecord, now: Duration) -> Verdict {
    var account = accounts[board] ?? BoardAccount(state: .inHand)
    account.add(record)
    guard case .again(let elsewhere) = FailurePolicy.decide(record, judged: account.judged, faults: account.faults, limits: limits.attempts) else {
      return .done
    }
    switch closing {
    // A stopped batch goes on with the next start, and so does this board.
    case .stopped, .fault: break
    case .drained, .sameFailures: return .done
    case nil: if isPastUntil(now) { return .done }
    }
    return .again(pause: limits.retryPause, elsewhere: elsewhere)
  }

  /// Enters a finished and committed attempt.
  @discardableResult
  public mutating func finished(_ board: BluetoothAddress, _ record: AttemptRecord, now: Duration) -> Verdict {
    let decision = record.isFinal ? .done : verdict(board, record, now: now)
    var account = accounts[board] ?? BoardAccount(state: .inHand)
    account.add(record)
    account.state = decision == .done ? .done : .waiting(since: now)
    accounts[board] = account
    lastActivity = now
    if decision == .done { noteFinal(record) }
    return decision
  }

  /// Boards that wait for another attempt in vain: their last attempt was the final one.
  ///
  /// - Parameter lastHeard: when a board was heard last, if ever (`SightingBook.lastHeard`).
  public mutating func closeOverdue(now: Duration, lastHeard: (BluetoothAddress) -> Duration?) -> [AttemptRecord] {
    let limits = limits
    let closed = close { board, since in
      now - since >= limits.retryWindow || now - max(since, lastHeard(board) ?? since) >= limits.absence
    }
    for record in closed { noteFinal(record) }
    return closed
  }

  /// All boards that still wait for another attempt when a batch ends: their last attempt was the final one.
  public mutating func closeAll() -> [AttemptRecord] {
    close { _, _ in true }
  }

  /// The job was paused for so long: neither idle time nor the time of boards that wait for another attempt.
  public mutating func stoodStill(for length: Duration) {
    lastActivity += length
    for (board, account) in accounts {
      guard case .waiting(let since) = account.state else { continue }
      accounts[board]?.state = .waiting(since: since + length)
    }
  }

  // MARK: Closing

  /// No board starts any more; those in hand are finished.
  public mutating func drain() {
    if closing == nil { closing = .drained }
  }

  /// The operator stopped the job.
  public mutating func stop() {
    closing = .stopped
  }

  /// The station cannot work. An operator's stop stays one.
  public mutating func fail() {
    if closing != .stopped { closing = .fault }
  }

  private mutating func close(where isOver: (BluetoothAddress, Duration) -> Bool) -> [AttemptRecord] {
    var closed: [AttemptRecord] = []
    for (board, account) in accounts {
      guard case .waiting(let since) = account.state, isOver(board, since) else { continue }
      if let last = account.lastRecord { closed.append(last) }
      accounts[board]?.state = .done
    }
    return closed.sorted { $0.mac < $1.mac }
  }

  /// Follows the row of boards that failed in the same way.
  private mutating func noteFinal(_ record: AttemptRecord) {
    guard let outcome = record.outcome, outcome.isJudged else { return }
    guard outcome != .passed, let code = record.failureCode else {
      streak = nil
      return
    }
    streak = (code, streak?.code == code ? (streak?.boards ?? 0) + 1 : 1)
    if limits.stopAfterSameFailures > 0, (streak?.boards ?? 0) >= limits.stopAfterSameFailures, closing == nil { closing = .sameFailures(code) }
  }
}
