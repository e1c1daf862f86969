public import FoundationEssentials
// Glibc: FoundationEssentials copies files whole, without a limit and without looking at what they are.
import Glibc

/// Copies files of this computer: a catalogue on a share or a stick.
public struct FileFetcher: Fetcher {
  private static let chunkSize = 256 << 10

  public init() {}

  public func fetch(_ url: URL, to path: String, limit: Int) async throws(FetchError) -> Int {
    guard url.isFileURL else { throw .badAddress }
    let source = open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: throw .notFound
      case EACCES, EPERM: throw .notAllowed(status: nil)
      default: throw .cannotRead(Self.reason)
      }
    }
    defer { close(source) }
    var status = stat()
    guard fstat(source, &status) == 0 else { throw .cannotRead(Self.reason) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .cannotRead("this is not a regular file") }
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard target >= 0 else { throw .cannotWrite(Self.reason) }
    defer { close(target) }
    return try Self.copy(source, target, limit)
  }

  /// The file may grow meanwhile, so the limit holds for what is read.
  private static func copy(_ source: Int32, _ target: Int32, _ limit: Int) throws(FetchError) -> Int {
    var chunk = [UInt8](repeating: 0, count: chunkSize)
    var total = 0
    while true {
      guard !Task.isCancelled else { throw .cancelled }
      let count = read(source, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannotRead(reason) }
      guard count > 0 else { return total }
      total += count
      guard total <= limit else { throw .tooLarge(limit: limit) }
      var rest = chunk[..<count]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw .cannotWrite(reason) }
        rest = rest.dropFirst(written)
      }
    }
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
