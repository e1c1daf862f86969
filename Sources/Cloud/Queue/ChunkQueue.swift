import FoundationEssentials
import Glibc
import SQLite

/// Chunks on their way from boards to a server, on the disk: each is committed before `append` returns, and removed when the server took it.
///
/// It runs on a thread of its own, and holds a lock on its file until it is closed or let go: one process a queue.
public actor ChunkQueue {
  /// How much a queue takes.
  public struct Limits: Hashable, Sendable {
    /// Chunks on the disk, of all boards.
    public var chunks = 100_000
    /// Their bytes.
    public var bytes = 64 << 20
    /// Bytes of one chunk; a notification carries at most 514 (Bluetooth Core 5.4, Vol 3, Part F, 3.4.7.1).
    public var chunkBytes = 1024
    /// Lanes in the table: boards, and what they changed.
    public var lanes = 10_000
    /// Chunks that no server takes, kept to be looked at; beyond it the oldest goes, and stays counted.
    public var rejected = 1_000
    /// Gaps that are kept one by one; older ones stay in their lane's count.
    public var gaps = 10_000

    public init() {}
  }

  /// Bytes of a device id: no attribute value is longer.
  static let longestID = 512

  private let thread: SerialThread
  let path: String
  let limits: Limits
  let vault: KeyVault
  let wall: @Sendable () -> Int64
  private var store: (database: QueueDatabase, lock: FileLock)?
  /// What the table of chunks holds.
  private(set) var filled = (chunks: 0, bytes: 0)
  private(set) var arrival: (@Sendable () -> Void)?
  /// Chunks whose callers wait for the next commit.
  var arrivals = ChunkArrivals()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Opens a queue, or makes one: the database `path`, `path.lock`, and the keys in `path.keys/`.
  ///
  /// - Parameter wall: milliseconds since 1970, for the rows; nil for the computer's clock.
  public init(path: String, limits: Limits = Limits(), wall: (@Sendable () -> Int64)? = nil) async throws(ChunkQueueError) {
    do {
      thread = try SerialThread()
    } catch {
      throw .notWritable("the queue \(path): no thread for it: \(error.words)")
    }
    self.path = path
    self.limits = limits
    self.wall = wall ?? { Int64(time(nil)) * 1000 }
    vault = KeyVault(folder: path + ".keys")
    try start()
  }

  private func start() throws(ChunkQueueError) {
    let (database, lock) = try QueueFile.open(path, vault)
    let row = try database.first("SELECT count(*), coalesce(sum(length(data)), 0) FROM chunks", binding: []) ?? []
    guard row.count == 2, let chunks = row[0].integer, let bytes = row[1].integer else { throw damage("it cannot be counted") }
    filled = (Int(chunks), Int(bytes))
    store = (database, lock)
    try forgetKeys()
  }

  /// The lane of a source: the newest one of its board and address when nothing changed since, otherwise a new one behind it.
  public func open(_ source: DiagnosticSource) throws(ChunkQueueError) -> LaneID {
    let database = try database()
    guard source.deviceID.utf8.count <= Self.longestID else {
      throw .refused("the board's device id is longer than \(Self.longestID) bytes: correct the firmware's diagnostics settings")
    }
    let table = LaneTable(database: database)
    let newest = try table.newest(source)
    if let newest, newest.header == source.destination.headerName {
      switch try vault.key(newest.keyFile) {
      case source.destination.key: return newest.id
      // The file was lost. What the same board says for the same address is the best that can be had.
      case nil:
        try vault.store(source.destination.key, as: newest.keyFile)
        return newest.id
      default: break
      }
    }
    guard try table.count() < limits.lanes else {
      throw .refused("the queue \(path) has \(limits.lanes) lanes already, one a board: move it away when all is uploaded, and start again")
    }
    let keyFile = try keyFile(of: source.destination.key, table)
    let lane = try database.transaction { () throws(ChunkQueueError) in
      let lane = try table.insert(source, keyFile: keyFile, at: wall())
      try table.fold(into: lane, source)
      return lane
    }
    try forgetKeys()
    return lane
  }

  /// Notes that chunks of a lane never came.
  ///
  /// - Parameter missing: how many, at least.
  public func recordGap(_ missing: Int, on lane: LaneID) throws(ChunkQueueError) {
    guard missing > 0, missing <= Int(Int32.max) else { throw .refused("a gap of \(missing) chunks is none") }
    let database = try database()
    try database.transaction { () throws(ChunkQueueError) in
      let changed = try database.run(
        "UPDATE lanes SET missing = missing + ? WHERE lane_id = ?", binding: [.integer(Int64(missing)), .integer(lane.row)])
      guard changed == 1 else { throw .unknownLane }
      try database.run(
        "INSERT INTO gaps (lane_id, after_received, missing, noted_at) SELECT lane_id, received, ?, ? FROM lanes WHERE lane_id = ?",
        binding: [.integer(Int64(missing)), .integer(wall()), .integer(lane.row)])
      try database.run("DELETE FROM gaps WHERE gap_id <= (SELECT max(gap_id) FROM gaps) - ?", binding: [.integer(Int64(limits.gaps))])
    }
  }

  /// How all lanes stand, in the order in which they began.
  public func status() throws(ChunkQueueError) -> [LaneStatus] {
    try LaneTable(database: database()).status()
  }

  /// Closes the database and lets go of the lock; further calls fail. A second `close` does nothing.
  public func close() {
    store?.database.checkpoint()
    store = nil
    arrival = nil
  }

  /// Calls `body` after every chunk that is stored, from now on; one listener.
  func whenChunksCome(_ body: (@Sendable () -> Void)?) { arrival = body }

  /// The open database; only for calls on this actor.
  func database() throws(ChunkQueueError) -> QueueDatabase {
    guard let store else { throw .closed }
    return store.database
  }

  func noteStored(chunks: Int, bytes: Int) { filled = (filled.chunks + chunks, filled.bytes + bytes) }

  func noteRemoved(chunks: Int, bytes: Int) { filled = (filled.chunks - chunks, filled.bytes - bytes) }

  func damage(_ what: String) -> ChunkQueueError {
    .damaged("the queue \(path): \(what): move it and its .keys folder away, and start again; the chunks in it are lost")
  }

  /// The file that holds a key already, for another board of the same project, or a new one.
  private func keyFile(of key: ProjectKey, _ table: LaneTable) throws(ChunkQueueError) -> String {
    for name in try table.keyFiles() {
      // One that cannot be read is told when its own lane needs it.
      if let known = try? vault.key(name), known == key { return name }
    }
    return try vault.store(key)
  }

  private func forgetKeys() throws(ChunkQueueError) {
    vault.keepOnly(try LaneTable(database: database()).keyFiles())
  }
}
