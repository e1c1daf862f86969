/// The map of a request, read as leniently as Zephyr's server reads it (smp.md §1.2).
///
/// Both map forms are taken, unknown keys are ignored, and bytes behind the map do not matter.
struct RequestMap: Sendable {
  /// A value of a kind that the handlers know; everything else is skipped.
  enum Value: Hashable, Sendable {
    case unsigned(UInt64)
    case bytes([UInt8])
    case text(String)
    case flag(Bool)
    /// Of values of these kinds.
    case list([Value])
    case other
  }

  private let values: [String: Value]

  /// Nesting deeper than this is no request of any group here.
  private static let deepest = 8

  /// Throws rc 3 (invalid value) when the payload is no CBOR map; no payload at all counts as an empty map.
  init(_ payload: [UInt8]) throws(Refusal) {
    guard !payload.isEmpty else {
      values = [:]
      return
    }
    guard let (head, start) = CBORToken.read(payload, at: 0), case .map(let count) = head else { throw .status(3) }
    var values: [String: Value] = [:]
    var offset = start
    var left = count
    while left != 0 {
      guard let (key, afterKey) = CBORToken.read(payload, at: offset) else { throw .status(3) }
      if key == .end, count == nil { break }
      guard case .text(let name) = key, let (token, next) = CBORToken.read(payload, at: afterKey) else { throw .status(3) }
      if case .list(let length) = token {
        let (items, end) = try Self.items(length, payload, next)
        values[String(decoding: name, as: UTF8.self)] = .list(items)
        offset = end
      } else {
        values[String(decoding: name, as: UTF8.self)] = Self.value(token)
        offset = try Self.skip(token, payload, next, depth: 1)
      }
      left = left.map { $0 - 1 }
    }
    self.values = values
  }

  var isEmpty: Bool { values.isEmpty }

  /// The value as it came, whatever its kind; nil when the key is absent.
  subscript(key: String) -> Value? { values[key] }

  /// A known key with the wrong type spoils the whole request: rc 3.
  func unsigned(_ key: String) throws(Refusal) -> Int? {
    guard let value = values[key] else { return nil }
    guard case .unsigned(let number) = value else { throw .status(3) }
    return Int(clamping: number)
  }

  func bytes(_ key: String) throws(Refusal) -> [UInt8]? {
    guard let value = values[key] else { return nil }
    guard case .bytes(let bytes) = value else { throw .status(3) }
    return bytes
  }

  func text(_ key: String) throws(Refusal) -> String? {
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value else { throw .status(3) }
    return text
  }

  /// A list of texts; nil when the key is absent.
  func texts(_ key: String) throws(Refusal) -> [String]? {
    guard let items = try list(key) else { return nil }
    var texts: [String] = []
    for item in items {
      guard case .text(let text) = item else { throw .status(3) }
      texts.append(text)
    }
    return texts
  }

  /// A list of numbers; nil when the key is absent.
  func numbers(_ key: String) throws(Refusal) -> [UInt64]? {
    guard let items = try list(key) else { return nil }
    var numbers: [UInt64] = []
    for item in items {
      guard case .unsigned(let number) = item else { throw .status(3) }
      numbers.append(number)
    }
    return numbers
  }

  private func list(_ key: String) throws(Refusal) -> [Value]? {
    guard let value = values[key] else { return nil }
    guard case .list(let items) = value else { throw .status(3) }
    return items
  }

  /// An absent flag is false.
  func flag(_ key: String) throws(Refusal) -> Bool {
    guard let value = values[key] else { return false }
    guard case .flag(let flag) = value else { throw .status(3) }
    return flag
  }

  private static func value(_ token: CBORToken) -> Value {
    switch token {
    case .unsigned(let number): .unsigned(number)
    case .bytes(let bytes): .bytes(bytes)
    case .text(let text): .text(String(decoding: text, as: UTF8.self))
    case .flag(let flag): .flag(flag)
    default: .other
    }
  }

  /// The items of a list that has been opened, and where the next item begins.
  private static func items(_ length: Int?, _ payload: [UInt8], _ start: Int) throws(Refusal) -> ([Value], Int) {
    var items: [Value] = []
    var offset = start
    var left = length
    while left != 0 {
      guard let (token, next) = CBORToken.read(payload, at: offset) else { throw .status(3) }
      offset = next
      if token == .end, length == nil { break }
      items.append(value(token))
      offset = try skip(token, payload, offset, depth: 2)
      left = left.map { $0 - 1 }
    }
    return (items, offset)
  }

  /// Steps over what belongs to a list or map that has been opened.
  private static func skip(_ token: CBORToken, _ payload: [UInt8], _ offset: Int, depth: Int) throws(Refusal) -> Int {
    let items: Int?
    switch token {
    case .list(let count): items = count
    case .map(let count): items = count.map { $0.multipliedReportingOverflow(by: 2).overflow ? Int.max : $0 * 2 }
    default: return offset
    }
    guard depth < deepest else { throw .status(3) }
    var offset = offset
    var left = items
    while left != 0 {
      guard let (inner, next) = CBORToken.read(payload, at: offset) else { throw .status(3) }
      offset = next
      if inner == .end, items == nil { break }
      offset = try skip(inner, payload, offset, depth: depth + 1)
      left = left.map { $0 - 1 }
    }
    return offset
  }
}
