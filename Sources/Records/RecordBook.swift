import SQLite
public import Bluetooth
public import Flashing
import FoundationEssentials

/// The one writer of a database while its job runs: SQLite, audit chain and daily reports behind the port `RecordStore`.
///
/// It runs on a thread of its own. It holds the station's lock from `open` until `close` (or until it is let go).
public actor RecordBook: RecordStore {
  private let thread: SerialThread
  private let place: RecordPlace
  private let time: Timekeeper
  private var store: (database: Database, lock: StationLock)?
  private(set) var report: DayReport
  private var laterWriting: Task<Void, Never>?
  /// What went wrong when nobody was waiting; the next caller hears of it.
  private(set) var laterTrouble: RecordError?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Takes the lock, opens or makes the database, checks it, migrates it, and proves that reports can be written.
  ///
  /// - Throws: `busy` when another job holds the database, `damaged` when the file is not a sound Flashline database, `notWritable` otherwise.
  public static func open(_ place: RecordPlace, time: Timekeeper) async throws(RecordError) -> RecordBook {
    let book: RecordBook
    do {
      book = RecordBook(place, time: time, thread: try SerialThread())
    } catch {
      throw .notWritable("\(place.database): no thread for the database: \(error.words)")
    }
    try await book.start()
    return book
  }

  private init(_ place: RecordPlace, time: Timekeeper, thread: SerialThread) {
    self.place = place
    self.time = time
    self.thread = thread
    report = DayReport(folder: place.reports)
  }

  deinit {
    // A book that is let go without `close` leaves nobody waiting for its reports.
    laterWriting?.cancel()
  }

  private func start() throws(RecordError) {
    let folder = place.database.lastIndex(of: "/").map { String(place.database[..<$0]) } ?? ""
    if !folder.isEmpty {
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw .notWritable("\(folder): the database's folder cannot be made: correct `database` in station.conf or the permissions")
      }
    }
    let lock = try StationLock(database: place.database)
    let database = try Database(place.database, .readWrite)
    try Schema.prepare(database)
    try report.prove()
    store = (database, lock)
  }

  public func openBatch(_ key: BatchKey, stationID: String, operator: String?, startNew: Bool, at wall: Int64) throws(RecordError) -> OpenedBatch {
    let database = try database()
    // A crash may have come between a commit and the writing of its day.
    if let day = try database.first("SELECT report_day FROM attempts WHERE record = (SELECT max(record) FROM attempts)")?.first?.text {
      report.mark(day)
    }
    let opened = try database.transaction { () throws(RecordError) in
      try closeCrashed(database, at: wall)
      let batches = BatchTable(database: database)
      if !startNew, let id = try batches.unfinished(key) {
        if try batches.reopen(id) { try AuditChain(database: database).append(.continued, batchID: id) }
        return OpenedBatch(id: id, isContinued: true, attempts: try AttemptTable(database: database).finished(batchID: id))
      }
      let id = try batches.insert(key, stationID: stationID, operator: `operator`, at: wall)
      return OpenedBatch(id: id, isContinued: false, attempts: [])
    }
    try writeReports()
    return opened
  }

  public func begin(_ attempt: AttemptRecord) throws(RecordError) -> AttemptRecord {
    let database = try database()
    var begun = attempt
    begun.attemptID = try database.transaction { () throws(RecordError) in try AttemptTable(database: database).insert(attempt) }
    return begun
  }

  public func enter(_ phase: Phase, attemptID: Int64, at wall: Int64) throws(RecordError) {
    try AttemptTable(database: database()).enter(phase, attemptID: attemptID, at: wall)
  }

  public func finish(_ attempt: AttemptRecord) throws(RecordError) -> AttemptRecord {
    let database = try database()
    let finished = try database.transaction { () throws(RecordError) in try commit(attempt, to: database) }
    try writeReportsWhenDue()
    return finished
  }

  // The last one of a batch, whether it was known to be final or the batch ended before the next: a board that never came back has no other.
  public func failuresInARow(_ mac: BluetoothAddress) throws(RecordError) -> Int {
    var failures = 0
    try database().rows(
      """
      SELECT outcome FROM attempts WHERE record IN (
        SELECT max(record) FROM attempts WHERE mac = ? AND record IS NOT NULL GROUP BY batch_id)
        AND outcome IN ('failed', 'timeout', 'passed', 'skipped') ORDER BY record DESC
      """, [.text(mac.description)]
    ) { row in
      guard row[0] == .text(Outcome.failed.rawValue) || row[0] == .text(Outcome.timeout.rawValue) else { return .stop }
      failures += 1
      return .goOn
    }
    return failures
  }

  public func lastAttempt(at board: BluetoothAddress) throws(RecordError) -> AttemptRecord? {
    try AttemptTable(database: try database()).newest(at: board)
  }

  /// Addresses under which this serial number was read, the oldest first.
  ///
  /// A board that was refused because the number was taken does not take it: otherwise a copy would shut out the board that it copies.
  public func addresses(withSerial serial: String) throws(RecordError) -> [BluetoothAddress] {
    var addresses: [BluetoothAddress] = []
    try database().rows(
      """
      SELECT mac FROM attempts WHERE serial_number = ? AND record IS NOT NULL AND failure_code IS NOT ? GROUP BY mac ORDER BY min(record)
      """, [.text(serial), .text(FailureCode.identitySerialTwice.rawValue)]
    ) { row in
      if let address = row[0].text.flatMap(BluetoothAddress.init) { addresses.append(address) }
      return .goOn
    }
    return addresses
  }

  public func endBatch(_ id: Int64, reason: EndReason, missing: [String], at wall: Int64) throws(RecordError) -> String {
    let database = try database()
    let head = try database.transaction { () throws(RecordError) in
      try BatchTable(database: database).end(id, reason: reason, missing: missing, at: wall)
      let chain = AuditChain(database: database)
      try chain.append(.end, batchID: id)
      return try chain.head()
    }
    try writeReports()
    return head
  }

  /// Writes what is not on disk yet, closes the database and lets go of the lock. Further calls fail; a second `close` does nothing.
  public func close() throws(RecordError) {
    guard let (database, _) = store else { return }
    defer {
      laterWriting?.cancel()
      laterWriting = nil
      store = nil
    }
    try writeReports()
    database.checkpoint()
  }

  /// The open database; only for calls on this actor.
  func database() throws(RecordError) -> Database {
    guard let store else { throw .notWritable("\(place.database): it was closed") }
    return store.database
  }

  /// Closes every attempt that a crash left open, in whichever batch it was.
  private func closeCrashed(_ database: Database, at wall: Int64) throws(RecordError) {
    let table = AttemptTable(database: database)
    for attempt in try table.open() {
      let phases = try attempt.attemptID.map { id throws(RecordError) in try table.phases(attemptID: id) } ?? []
      _ = try commit(CrashClosing.close(attempt, phases: phases, at: wall), to: database)
    }
  }

  /// Records one finished attempt and chains it; inside a transaction.
  private func commit(_ attempt: AttemptRecord, to database: Database) throws(RecordError) -> AttemptRecord {
    var dated = attempt
    dated.reportDay = attempt.finishedAt.map(place.calendar.day)
    let finished = try AttemptTable(database: database).finish(dated)
    if let record = finished.record { try AuditChain(database: database).append(record: record, batchID: finished.batchID) }
    if let day = finished.reportDay { report.mark(day) }
    return finished
  }

  private func writeReports() throws(RecordError) {
    laterTrouble = nil
    try report.write(from: database(), now: time.now)
  }

  /// Writes the reports now, or a moment later when they have just been written.
  private func writeReportsWhenDue() throws(RecordError) {
    if let trouble = laterTrouble {
      laterTrouble = nil
      throw trouble
    }
    let pause = report.pause(now: time.now())
    guard pause > .zero else { return try writeReports() }
    guard laterWriting == nil else { return }
    laterWriting = Task { [weak self, time] in
      guard (try? await time.sleep(pause)) != nil else { return }
      await self?.writeLater()
    }
  }

  private func writeLater() {
    laterWriting = nil
    guard store != nil, report.isDirty else { return }
    do {
      try writeReports()
    } catch {
      laterTrouble = error
    }
  }
}
