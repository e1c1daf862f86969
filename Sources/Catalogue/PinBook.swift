import Firmware
import FoundationEssentials

/// `pins.json` of a mirror: what is trusted, and nothing that is not in it.
struct PinBook: Hashable, Codable {
  private static let currentFormat = 1

  private var format = Self.currentFormat
  /// Where the catalogue came from, for people.
  var source: String
  /// SHA-256 of `catalogue.json`. Two while one is replaced by the other, so that the station's death between both files loses neither.
  var catalogue: [String]
  /// By path below the mirror's folder.
  private(set) var artefacts: [String: Pin]

  init(source: String) {
    self.source = source
    catalogue = []
    artefacts = [:]
  }

  /// Reads a book; whatever does not fit makes all of it unusable, for somebody has been at it.
  init(json: [UInt8], file: String) throws(CatalogueError) {
    do {
      self = try JSONDecoder().decode(PinBook.self, from: Data(json))
    } catch {
      throw .pinsBroken(file: file, "it is not what Flashline wrote")
    }
    guard format == Self.currentFormat else { throw .pinsBroken(file: file, "its format is \(format), and \(Self.currentFormat) is known") }
    guard catalogue.allSatisfy(Pin.isHash) else { throw .pinsBroken(file: file, "its catalogue has no SHA-256") }
    for (path, pin) in artefacts.sorted(by: { $0.key < $1.key }) where !pin.isSound || !Self.isPath(path) {
      throw .pinsBroken(file: file, "its pin \(quoted(path)) makes no sense")
    }
  }

  /// Keys in order, a line each, so that people and `diff` can read it.
  func json() throws(CatalogueError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    } catch {
      throw .pinsBroken(file: "pins.json", "it cannot be written as JSON")
    }
  }

  /// A pin is set once and never replaced.
  mutating func pin(_ path: String, _ pin: Pin) {
    if artefacts[path] == nil { artefacts[path] = pin }
  }

  private static func isPath(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts.allSatisfy { PathPart.isSafe($0) }
  }
}
