public import Bluetooth
public import Flashing

/// What a batch came to so far.
public struct BatchCounts: Hashable, Sendable {
  /// Boards with at least one finished attempt, by the outcome of the last one.
  public var outcomes: [Outcome: Int] = [:]
  /// Boards whose last attempt is good.
  public var good = 0
  /// Distinct boards with a judged attempt: what `--count` counts.
  public var judged = 0
  public var inHand = 0
  /// Boards that wait for another attempt.
  public var waiting = 0

  public init() {}

  public var boards: Int { outcomes.values.reduce(0, +) }
}

extension BatchLedger {
  /// The process's exit code, where the ledger has a say (contract §1).
  public enum Exit: Int32, Hashable, Sendable {
    case good = 0
    /// Some board is not good, or `--count` or `--boards` was not met.
    case notGood = 1
    case stationFault = 3
    case stopped = 130
  }

  /// Why the batch is over; nil while it goes on. It never is while a board is in hand.
  ///
  /// - Parameter isPaused: the job stands still, which is no idle time.
  public func endReason(now: Duration, isPaused: Bool = false) -> EndReason? {
    guard !accounts.values.contains(where: { $0.state == .inHand }) else { return nil }
    switch closing {
    case .stopped, .drained: return .operator
    case .sameFailures: return .sameFailures
    case .fault: return .fault
    case nil: break
    }
    let nobodyWaits = !accounts.values.contains(where: \.isWaiting)
    if let list = bounds.boards, list.entries.allSatisfy(isDone) { return .boards }
    if nobodyWaits, !hasPlace { return .count }
    if isPastUntil(now) { return .until }
    if !isPaused, let idle = bounds.idle, now - lastActivity >= idle { return .idle }
    return nil
  }

  /// The code that halted the line; nil when it was not halted.
  public var haltedBy: FailureCode? {
    if case .sameFailures(let code) = closing { return code }
    return nil
  }

  /// When `endReason` may change without another event: the earliest bound in time.
  public func nextDeadline(after now: Duration) -> Duration? {
    [bounds.until, bounds.idle.map { lastActivity + $0 }].compactMap { $0 }.filter { $0 > now }.min()
  }

  /// Listed boards that nobody met, by their titles.
  public var missing: [String] {
    (bounds.boards?.entries ?? []).filter { account(of: $0)?.last == nil }.map(\.title)
  }

  /// Boards with a worker now.
  public var inHand: [BluetoothAddress] { accounts.filter { $0.value.state == .inHand }.map(\.key).sorted() }

  /// Boards that are not left in their application, by address.
  public var leftElsewhere: [LeftBoard] {
    accounts.compactMap { mac, account in
      guard let last = account.last, last.leftAs != .application, last.leftAs != .untouched else { return nil }
      return LeftBoard(mac: mac, unitID: last.unitID, leftAs: last.leftAs)
    }.sorted { $0.mac < $1.mac }
  }

  /// The last finished attempt of a board in this batch.
  public func lastAttempt(of board: BluetoothAddress) -> LastAttempt? { accounts[board]?.last }

  /// Whether an attempt of this batch may have written to the board.
  public func wasWritten(_ board: BluetoothAddress) -> Bool { accounts[board]?.wasWritten ?? false }

  /// Whether the board has its final result in this batch: its advertising is ignored from then on.
  public func isDone(_ board: BluetoothAddress) -> Bool { accounts[board]?.state == .done }

  public var counts: BatchCounts {
    var counts = BatchCounts()
    for account in accounts.values {
      if account.state == .inHand { counts.inHand += 1 }
      if account.isWaiting { counts.waiting += 1 }
      if account.judged > 0 { counts.judged += 1 }
      guard let last = account.last, let outcome = last.outcome else { continue }
      counts.outcomes[outcome, default: 0] += 1
      if last.good { counts.good += 1 }
    }
    return counts
  }

  /// The exit code after the batch is over; the first that applies.
  public var exit: Exit {
    if closing == .stopped { return .stopped }
    if closing == .fault { return .stationFault }
    if accounts.values.contains(where: { $0.last?.good == false }) { return .notGood }
    if let count = bounds.count, counts.judged < count { return .notGood }
    if let list = bounds.boards, !list.entries.allSatisfy(isDone) { return .notGood }
    return .good
  }

  /// Whether another board may be written to within `--count`.
  var hasPlace: Bool {
    guard let count = bounds.count else { return true }
    return accounts.values.count(where: \.takesPlace) < count
  }

  func isPastUntil(_ now: Duration) -> Bool { bounds.until.map { now >= $0 } ?? false }

  private func isDone(_ entry: BoardList.Entry) -> Bool { account(of: entry)?.state == .done }

  /// The account of a listed board: by its address, or by the serial number that was read.
  private func account(of entry: BoardList.Entry) -> BoardAccount? {
    if entry.mac != nil { return bounds.boards?.addresses(of: entry).lazy.compactMap { accounts[$0] }.first }
    return accounts.values.first { $0.last?.serialNumber == entry.serialNumber && $0.last?.outcome != .refused }
      ?? accounts.values.first { $0.last?.serialNumber == entry.serialNumber }
  }
}
