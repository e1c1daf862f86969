import FoundationEssentials

/// Decodes the text of a manifest, or says in one line what is wrong with it.
enum ManifestDecoding {
  /// A byte order mark, which some editors put first.
  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  static func decode<Document: Decodable>(_ type: Document.Type, from json: [UInt8]) throws(PackageError) -> Document {
    let text = json.starts(with: mark) ? json.dropFirst(mark.count) : json[...]
    // The decoder for JSON5 traps on bytes between keys that are no UTF-8 (Swift 6.3; found by fuzzing).
    guard String(validating: text, as: UTF8.self) != nil else { throw .manifestInvalid("it is not UTF-8") }
    let decoder = JSONDecoder()
    // Older generators wrote `"load_address": 0xc000` without quotation marks, which is JSON5 and not JSON.
    decoder.allowsJSON5 = true
    do {
      return try decoder.decode(type, from: Data(text))
    } catch let error as DecodingError {
      throw .manifestInvalid(sentence(error))
    } catch {
      throw .manifestInvalid("it is not JSON")
    }
  }

  private static func sentence(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context): "\(path(context.codingPath)) has a value of the wrong type"
    case .valueNotFound(_, let context): "\(path(context.codingPath)) is null"
    case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty ? "it is not JSON" : "\(path(context.codingPath)): \(clean(context.debugDescription))"
    @unknown default: "it is not JSON"
    }
  }

  /// `files[0].size`
  private static func path(_ keys: [any CodingKey]) -> String {
    let text = keys.reduce("") { text, key in
      if let index = key.intValue { return "\(text)[\(index)]" }
      return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
    }
    return text.isEmpty ? "the document" : text
  }

  /// The decoder's own words may quote the file: one line, nothing that a terminal would act on.
  private static func clean(_ text: String) -> String {
    let shown = quoted(text, limit: 120).dropFirst().dropLast()
    return shown.hasSuffix(".") ? String(shown.dropLast()) : String(shown)
  }
}
