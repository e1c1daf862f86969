import FoundationEssentials
import Glibc
import Testing
import VirtualLine

/// A folder of its own for one test, removed with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/flashline-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }
}

/// Reads a line's truth as the demo does.
enum LineTruthReader {
  static func read(_ text: String) throws -> LineTruth { try JSONDecoder().decode(LineTruth.self, from: Data(text.utf8)) }
}
