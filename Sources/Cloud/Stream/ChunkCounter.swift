/// Follows the counter of one connection's notifications and tells what is missing between them.
///
/// Source: facts/device-manager.md §7.3; facts/smp.md §8 (nRF Connect SDK, `mds`). Byte 0 counts the chunks in bits 0 to 4, the first after the connection is
/// 0; bits 5 to 7 are reserved and not looked at; what follows is one chunk.
public struct ChunkCounter: Hashable, Sendable {
  /// What a notification turned out to be.
  public enum Reading: Hashable, Sendable {
    /// The next chunk.
    case next(number: Int)
    /// A chunk, before which at least so many never came. After a gap the counter cannot tell 1 from 33 missing ones.
    case gap(missing: Int, number: Int)
    /// No chunk is in it. A notification of one byte was counted by the board all the same, so that chunks may be missing before it.
    case malformed(missing: Int)

    /// Chunks that are missing before this notification, at least.
    public var missing: Int {
      switch self {
      case .next: 0
      case .gap(let missing, _), .malformed(let missing): missing
      }
    }
  }

  /// The counter starts again behind 31.
  static let modulus = 32

  private var expected = 0

  public init() {}

  /// Takes a notification in. The chunk is everything behind its first byte.
  public mutating func receive(_ notification: [UInt8]) -> Reading {
    guard let head = notification.first else { return .malformed(missing: 0) }
    let number = Int(head) % Self.modulus
    let missing = (number - expected + Self.modulus) % Self.modulus
    expected = (number + 1) % Self.modulus
    guard notification.count > 1 else { return .malformed(missing: missing) }
    return missing == 0 ? .next(number: number) : .gap(missing: missing, number: number)
  }
}
