import Bluetooth
import Flashing

/// Runs one job: follows the adapters, gives each usable one a worker, hands admitted boards to free workers, and keeps the batch's rules.
///
/// The rules themselves are values (`Admission`, `SightingBook`, `BatchLedger`, `FailurePolicy`); this actor holds them, and a task group owns the
/// workers. The numbered list of a whole run is in CONTRIBUTING.md, "What happens when".
public actor StationController {
  /// How often bounds in time, settle times and missing adapters are looked at.
  static let tick = Duration.milliseconds(200)
  /// Time for adapters to appear at the start, and for bluetoothd to take one that was plugged in, before one is called unusable.
  static let adapterSettleTime = Duration.seconds(3)
  /// After a failure of an adapter, before it is used again.
  static let adapterPause = Duration.seconds(1)
  /// Least time between two looks for boards that free adapters may take, when advertisements are what calls for them.
  static let assignPause = Duration.milliseconds(50)
  /// An adapter that listened for so long works: earlier failures no longer count.
  static let adapterProof = Duration.seconds(60)

  /// What the main loop is told.
  enum Signal: Sendable {
    case startWorker(LineAdapter)
    /// The operator has paused the job, or lets it go on.
    case pauseChanged
    case end
    /// Ends at once: the operator's stop, or a fault.
    case halt
  }

  let job: LineJob
  let ports: StationPorts
  let admission: Admission
  /// For boards that this job has had in hand: a line job takes them back from the bootloader into which it has sent them.
  let returning: Admission
  /// The operator's hand on all boards in hand.
  nonisolated let control: SessionControl
  /// When a pause began that was told of; nil while the job works.
  var pausedAt: Duration?
  /// A pause was longer than its limit: the boards in hand are given up for that.
  var isPauseOverdue = false
  var ledger: BatchLedger
  var sightings = SightingBook()
  var batchID: Int64 = 0

  var adapters: [String: LineAdapter] = [:]
  /// Adapters with a worker, by path.
  var workers: Set<String> = []
  /// Adapters that were made ready, by path, with the handle they had then.
  var prepared: [String: AdapterHandle] = [:]
  /// What was tried on adapters that fail, by path; kept while they are away.
  var ladders: [String: HealingLadder] = [:]
  /// Adapters that failed too often, by path, until they are plugged in again.
  var spoilt: [String: String] = [:]
  /// Excluded adapters that were told of already.
  var toldExcluded: [String: String] = [:]
  var unusableSince: [String: Duration] = [:]
  var stackIsEmpty = true
  /// Since when no adapter is usable; nil while one is.
  var idleSince: Duration?
  var hadAdapter = false

  /// When no adapter listened last: what is not heard then is not absent.
  var deafAt: Duration?
  /// When boards were last looked for.
  var assigned: Duration?
  /// Free workers that wait for a board, by adapter path.
  var openings: [String: CheckedContinuation<SightingBook.Sighting?, Never>] = [:]
  /// Attempt numbers of boards that were just handed to a worker.
  var claims: [BluetoothAddress: Int] = [:]
  /// Boards whose stored image is not to be believed, because it failed once.
  var distrusted: Set<BluetoothAddress> = []
  /// In a rescue: how long boards have been in their bootloader, in time spent listening.
  var stranded = StrandedWatch()
  /// Time in which at least one adapter listened.
  var listened = Duration.zero
  private var lookedAt: Duration?
  /// Boards that this station sent to their bootloader itself: they are not waited for.
  var detached: Set<BluetoothAddress> = []
  /// Boards whose application has their own address for certain (`BoardSession.mayReturnBelow`).
  var standsAlone: Set<BluetoothAddress> = []
  /// Boards of this job by the other address that their bootloader has.
  var otherAddresses: [BluetoothAddress: BluetoothAddress] = [:]
  /// Boards of this job that may have been left in their firmware loader, with the place of their kind, by the name that it has then.
  var loaders: [String: (board: BluetoothAddress, kind: Int)] = [:]
  /// Boards whose history was looked up for that, and those that the stack was asked to hear afresh, with the time.
  var historyRead: Set<BluetoothAddress> = []
  var heardAfresh: [BluetoothAddress: Duration] = [:]
  /// Serial numbers that were read in this job, with the first board that told each: two boards may be in hand at once, before either is recorded.
  var serials: [String: BluetoothAddress] = [:]
  /// Boards that have passed and whose diagnostics are being taken: the job ends after them.
  var collecting = 0
  /// What ended the job as the station's fault.
  var fault: (code: FailureCode, message: String)?
  var reason: EndReason?
  private let signals: AsyncStream<Signal>
  let signal: AsyncStream<Signal>.Continuation

  public init(job: LineJob, ports: StationPorts) {
    self.job = job
    self.ports = ports
    control = SessionControl(ports.time)
    let profiles = job.kinds.map(\.profile)
    admission = Admission(profiles: profiles, modes: job.modes)
    returning = Admission(profiles: profiles, modes: Set(BoardMode.allCases))
    ledger = BatchLedger(bounds: job.bounds, limits: LedgerLimits(job.limits), now: ports.time.now())
    (signals, signal) = AsyncStream.makeStream()
  }

  /// Runs the job to its end and returns the exit code of contract §1. Call once.
  public func run() async -> Int32 {
    ports.emit(.stationStarted(station: job.stationID, version: job.toolVersion, database: job.database))
    do {
      try await openBatch()
    } catch {
      ports.emit(.stationFault(code: error.code, message: error.message, adapter: nil))
      return BatchLedger.Exit.stationFault.rawValue
    }
    await withTaskGroup(of: Void.self) { group in
      let watch = AdapterWatch(source: ports.source, central: ports.central, join: AdapterJoin(rules: job.adapters))
      group.addTask { await watch.run { await self.adaptersChanged($0, stackIsEmpty: $1) } }
      group.addTask { await self.keepTime() }
      loop: for await signal in signals {
        switch signal {
        case .startWorker(let adapter): group.addTask { await self.work(adapter) }
        case .pauseChanged: pauseChanged()
        case .end, .halt: break loop
        }
      }
      closeOpenings()
      group.cancelAll()
    }
    return await closeBatch()
  }

  /// Starts no more boards; those in hand are finished, then the batch ends. A paused job goes on, for they could not be finished otherwise.
  public func drain() {
    ledger.drain()
    resume()
    closeOpenings()
  }

  /// Gives up the boards in hand (they are recorded `aborted`, their links closed) and ends the batch.
  public func stop() {
    ledger.stop()
    reason = .operator
    signal.yield(.halt)
  }

  // MARK: the batch

  private func openBatch() async throws(RecordError) {
    let now = ports.time.now()
    idleSince = now
    let opened = try await ports.store.openBatch(
      job.key, stationID: job.stationID, operator: job.operator, startNew: job.startsNew, at: ports.time.wall())
    batchID = opened.id
    let asked = ledger.closing
    ledger = BatchLedger(bounds: job.bounds, limits: LedgerLimits(job.limits), earlier: opened.attempts, now: now)
    // The operator may have been quicker than the database.
    if asked == .stopped { ledger.stop() } else if asked == .drained { ledger.drain() }
    for attempt in opened.attempts {
      learn(from: attempt)
      if attempt.leftAs != .untouched { noteAddresses(of: attempt, admittedAs: attempt.admittedAs) }
    }
    ports.emit(
      .batchStarted(
        .init(
          batchID: batchID, isContinued: opened.isContinued, job: job.job, profiles: job.kinds.map(\.profile.name), packages: job.kinds.map(\.packageName),
          version: job.kinds.map(\.version).joined(separator: " "), lot: job.lot, workOrder: job.workOrder,
          alreadyDone: opened.attempts.count(where: \.isFinal), wanted: job.bounds.count ?? job.bounds.boards?.entries.count)))
  }

  /// What an attempt tells the next one at the same board.
  func learn(from attempt: AttemptRecord) {
    switch attempt.failureCode {
    case .verifyNotSwapped, .verifyReverted, .verifyNotStored, .imageMismatch: distrusted.insert(attempt.mac)
    default: break
    }
    guard attempt.leftAs == .bootloader || attempt.leftAs == .unknown, loaders.count < Self.memoryLimit else { return }
    guard let kind = job.kinds.firstIndex(where: { $0.profile.name == attempt.profile }), case .update = job.kinds[kind].order else { return }
    loaders[attempt.mac.loaderName] = (attempt.mac, kind)
  }

  private func closeBatch() async -> Int32 {
    let reason = reason ?? .fault
    // After a stop or a fault the batch goes on with the next start, and so do the boards that wait.
    if reason != .operator || ledger.closing == .drained, reason != .fault {
      for record in ledger.closeAll() { ports.emit(.boardDone(record)) }
    }
    let exit = ledger.exit.rawValue
    do {
      let head = try await ports.store.endBatch(batchID, reason: reason, missing: ledger.missing, at: ports.time.wall())
      let counts = ledger.counts
      ports.emit(
        .batchFinished(
          .init(
            batchID: batchID, counts: counts.outcomes, good: counts.good, missing: ledger.missing, leftElsewhere: ledger.leftElsewhere, reason: reason,
            auditHead: head, exitCode: exit)))
    } catch {
      ports.emit(.stationFault(code: error.code, message: error.message, adapter: nil))
      return BatchLedger.Exit.stationFault.rawValue
    }
    return exit
  }

  // MARK: time

  private func keepTime() async {
    while !Task.isCancelled {
      look()
      do { try await ports.time.sleep(Self.tick) } catch { return }
    }
  }

  /// Everything that happens without another event: bounds in time, boards that do not come back, adapters that are missing.
  private func look() {
    let now = ports.time.now()
    if !openings.isEmpty { listened += now - (lookedAt ?? now) }
    lookedAt = now
    tellExcluded(now)
    checkPause(now)
    assign()
    // What a paused job does not take is not absent either.
    if openings.isEmpty || control.isPaused { deafAt = now }
    if !control.isPaused {
      let overdue = ledger.closeOverdue(now: now) { board in [sightings.lastHeard(board), deafAt].compactMap(\.self).max() }
      for record in overdue { ports.emit(.boardDone(record)) }
    }
    checkAdapters(now)
    guard reason == nil, collecting == 0, let over = ledger.endReason(now: now, isPaused: control.isPaused) else { return }
    reason = over
    signal.yield(.end)
  }

  private func checkAdapters(_ now: Duration) {
    guard let since = idleSince, reason == nil else { return }
    let isBus = stackIsEmpty && adapters.values.contains { $0.hardware.usbPath != nil }
    // An adapter without bluetoothd is waited for from the start too: both may just have been switched on.
    let limit = isBus ? job.limits.busTimeout : hadAdapter ? job.limits.adapterTimeout : Self.adapterSettleTime
    guard now - since >= limit else { return }
    let code: FailureCode = isBus ? .busGone : .adapterRemoved
    let message =
      isBus
      ? "bluetoothd does not answer (waited \(DurationText.text(limit)))"
      : "there is no usable Bluetooth adapter (waited \(DurationText.text(limit)))"
    fail(code, message, adapter: nil)
  }

  /// A fault of the station ends the job: nothing starts any more, boards in hand are given up.
  func fail(_ code: FailureCode, _ message: String, adapter: LineAdapter?) {
    ports.emit(.stationFault(code: code, message: message, adapter: adapter))
    guard reason == nil else { return }
    ledger.fail()
    fault = (code, message)
    reason = .fault
    signal.yield(.halt)
  }
}
