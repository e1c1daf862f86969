import Glibc

/// A small file that only its owner may read: what holds a secret, and is taken from nothing else.
enum PrivateFile {
  enum Failure: Error {
    case system(Int32)
    case notAFile
    case othersMayRead
  }

  /// Reads at most `limit` octets.
  /// - Parameter linked: whether the path may be a symbolic link.
  static func read(_ path: String, limit: Int, linked: Bool) throws(Failure) -> [UInt8] {
    // O_NONBLOCK: opening a pipe by mistake must not wait for a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (linked ? 0 : O_NOFOLLOW))
    guard file >= 0 else { throw .system(errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard status.st_mode & 0o077 == 0 else { throw .othersMayRead }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = Glibc.read(file, &bytes, limit)
    guard count >= 0 else { throw .system(errno) }
    return Array(bytes.prefix(count))
  }
}
