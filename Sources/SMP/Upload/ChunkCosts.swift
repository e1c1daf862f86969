/// Bytes that the keys of an upload's requests cost besides `off` and `data` (smp.md §4.1).
public struct ChunkCosts: Hashable, Sendable {
  /// In every request.
  public var every: Int
  /// In the first request, beside those.
  public var first: Int

  public init(every: Int, first: Int) {
    self.every = every
    self.first = first
  }

  /// A key of at most 23 bytes.
  static func key(_ key: String) -> Int { 1 + key.utf8.count }

  /// A key with an unsigned integer.
  static func entry(_ key: String, _ value: Int) -> Int { self.key(key) + ChunkSizer.head(value) }
}
