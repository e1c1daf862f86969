extension ChunkQueue {
  /// Whether the queue is nine tenths full: no board is asked for its chunks then, for they are safest where they are.
  public func isNearlyFull() -> Bool {
    filled.chunks >= limits.chunks / 10 * 9 || filled.bytes >= limits.bytes / 10 * 9
  }
}
