public import Bluetooth
import Locks
import SMP

/// One attempt at one board: connect, identify, read, plan, execute, read again, and tell what became of it.
///
/// A session never throws: whatever happens is in the record it returns. It closes its link in every case, also when it is cancelled.
public struct BoardSession: Sendable {
  let board: BluetoothAddress
  let adapter: AdapterHandle
  let central: any Central
  let order: BoardOrder
  let limits: SessionLimits
  /// The operator's hand on this session.
  let control: SessionControl
  /// Time for everything that the session does and waits for; it stands still in a pause.
  let time: Timekeeper
  /// Time as the board lives it: for what a pause must not stop.
  let boardTime: Timekeeper
  let journal: AttemptJournal
  /// What the station has to say to the identity that was read (`--boards`, unique serial numbers); throws `BoardFailure` to refuse the board.
  let examine: @Sendable (BoardIdentity) async throws -> Void
  /// True when an earlier attempt of this batch may have written to the board.
  let wasWrittenBefore: Bool
  /// False when an image already stored in the board is not to be believed.
  let trustsStoredImage: Bool
  /// It was heard under the name that was given to its firmware loader, by an earlier attempt that left it there.
  let wasHeardInLoader: Bool
  /// Whether the board's application may have the address before this one: a board that was met in its bootloader, which may have the next address of its
  /// application's (facts/nordic-dfu.md §2.8). False where the address is known to be the application's, or somebody else was heard under the one before.
  let mayReturnBelow: Bool

  /// - Parameters:
  ///   - control: made with the same time; nil where nobody will pause this session.
  ///   - examine: throws `BoardFailure` to refuse the board once it has told what it is.
  public init(
    board: BluetoothAddress, adapter: AdapterHandle, central: any Central, order: BoardOrder, limits: SessionLimits, time: Timekeeper,
    control: SessionControl? = nil, journal: AttemptJournal, wasWrittenBefore: Bool, trustsStoredImage: Bool, wasHeardInLoader: Bool = false,
    mayReturnBelow: Bool = true,
    examine: @escaping @Sendable (BoardIdentity) async throws -> Void
  ) {
    self.board = board
    self.adapter = adapter
    self.central = central
    self.order = order
    self.limits = limits
    self.control = control ?? SessionControl(time)
    self.time = self.control.time
    boardTime = time
    self.journal = journal
    self.wasWrittenBefore = wasWrittenBefore
    self.trustsStoredImage = trustsStoredImage
    self.wasHeardInLoader = wasHeardInLoader
    self.mayReturnBelow = mayReturnBelow
    self.examine = examine
  }

  /// Runs the attempt to its end and returns the finished record (not yet stored).
  public func run() async -> AttemptRecord {
    let began = boardTime.now()
    let links = LinkHolder()
    do {
      let result = try await withLimit(links)
      journal.update { $0.conclude(result) }
      try? await journal.enter(.detach)
    } catch {
      // Under cancellation the stack gives up with errors of its own; they say nothing about the board.
      let reason = Task.isCancelled ? SessionError.stopped(links.phase) : error
      journal.update { $0.conclude(reason) }
    }
    await links.close()
    // Bonds do not outlive their attempt, but for a bootloader that only its application's bond opens.
    if order.pairing != nil, !needsBond { await shielded { await central.forget(board, on: adapter) } }
    let spent = boardTime.now() - began
    let finished = time.wall()
    journal.update {
      $0.duration = spent.seconds
      $0.finishedAt = finished
    }
    return journal.record
  }

  /// Bonds do not outlive their attempt, but for one: a bootloader that shares its application's bond lets nobody else in, and refuses to be paired anew
  /// (facts/nordic-dfu.md §2.8, §3.2).
  private var needsBond: Bool {
    guard case .rescue = order else { return false }
    return [.bootloader, .unknown].contains(journal.record.leftAs)
  }

  /// The work under the limit for the whole attempt.
  private func withLimit(_ links: LinkHolder) async throws(SessionError) -> SessionResult {
    let limit = limits.board * order.stagesAtMost
    do {
      return try await withThrowingTaskGroup(of: SessionResult?.self) { group in
        group.addTask {
          switch order {
          case .update(let order): try await drive(UpdateDriver(session: self, order: order, links: links), links)
          case .rescue(let order): try await drive(RescueDriver(session: self, order: order, links: links), links)
          case .suit(let order): try await drive(SUITDriver(session: self, order: order, links: links), links)
          }
        }
        group.addTask {
          try await time.sleep(limit)
          return nil
        }
        group.addTask {
          try await control.cancelled()
          throw SessionError.stopped(links.phase)
        }
        group.addTask {
          try await control.overdue(limits.pause)
          throw SessionError.pausedTooLong(links.phase, limits.pause)
        }
        defer { group.cancelAll() }
        if let first = try await group.next(), let result = first { return result }
        throw BoardFailure(.boardTimeout, in: links.phase, "the attempt took longer than \(limit.words)")
      }
    } catch {
      throw SessionError.of(error, in: links.phase)
    }
  }

  /// Attach, drive, and again after every reset and every lost link, until the plan is through.
  private func drive(_ fresh: some SessionDriver, _ links: LinkHolder) async throws -> SessionResult {
    var driver = fresh
    var recoveries = 0
    while true {
      do {
        if driver.mayPause { try await control.passage() }
        if let result = try await driver.advance() { return result }
      } catch {
        let reason = SessionError.of(error, in: links.phase)
        guard reason.isLinkLoss, driver.mayRecover, recoveries < limits.linkRecoveries else { throw reason }
        try Task.checkCancellation()
        recoveries += 1
        journal.update { $0.retries += 1 }
        await links.close()
      }
    }
  }

  /// A step begins: when the operator lets it, and when it is written down.
  func enter(_ phase: Phase, _ links: LinkHolder) async throws {
    if order.pausesBetweenSteps { try await control.passage() }
    links.phase = phase
    try await journal.enter(phase)
  }
}

extension AttemptRecord {
  /// The end of an attempt whose plan came through.
  mutating func conclude(_ result: SessionResult) {
    switch result {
    case .update(let outcome, let state, let verification):
      self.outcome = outcome
      imageState = state
      verifiedBy = verification
      // A skipped board was only read.
      leftAs = outcome == .skipped ? .untouched : state == .testing ? .unconfirmed : .application
      // What could not be read back is done as far as the station can tell, and no more than that.
      good = state == .confirmed && verification != .none && (outcome == .passed || outcome == .skipped)
    case .suit(let outcome):
      self.outcome = outcome
      imageState = .confirmed
      verifiedBy = .imageHash
      leftAs = outcome == .skipped ? .untouched : .application
      good = outcome == .passed || outcome == .skipped
    case .rescue(let outcome):
      self.outcome = outcome
      verifiedBy = .version
      leftAs = outcome == .skipped ? .untouched : .application
      good = outcome == .passed || outcome == .skipped
    }
  }

  /// The end of an attempt for which no connection is made.
  public mutating func refuse(_ failure: BoardFailure, at wall: Int64) {
    conclude(.board(failure))
    finishedAt = wall
    duration = 0
  }

  /// The end of an attempt that the station could not go on with.
  public mutating func giveUp(_ code: FailureCode, _ message: String, in phase: Phase, at wall: Int64) {
    conclude(.station(code, phase, message))
    finishedAt = wall
    duration = duration ?? 0
  }

  /// The end of an attempt that failed.
  mutating func conclude(_ error: SessionError) {
    good = false
    switch error {
    case .board(let failure):
      outcome = FailureRule.of(failure.code).outcome
      failureCode = failure.code
      failurePhase = failure.phase
      failureMessage = failure.offset.map { "\(failure.message), at byte \($0)" } ?? failure.message
    case .station(let code, let phase, let words):
      outcome = FailureRule.of(code).outcome
      failureCode = code
      failurePhase = phase
      failureMessage = words
    case .stopped(let phase):
      outcome = .aborted
      failureCode = .operatorStopped
      failurePhase = phase
      failureMessage = "stopped by the operator"
    case .pausedTooLong(let phase, let limit):
      outcome = .aborted
      failureCode = .operatorPaused
      failurePhase = phase
      failureMessage = "paused for longer than \(limit.words)"
    }
  }
}

extension Duration {
  /// Seconds with fractions.
  public var seconds: Double {
    let (whole, fraction) = components
    return Double(whole) + Double(fraction) / 1e18
  }

  /// In a message: `90 s`, `2.5 s`.
  var words: String {
    let milliseconds = Int64(seconds * 1000)
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
  }
}
