public import Flashing
import SQLite

/// The lock file beside the database (`<database>.lock`): one job per database (contract §2).
public final class StationLock: Sendable {
  private let lock: FileLock

  /// Takes the lock, until the last reference to this object is gone. Throws `busy` when somebody holds it.
  public init(database: String) throws(RecordError) {
    let path = database + ".lock"
    do throws(FileLock.Refusal) {
      lock = try FileLock(path, mode: 0o644)
    } catch {
      switch error {
      case .held(let holder):
        throw .busy("\(database): another job holds it\(holder.map { " (process \($0))" } ?? ""): wait for its end, or give this job another database")
      case .system(let number, let doing):
        throw .system(path, number, doing: doing)
      }
    }
  }
}
