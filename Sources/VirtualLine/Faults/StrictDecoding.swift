extension KeyedDecodingContainer {
  /// The value of a key, or `current` when the key is absent; the type is `current`'s.
  func decodeIfPresent<Value: Decodable>(_ current: Value, _ key: Key) throws -> Value {
    try decodeIfPresent(Value.self, forKey: key) ?? current
  }
}

extension Decoder {
  /// Throws when the object holds a key that is not in `known`.
  func refuseUnknownKeys(_ known: [String]) throws {
    for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
      let text = "unknown key \"\(key.stringValue)\"; known are: \(known.joined(separator: ", "))"
      throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: text))
    }
  }
}

/// Any key of a JSON object.
struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
