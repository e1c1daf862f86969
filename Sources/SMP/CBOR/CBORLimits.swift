/// What a CBOR item from outside may cost; checked before anything is allocated for it.
public struct CBORLimits: Hashable, Sendable {
  /// Bytes of input. The default is the largest payload an SMP header can announce, and one notification's excess.
  public var bytes: Int
  /// Containers inside each other (maps, arrays, tags, strings of indefinite length).
  public var depth: Int
  /// Data items in all, keys included. An image list of eight slots has fewer than two hundred.
  public var items: Int

  public init(bytes: Int = 65_535 + 512, depth: Int = 16, items: Int = 4096) {
    self.bytes = max(0, bytes)
    self.depth = min(max(1, depth), 64)
    self.items = max(1, items)
  }
}
