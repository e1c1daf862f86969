import FoundationEssentials

/// A piece of JSON as it came: objects and texts are looked at, everything else is only known to be something else.
indirect enum CatalogueNode: Decodable {
  case object([String: CatalogueNode])
  case text(String)
  case other

  /// Objects within objects; what lies deeper than a leaf's values is not looked at.
  private static let depthLimit = 5

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self = .text(text)
    } else if decoder.codingPath.count < Self.depthLimit, let object = try? decoder.container(keyedBy: Key.self) {
      var members: [String: CatalogueNode] = [:]
      for key in object.allKeys { members[key.stringValue] = try object.decode(CatalogueNode.self, forKey: key) }
      self = .object(members)
    } else {
      self = .other
    }
  }

  /// Reads a document; nil when it is not JSON.
  init?(json: [UInt8]) {
    guard let node = try? JSONDecoder().decode(CatalogueNode.self, from: Data(json)) else { return nil }
    self = node
  }
}
