public import Flashing
import Glibc

/// Writing a file so that its name always shows a whole one: a temporary file in the same folder, fsync, rename, fsync of the folder.
public enum ReplacedFile {
  /// Puts what `body` writes under `path`; on any failure the file that was there stays as it was.
  ///
  /// - Throws: `RecordError.notWritable` with the path and the system's words, or what `body` throws.
  public static func write(_ path: String, _ body: (ByteSink) throws(RecordError) -> Void) throws(RecordError) {
    let (folder, name) = split(path)
    // One writer a file: reports are written under the station's lock. A file that a crash left behind is written over.
    let temporary = folder + "/." + name + ".tmp"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .system(path, errno, doing: "cannot be written") }
    do throws(RecordError) {
      defer { close(file) }
      try body { bytes throws(RecordError) in try append(bytes, to: file, path: path) }
      guard fsync(file) == 0 else { throw RecordError.system(path, errno, doing: "cannot be brought to the disk") }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let number = errno
      unlink(temporary)
      throw .system(path, number, doing: "cannot be put in its place")
    }
    try flushFolder(folder)
  }

  /// Brings a folder's names to the disk: a rename is lost in a power cut without it.
  private static func flushFolder(_ folder: String) throws(RecordError) {
    let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw .system(folder, errno, doing: "the folder cannot be opened") }
    defer { close(handle) }
    guard fsync(handle) == 0 else { throw .system(folder, errno, doing: "the folder cannot be brought to the disk") }
  }

  private static func append(_ bytes: [UInt8], to file: Int32, path: String) throws(RecordError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system(path, count < 0 ? errno : EIO, doing: "cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }
}
