public import Bluetooth

/// A lane of the queue: the chunks of one board for one destination under one key, in order.
public struct LaneID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The row of the lane.
  let row: Int64

  public var description: String { "lane \(row)" }
  public static func < (left: Self, right: Self) -> Bool { left.row < right.row }
}

/// What became of a chunk that was handed to the queue.
public enum Appended: Hashable, Sendable {
  /// It is on the disk.
  case stored
  /// The queue is full: the older chunks are kept, this one is lost and counted as dropped.
  case full
}

/// How a lane stands. Every chunk that came is in exactly one of `pending`, `uploaded`, `dropped` and `rejected`.
public struct LaneStatus: Hashable, Sendable {
  public let lane: LaneID
  public let board: BluetoothAddress
  public let deviceID: String
  /// Where the chunks go; no secret.
  public let address: String
  /// Chunks that came from the board.
  public let received: Int
  /// Chunks that wait for their upload.
  public let pending: Int
  /// Chunks that the server took.
  public let uploaded: Int
  /// Chunks that never came: gaps in the board's counter.
  public let missing: Int
  /// Chunks that came while the queue was full.
  public let dropped: Int
  /// Chunks that the server does not take, not even alone.
  public let rejected: Int
  /// Chunks that were sent again because an answer never came: the server may have them twice. Each counts once.
  public let repeated: Int
  /// Why the lane does not go on by itself, and what to do; nil when it does.
  public let held: String?
}
