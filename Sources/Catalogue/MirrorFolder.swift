// Glibc: FoundationEssentials has no fsync, no flock, and no reading with a limit.
import Glibc

/// The files of a mirror: read with limits, written beside their place, synced and renamed.
struct MirrorFolder: Hashable, Sendable {
  let path: String

  static let (catalogueName, pinsName, lockName) = ("catalogue.json", "pins.json", ".lock")
  private static let partSuffix = ".part"

  func file(_ name: String) -> String { path + "/" + name }

  /// Where a file is written before it is moved to its place; free, whatever an earlier run left there.
  func part(of name: String) throws(CatalogueError) -> String {
    let slash = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    try makeFolders(String(name[..<slash]))
    let part = file(name[..<slash] + "." + name[slash...] + Self.partSuffix)
    guard unlink(part) == 0 || errno == ENOENT else { throw Self.failure(part) }
    return part
  }

  /// The content of a regular file of at most `limit` bytes, not followed through a link; nil when there is none.
  func read(_ name: String, limit: Int) throws(CatalogueError) -> [UInt8]? {
    try Self.read(file(name), limit: limit)
  }

  static func read(_ path: String, limit: Int) throws(CatalogueError) -> [UInt8]? {
    // O_NONBLOCK: a pipe put there must not hold the station.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .disk(path: path, "this is not a regular file") }
    guard status.st_size <= limit else { throw .disk(path: path, "it has more than \(limit) bytes") }
    let size = Int(status.st_size)
    var failed: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = 0
      while count < size {
        let read = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
        if read < 0, errno == EINTR { continue }
        if read < 0 { failed = errno }
        guard read > 0 else { return }
        count += read
      }
    }
    guard failed == 0 else { throw failure(path, failed) }
    return bytes
  }

  /// Size of a regular file; nil when there is none.
  func size(_ name: String) -> Int? {
    var status = stat()
    guard lstat(file(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Replaces a file as a whole.
  func replace(_ name: String, _ bytes: [UInt8]) throws(CatalogueError) {
    let part = try part(of: name)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure(part) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        close(descriptor)
        throw Self.failure(part, code)
      }
      rest = rest.dropFirst(count)
    }
    close(descriptor)
    try install(part, as: name)
  }

  /// Moves a complete part to its place, so that it is there after a power cut as well.
  func install(_ part: String, as name: String) throws(CatalogueError) {
    try Self.sync(part)
    guard rename(part, file(name)) == 0 else { throw Self.failure(file(name)) }
    let target = file(name)
    try Self.sync(String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)]))
  }

  /// Makes the folder and those in it that lead to a file.
  func makeFolders(_ below: String = "") throws(CatalogueError) {
    let parts = (path + "/" + below).split(separator: "/").map(String.init)
    var folder = path.hasPrefix("/") ? "/" : ""
    for part in parts {
      folder += part
      guard mkdir(folder, 0o755) == 0 || errno == EEXIST || errno == EISDIR else { throw Self.failure(folder) }
      folder += "/"
    }
  }

  /// Takes the mirror for writing.
  func lock() throws(CatalogueError) -> FolderLock {
    try makeFolders()
    let descriptor = open(file(Self.lockName), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw Self.failure(file(Self.lockName)) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      if code == EWOULDBLOCK { throw .busy(folder: path) }
      throw Self.failure(file(Self.lockName), code)
    }
    return FolderLock(descriptor: descriptor)
  }

  func remove(_ part: String) { unlink(part) }

  private static func sync(_ path: String) throws(CatalogueError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String, _ code: Int32 = errno) -> CatalogueError { .disk(path: path, String(cString: strerror(code))) }
}

/// A mirror in use by one refresh; the kernel gives it back, too, when the process ends.
struct FolderLock {
  let descriptor: Int32

  func release() { close(descriptor) }
}
