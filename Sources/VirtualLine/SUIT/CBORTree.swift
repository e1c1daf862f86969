/// A whole CBOR item as a SUIT board reads it, within limits; what it does not know is `other`.
indirect enum CBORTree: Hashable, Sendable {
  case unsigned(UInt64)
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case list([CBORTree])
  case map([Entry])
  case other

  struct Entry: Hashable, Sendable {
    var key: CBORTree
    var value: CBORTree
  }

  private static let deepest = 12
  private static let mostItems = 4096

  /// The first item of the bytes; nil when they hold none, or one beyond the limits.
  static func read(_ bytes: [UInt8], at start: Int = 0) -> CBORTree? {
    var left = mostItems
    return item(bytes, start, depth: 0, &left)?.tree
  }

  /// The value of a key of a map.
  subscript(key: CBORTree) -> CBORTree? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == key }?.value
  }

  var content: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  private static func item(_ bytes: [UInt8], _ start: Int, depth: Int, _ left: inout Int) -> (tree: CBORTree, next: Int)? {
    guard let (token, next) = CBORToken.read(bytes, at: start) else { return nil }
    left -= 1
    guard left >= 0, depth < deepest else { return nil }
    switch token {
    case .unsigned(let number): return (.unsigned(number), next)
    case .negative(let number): return (.negative(number), next)
    case .bytes(let content): return (.bytes(content), next)
    case .text(let content): return (.text(String(decoding: content, as: UTF8.self)), next)
    case .list(let count): return items(bytes, next, count, depth, &left).map { (.list($0.items), $0.next) }
    case .map(let count):
      guard let (all, end) = items(bytes, next, count.map { min($0, mostItems) * 2 }, depth, &left), all.count.isMultiple(of: 2) else { return nil }
      return (.map(stride(from: 0, to: all.count, by: 2).map { Entry(key: all[$0], value: all[$0 + 1]) }), end)
    case .flag, .other: return (.other, next)
    case .end: return nil
    }
  }

  private static func items(_ bytes: [UInt8], _ start: Int, _ count: Int?, _ depth: Int, _ left: inout Int) -> (items: [CBORTree], next: Int)? {
    var found: [CBORTree] = []
    var offset = start
    while found.count != count {
      if count == nil, let (token, next) = CBORToken.read(bytes, at: offset), token == .end { return (found, next) }
      guard let (tree, next) = item(bytes, offset, depth: depth + 1, &left) else { return nil }
      found.append(tree)
      offset = next
    }
    return (found, offset)
  }
}
