import Catalogue
import Glibc

/// An artefact on its way: a file that one process at a time writes, and that gets its name when it is whole.
final class ArtefactPart {
  let path: String
  /// Open for reading and writing, with the lock of whoever fetches.
  let descriptor: Int32

  /// Throws `inUse` while another process has it.
  init(_ path: String) throws(OTAError) {
    // Nothing is kept before all of it is well: a half-made part would be closed, and another process's removed, by `deinit`.
    let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw Self.failure(path) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      close(opened)
      throw .inUse
    }
    self.path = path
    descriptor = opened
  }

  deinit {
    // Nothing that a later fetch could go on with.
    if length == 0 { unlink(path) }
    close(descriptor)
  }

  /// In bytes.
  var length: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Goes behind the last byte, and says where that is.
  func end() throws(OTAError) -> Int {
    let place = lseek(descriptor, 0, SEEK_END)
    guard place >= 0 else { throw Self.failure(path) }
    return Int(place)
  }

  /// Throws away what is there.
  func cut() throws(OTAError) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
  }

  func flush() throws(OTAError) {
    guard fsync(descriptor) == 0 else { throw Self.failure(path) }
  }

  /// Gives it its name, for good: also after a power cut.
  func keep(as whole: String, in folder: String) throws(OTAError) {
    guard rename(path, whole) == 0 else { throw Self.failure(whole) }
    Self.flushFolder(folder)
  }

  /// Names are the folder's; a folder that cannot be flushed (some network file systems) costs a fetch after a power cut, and nothing else.
  static func flushFolder(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  static func failure(_ path: String) -> OTAError { .transport(.cannotWrite("\(path): \(String(cString: strerror(errno)))")) }
}
