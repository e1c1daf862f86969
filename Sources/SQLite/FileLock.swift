import CSQLite
import Glibc

/// A lock file that one process holds, until the last reference to this object is gone.
///
/// The kernel lets go of it when the process ends, however it ends; the process number inside is only for people. The file is never
/// removed: removing it would let two processes lock two files of the same name.
public final class FileLock: Sendable {
  /// Why the lock was not taken.
  public enum Refusal: Error, Hashable, Sendable {
    /// Another holds it; its process number when it could be read.
    case held(process: Int32?)
    /// A system call failed.
    case system(number: Int32, doing: String)
  }

  private let file: Int32

  /// Takes the lock at once or not at all.
  ///
  /// - Parameter mode: of the file, where it has to be made.
  public init(_ path: String, mode: UInt32) throws(Refusal) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard file >= 0 else { throw .system(number: errno, doing: "the lock file cannot be opened") }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      let holder = Self.holder(file)
      close(file)
      guard number == EWOULDBLOCK else { throw .system(number: number, doing: "the lock cannot be taken") }
      throw .held(process: holder)
    }
    self.file = file
    let text = "\(getpid())\n"
    // Only for people: a full disk must not keep a process from saying so itself.
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
