public import Bluetooth
public import Flashing

/// What the station tells the outside, in the words of contract §3: screens draw it, `--json` prints it, one line each.
public enum StationEvent: Sendable {
  case stationStarted(station: String, version: String, database: String)
  case adapterAdded(LineAdapter)
  case adapterRemoved(LineAdapter)
  case adapterExcluded(LineAdapter, reason: String)
  /// An adapter failed and a remedy was tried on it; `obstacle` tells why that could not be done.
  case adapterHealing(LineAdapter, AdapterRemedy, because: String, obstacle: String?)
  case batchStarted(BatchStart)
  /// The operator paused the job: nothing new begins, at most for so long.
  case stationPaused(inHand: Int, limit: Duration)
  /// The job goes on; or, when the pause was overdue, it ends.
  case stationResumed(after: Duration, isOverdue: Bool)
  /// An admitted board was heard for the first time in this job.
  case boardSeen(mac: BluetoothAddress, name: String?, profile: String, rssi: Int?, adapter: LineAdapter)
  case boardAssigned(AttemptRecord)
  case boardPhase(AttemptRecord, Phase)
  case boardProgress(AttemptRecord, bytes: Int, total: Int, kBPerSecond: Double)
  /// One attempt is committed.
  case boardFinished(AttemptRecord)
  /// The board's final result in this batch is committed.
  case boardDone(AttemptRecord)
  /// What came of taking a passed board's diagnostics; nothing of it changes its result.
  case boardObserved(AttemptRecord, DiagnosticCollection)
  case batchFinished(BatchEnd)
  case stationFault(code: FailureCode, message: String, adapter: LineAdapter?)

  /// What a batch begins with.
  public struct BatchStart: Hashable, Sendable {
    public var batchID: Int64
    public var isContinued: Bool
    public var job: JobKind
    public var profiles: [String]
    public var packages: [String]
    public var version: String
    public var lot: String?
    public var workOrder: String?
    /// Boards that earlier runs of the batch have finished.
    public var alreadyDone: Int
    /// Boards asked for by `--count` or `--boards`; nil when open-ended.
    public var wanted: Int?

    public init(
      batchID: Int64, isContinued: Bool, job: JobKind, profiles: [String], packages: [String], version: String, lot: String?, workOrder: String?,
      alreadyDone: Int, wanted: Int?
    ) {
      self.batchID = batchID
      self.isContinued = isContinued
      self.job = job
      self.profiles = profiles
      self.packages = packages
      self.version = version
      self.lot = lot
      self.workOrder = workOrder
      self.alreadyDone = alreadyDone
      self.wanted = wanted
    }
  }

  /// What a batch ends with: boards by the outcome of their last attempt.
  public struct BatchEnd: Hashable, Sendable {
    public var batchID: Int64
    public var counts: [Outcome: Int]
    public var good: Int
    /// Boards of `--boards` that were never met, as the list names them.
    public var missing: [String]
    /// Boards that are not left in their application: address and state.
    public var leftElsewhere: [LeftBoard]
    public var reason: EndReason
    public var auditHead: String
    public var exitCode: Int32

    public init(
      batchID: Int64, counts: [Outcome: Int], good: Int, missing: [String], leftElsewhere: [LeftBoard], reason: EndReason, auditHead: String,
      exitCode: Int32
    ) {
      self.batchID = batchID
      self.counts = counts
      self.good = good
      self.missing = missing
      self.leftElsewhere = leftElsewhere
      self.reason = reason
      self.auditHead = auditHead
      self.exitCode = exitCode
    }
  }
}

/// Port: who listens to the station. Must return at once and never fail: a reader that blocks or goes away does not stop flashing.
public protocol EventSink: Sendable {
  /// - Parameter time: milliseconds since 1970, when it happened.
  func emit(_ event: StationEvent, at time: Int64)
}
