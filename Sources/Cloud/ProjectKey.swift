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
    let shown = String(file.unicodeScalars.prefix(1024).map { $0.properties.generalCategory == .control ? "?" : Character($0) })
    let limit = Self.longest + 3  // With a line's end, and one to see that there is more.
    let bytes: [UInt8]
    do {
      bytes = try PrivateFile.read(file, limit: limit, linked: true)
    } catch {
      switch error {
      case .system(let number): throw .keyFile(shown, String(cString: strerror(number)), "create it, with the project key in it and chmod 600")
      case .notAFile: throw .keyFile(shown, "it is no file", "name a file that holds the project key")
      case .othersMayRead: throw .keyFile(shown, "other users may read it", "chmod 600 it")
      }
    }
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters { $0.isWhitespace }
    guard bytes.count < limit, let key = ProjectKey(text) else { throw .keyFile(shown, "it holds no key", "put the project key into it, and nothing else") }
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
