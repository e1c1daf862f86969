public import Bluetooth

/// What makes two starts the same batch: the same kind of job, profiles, packages, lot and work order (contract §2).
public struct BatchKey: Hashable, Sendable {
  public var job: JobKind
  /// Names of the profiles, sorted.
  public var profiles: [String]
  /// SHA-256 of each profile's package file, in the order of `profiles`, lower-case hexadecimal.
  public var packages: [String]
  public var lot: String?
  public var workOrder: String?

  public init(job: JobKind, profiles: [String], packages: [String], lot: String?, workOrder: String?) {
    self.job = job
    self.profiles = profiles
    self.packages = packages
    self.lot = lot
    self.workOrder = workOrder
  }
}

/// A batch that was opened: new, or one that a stop or a crash left unfinished.
public struct OpenedBatch: Sendable {
  public var id: Int64
  /// True when an unfinished batch with the same key goes on.
  public var isContinued: Bool
  /// All finished attempts of the batch so far in commit order, those just closed as `station.crashed` among them.
  public var attempts: [AttemptRecord]

  public init(id: Int64, isContinued: Bool, attempts: [AttemptRecord]) {
    self.id = id
    self.isContinued = isContinued
    self.attempts = attempts
  }
}

/// Why records could not be kept: a station fault, and the job halts.
public enum RecordError: Error, Hashable, Sendable {
  /// Disk full, read-only, or an I/O error: the words of SQLite or the system.
  case notWritable(String)
  /// The file is not a Flashline database, or is damaged.
  case damaged(String)
  /// Another job holds this database.
  case busy(String)
}

/// Port: where results are kept. An attempt is not over before `finish` has returned.
public protocol RecordStore: Sendable {
  /// Closes attempts that a crash left open (`aborted`, `station.crashed`), then continues the unfinished batch with this key or starts another.
  func openBatch(_ key: BatchKey, stationID: String, operator: String?, startNew: Bool, at wall: Int64) async throws(RecordError) -> OpenedBatch

  /// Writes an open attempt before the board is touched; returns it with its `attemptID`.
  func begin(_ attempt: AttemptRecord) async throws(RecordError) -> AttemptRecord

  /// Notes that an attempt entered a phase (table `phases`).
  func enter(_ phase: Phase, attemptID: Int64, at wall: Int64) async throws(RecordError)

  /// Commits a finished attempt with its audit entry and the day's report; returns it with `record` and `reportDay`.
  func finish(_ attempt: AttemptRecord) async throws(RecordError) -> AttemptRecord

  /// How many final results in a row, newest first, over all batches, were judged against this board (quarantine); a good one ends the row.
  func failuresInARow(_ mac: BluetoothAddress) async throws(RecordError) -> Int

  /// The newest finished attempt at a board, by its application's or its bootloader's address, over all batches; nil when there is none.
  func lastAttempt(at board: BluetoothAddress) async throws(RecordError) -> AttemptRecord?

  /// Other addresses under which this serial number was recorded (`[identity] serial = unique`).
  func addresses(withSerial serial: String) async throws(RecordError) -> [BluetoothAddress]

  /// Ends the batch, chains its end into the audit, and returns the head of the chain.
  func endBatch(_ id: Int64, reason: EndReason, missing: [String], at wall: Int64) async throws(RecordError) -> String
}
