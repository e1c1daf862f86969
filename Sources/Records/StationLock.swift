import CSQLite
public import Flashing
import Glibc

/// The lock file beside the database (`<database>.lock`): one job per database (contract §2).
///
/// The kernel lets go of it when the process ends, however it ends; the process number inside is only for people. The file is never
/// removed: removing it would let two jobs lock two files of the same name.
public final class StationLock: Sendable {
  private let file: Int32

  /// Takes the lock, until the last reference to this object is gone. Throws `busy` when somebody holds it.
  public init(database: String) throws(RecordError) {
    let path = database + ".lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .system(path, errno, doing: "the lock file cannot be opened") }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      let holder = Self.holder(file)
      close(file)
      guard number == EWOULDBLOCK else { throw .system(path, number, doing: "the lock cannot be taken") }
      throw .busy("\(database): another job holds it\(holder.map { " (process \($0))" } ?? ""): wait for its end, or give this job another database")
    }
    self.file = file
    let text = "\(getpid())\n"
    // Only for people: a full disk must not keep a job from saying so itself.
    _ = ftruncate(file, 0)
    _ = pwrite(file, text, text.utf8.count, 0)
  }

  deinit { close(file) }

  private static func holder(_ file: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self))
  }
}
