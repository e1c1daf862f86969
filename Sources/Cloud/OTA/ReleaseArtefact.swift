import Catalogue
public import FoundationEssentials

/// One file of a release.
public struct ReleaseArtefact: Hashable, Sendable {
  /// What the server calls it: shown, compared with what an operator names, and never made a path.
  public var fileName: String
  public var id: String?
  public var type: String?
  public var hardwareVersion: String?
  /// Bytes, where the server says so.
  public var size: Int?
  public var url: URL
  /// 64 hexadecimal digits in lower case; nil where the server tells none.
  public var sha256: String?

  /// The name for people and records: what follows the last slash, on one line, harmless on a terminal.
  public var shownName: String {
    let last = fileName.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    let name = last.isEmpty || last == "." || last == ".." ? id.map { "artefact \($0)" } ?? "artefact without a name" : last
    let harmless = name.unicodeScalars.prefix(80).map { (scalar) -> Character in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: "?"
      default: Character(scalar)
      }
    }
    return String(harmless)
  }

  init(_ document: Document) throws(OTAError) {
    guard let url = URL(string: document.url, encodingInvalidCharacters: false), NetworkAddress.host(of: url) != nil else {
      throw .nonsense("an artefact has no address")
    }
    if let size = document.file_size, size <= 0 { throw .nonsense("an artefact has \(size) bytes") }
    let sha256 = document.sha256?.lowercased()
    if let sha256, !sha256.isEmpty, sha256.utf8.count != 64 || !sha256.allSatisfy(\.isHexDigit) { throw .nonsense("an artefact has no whole SHA-256") }
    fileName = document.filename ?? ""
    id = document.id.map { String($0) }
    type = document.type
    hardwareVersion = document.hardware_version
    size = document.file_size
    self.url = url
    self.sha256 = sha256?.isEmpty == true ? nil : sha256
  }

  /// The document's keys, as they are written there.
  struct Document: Decodable {
    var id: Int64?
    var type: String?
    var hardware_version: String?
    var filename: String?
    var file_size: Int?
    var url: String
    var sha256: String?
  }
}
