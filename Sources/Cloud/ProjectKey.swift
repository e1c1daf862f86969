import FoundationEssentials
import Glibc

/// A key of nRF Cloud or Memfault: a secret, which no text of this program ever shows.
public struct ProjectKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Longer keys are none: nRF Cloud's have 32 characters.
  static let longest = 256

  /// For a header field, and for nothing else.
  let secret: String

  /// Takes a key; nil for what cannot be one: empty, too long, or anything that would break a header field.
  public init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    secret = String(text)
  }

  /// Reads a file that only its owner may read: one line, the key.
  public init(file: String) throws(OTAError) {
    var status = stat()
    guard stat(file, &status) == 0 else { throw .keyFile(file, String(cString: strerror(errno)), "create it, with the project key in it and chmod 600") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .keyFile(file, "it is no file", "name a file that holds the project key") }
    guard status.st_mode & 0o077 == 0 else { throw .keyFile(file, "other users may read it", "chmod 600 it") }
    guard status.st_size <= Self.longest + 2, let data = try? Data(contentsOf: URL(filePath: file)) else {
      throw .keyFile(file, "it cannot be read, or is too long for a key", "put the project key into it, and nothing else")
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters { $0.isWhitespace }
    guard let key = ProjectKey(text) else { throw .keyFile(file, "it holds no key", "put the project key into it, and nothing else") }
    self = key
  }

  public var description: String { "(a project key)" }
  public var debugDescription: String { description }
  /// A dump shows no secrets either.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
  fileprivate func trimmingCharacters(where isTrimmed: (Character) -> Bool) -> Substring {
    var text = self[...]
    while let first = text.first, isTrimmed(first) { text.removeFirst() }
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
