import FoundationEssentials
import Glibc

/// The project keys of a queue: files that only their owner may read, in a folder of their own. Rows of the queue hold their names.
struct KeyVault: Sendable {
  /// Random octets of a name: a digest would let whoever reads the database try keys.
  static let nameOctets = 16

  let folder: String

  /// Makes the folder, or refuses one that others may look into.
  func prepare() throws(ChunkQueueError) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .system(folder, errno, doing: "the folder of the keys cannot be made") }
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw .system(folder, errno, doing: "the folder of the keys cannot be looked at") }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .keyFile(folder, "it is no folder", "move it away") }
    guard status.st_uid == geteuid() else { throw .keyFile(folder, "it belongs to another user", "give it to the user that the station runs as") }
    guard status.st_mode & 0o077 == 0 else { throw .keyFile(folder, "other users may look into it", "chmod 700 it, and check who had the keys") }
  }

  /// Writes a key under a new name; it is on the disk when this returns.
  func store(_ key: ProjectKey) throws(ChunkQueueError) -> String {
    var generator = SystemRandomNumberGenerator()
    let name = (0..<Self.nameOctets).map { _ in Self.hex(UInt8.random(in: .min ... .max, using: &generator)) }.joined()
    try store(key, as: name)
    return name
  }

  func store(_ key: ProjectKey, as name: String) throws(ChunkQueueError) {
    let path = try path(name)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system(path, errno, doing: "the key cannot be written") }
    defer { close(file) }
    let bytes = Array(key.secret.utf8)
    guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      let number = errno
      unlink(path)
      throw .system(path, number, doing: "the key cannot be written")
    }
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw .system(folder, errno, doing: "the folder of the keys cannot be opened") }
    defer { close(opened) }
    guard fsync(opened) == 0 else { throw .system(folder, errno, doing: "the folder of the keys cannot be brought to the disk") }
  }

  /// Reads a key; nil when the file is gone.
  func key(_ name: String) throws(ChunkQueueError) -> ProjectKey? {
    let path = try path(name)
    let bytes: [UInt8]
    do {
      bytes = try PrivateFile.read(path, limit: ProjectKey.longest + 1, linked: false)
    } catch {
      switch error {
      case .system(ENOENT): return nil
      case .system(let number): throw .keyFile(path, String(cString: strerror(number)), "correct its permissions, or remove it: the board brings its key again")
      case .notAFile: throw .keyFile(path, "it is no file", "remove it: the board brings its key again")
      case .othersMayRead: throw .keyFile(path, "other users may read it", "chmod 600 it, and check who had the key")
      }
    }
    guard let key = ProjectKey(String(decoding: bytes, as: UTF8.self)) else {
      throw .keyFile(path, "it holds no key", "remove it: the board brings its key again")
    }
    return key
  }

  /// Removes the keys that no lane needs any more.
  func keepOnly(_ names: Set<String>) {
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for file in files where Self.isName(file) && !names.contains(file) { unlink(folder + "/" + file) }
  }

  func path(_ name: String) throws(ChunkQueueError) -> String {
    guard Self.isName(name) else { throw .damaged("\(folder): the queue names a key file that cannot be one: move the queue away, and start again") }
    return folder + "/" + name
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count == 2 * nameOctets
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }

  private static func hex(_ octet: UInt8) -> String { (octet < 16 ? "0" : "") + String(octet, radix: 16) }
}
