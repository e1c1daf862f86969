// Glibc: FoundationEssentials reads files whole, without a limit and without looking at what they are.
import Glibc

/// Reads small files that people wrote, with a limit before the allocation.
public enum TextFile {
  /// The bytes of a regular file of at most `limit` bytes.
  static func read(_ path: String, limit: Int) throws(ConfigurationError) -> [UInt8] {
    // O_NONBLOCK: opening a pipe by mistake must not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw cannotRead(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw cannotRead(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ConfigurationError(file: path, "is not a file", remedy: "name a text file")
    }
    guard status.st_size <= limit else { throw tooLarge(path, limit) }
    return try readAll(descriptor, path, limit)
  }

  /// Whether there is something at `path` that can be opened for reading.
  public static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

  private static func readAll(_ descriptor: Int32, _ path: String, _ limit: Int) throws(ConfigurationError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    // The file may grow meanwhile: the limit holds for what is read, too.
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw cannotRead(path, errno) }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw tooLarge(path, limit) }
    }
  }

  private static func cannotRead(_ path: String, _ code: Int32) -> ConfigurationError {
    let reason = code == ENOENT ? "does not exist" : "cannot be read (\(String(cString: strerror(code))))"
    return ConfigurationError(file: path, reason, remedy: "check the path and the permissions")
  }

  private static func tooLarge(_ path: String, _ limit: Int) -> ConfigurationError {
    ConfigurationError(file: path, "is larger than \(limit) bytes", remedy: "name the right file, or make it smaller")
  }
}
