import Firmware

/// What an artefact was when it was first fetched.
public struct Pin: Hashable, Sendable, Codable {
  /// SHA-256 of the file, lower-case hexadecimal.
  public let sha256: String
  /// In bytes.
  public let size: Int

  init(of content: [UInt8]) throws(CatalogueError) {
    sha256 = try Self.hash(content)
    size = content.count
  }

  /// Whether it can be one at all; it may have been read from anywhere.
  var isSound: Bool { Self.isHash(sha256) && size >= 0 }

  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }

  static func hash(_ content: [UInt8]) throws(CatalogueError) -> String {
    do throws(PackageError) {
      return try Digest(.sha256, of: content).hex
    } catch {
      throw .hashingUnavailable
    }
  }
}
