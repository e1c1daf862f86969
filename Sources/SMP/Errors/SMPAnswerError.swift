/// Why the body of an answer is not what its command promises.
public enum SMPDecodeError: Error, Hashable, Sendable {
  case cbor(CBORError)
  /// The body is no map.
  case notAMap
  /// This key must be there and is not.
  case missing(String)
  /// The value of this key has another type than documented.
  case wrongType(String)
  /// The value of this key has the right type, but no meaning.
  case outOfRange(String)
}

/// Why a request got an answer but no response.
public enum SMPAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The board refused.
  case refused(SMPResponseError)
  /// The board's answer cannot be understood.
  case unreadable(SMPDecodeError)

  public var description: String {
    switch self {
    case .refused(let error): error.description
    case .unreadable(.cbor(let error)): "the board's answer is not valid CBOR (\(error))"
    case .unreadable(.notAMap): "the board's answer is not a map"
    case .unreadable(.missing(let key)): "the board's answer lacks '\(key)'"
    case .unreadable(.wrongType(let key)): "'\(key)' in the board's answer has the wrong type"
    case .unreadable(.outOfRange(let key)): "'\(key)' in the board's answer has a value without meaning"
    }
  }
}
