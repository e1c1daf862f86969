import FoundationEssentials
import Glibc
import SQLite

/// The files of a queue: the database, its lock and its folder of keys, each for their owner only.
enum QueueFile {
  /// Takes the lock, opens or makes the database, checks and migrates it.
  static func open(_ path: String, _ vault: KeyVault) throws(ChunkQueueError) -> (QueueDatabase, FileLock) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    if !folder.isEmpty {
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw .notWritable("\(folder): the queue's folder cannot be made: correct [cloud] queue in station.conf or the permissions")
      }
    }
    let lock = try lock(path)
    try vault.prepare()
    try create(path)
    let database = try QueueDatabase(path, .readWrite)
    try QueueSchema.prepare(database)
    return (database, lock)
  }

  private static func lock(_ path: String) throws(ChunkQueueError) -> FileLock {
    do throws(FileLock.Refusal) {
      return try FileLock(path + ".lock", mode: 0o600)
    } catch {
      switch error {
      case .held(let process):
        throw .inUse("the queue \(path) is in use by another process\(process.map { " (\($0))" } ?? ""): wait for its end, or stop it")
      case .system(let number, let doing):
        throw .system(path + ".lock", number, doing: doing)
      }
    }
  }

  /// Before SQLite would: it takes the mode of the database for its log, too.
  private static func create(_ path: String) throws(ChunkQueueError) {
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw .system(path, errno, doing: "the queue cannot be opened") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .refused("\(path) is no file: correct [cloud] queue in station.conf") }
    guard status.st_mode & 0o077 != 0 else { return }
    guard fchmod(file, 0o600) == 0 else { throw .system(path, errno, doing: "other users may read the queue, and this cannot be changed") }
  }
}
