import FoundationEssentials

/// A release of firmware, as a server tells it (facts/device-manager.md §7.2).
public struct Release: Hashable, Sendable {
  /// More artefacts than a release has.
  static let mostArtefacts = 64

  public var version: String
  public var notes: String?
  /// The server wants boards to run this release before any later one.
  public var mustPassThrough: Bool
  public var isDelta: Bool
  public var artefacts: [ReleaseArtefact]

  /// Reads the body of an answer with status 200. Keys that older servers leave out may be missing; what is needed for a download may not.
  init(json: [UInt8]) throws(OTAError) {
    let document: Document
    do { document = try JSONDecoder().decode(Document.self, from: Data(json)) } catch { throw .nonsense(Self.words(error)) }
    guard !document.version.isEmpty, document.version.utf8.count <= ReleaseQuery.longestValue else { throw .nonsense("its version is empty or too long") }
    guard (1...Self.mostArtefacts).contains(document.artifacts.count) else { throw .nonsense("it has \(document.artifacts.count) artefacts") }
    version = document.version
    notes = document.notes
    mustPassThrough = document.must_pass_through ?? false
    isDelta = document.is_delta ?? false
    var artefacts: [ReleaseArtefact] = []
    for item in document.artifacts { artefacts.append(try ReleaseArtefact(item)) }
    self.artefacts = artefacts
  }

  /// The artefact to fetch: the named one (by file name, type or number), or the only one for this hardware.
  public func artefact(named name: String?, hardwareVersion: String) throws(OTAError) -> ReleaseArtefact {
    if let name {
      let found = artefacts.filter { $0.fileName == name || $0.shownName == name || $0.type == name || $0.id == name }
      guard let first = found.first, found.count == 1 else {
        throw found.isEmpty ? .noSuchArtefact(artefacts.map(\.shownName)) : .ambiguous(found.map(\.shownName))
      }
      return first
    }
    // An artefact that names no hardware is for all.
    let fitting = artefacts.filter { ($0.hardwareVersion ?? hardwareVersion) == hardwareVersion }
    guard let first = fitting.first else { throw .noSuchArtefact(artefacts.map(\.shownName)) }
    guard fitting.count == 1 else { throw .ambiguous(fitting.map(\.shownName)) }
    return first
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\(context.codingPath.last?.stringValue ?? "it") has another type"
    default: "it is not JSON"
    }
  }

  /// The document's keys, as they are written there.
  private struct Document: Decodable {
    var version: String
    var notes: String?
    var must_pass_through: Bool?
    var is_delta: Bool?
    var artifacts: [ReleaseArtefact.Document]
  }
}
