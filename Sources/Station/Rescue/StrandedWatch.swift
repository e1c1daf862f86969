public import Bluetooth

/// How long boards have advertised as bootloaders without a break: a board that another station has just sent there, or that is on its way back, is not
/// stranded (contract §2).
///
/// A value. Its time is that of listening: while no adapter listens nothing can be heard, so such times neither count nor make a break.
public struct StrandedWatch: Sendable {
  /// Listening for so long without hearing a board is a break: whatever it did meanwhile, it did not only wait. A bootloader advertises several times a
  /// second, and listening adapters miss some.
  public static let breakLimit = Duration.seconds(10)
  /// Boards that are watched at once; the ones heard longest ago make room.
  public static let boardLimit = 4096

  private struct Watched {
    var since: Duration
    var last: Duration
    /// Somebody was heard meanwhile under the address before the board's: it cannot be the board's application.
    var hasNeighbour = false
  }

  private var watched: [BluetoothAddress: Watched] = [:]

  public init() {}

  /// Notes that a board advertised as a bootloader.
  ///
  /// - Parameter now: the time that was spent listening so far.
  public mutating func heard(_ board: BluetoothAddress, at now: Duration) {
    var present = watched[board] ?? Watched(since: now, last: now)
    if now - present.last > Self.breakLimit { (present.since, present.hasNeighbour) = (now, false) }
    present.last = now
    if watched[board] == nil, watched.count >= Self.boardLimit,
      let oldest = watched.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })
    {
      watched[oldest.key] = nil
    }
    watched[board] = present
  }

  /// The board was seen as something else.
  public mutating func forget(_ board: BluetoothAddress) {
    watched[board] = nil
  }

  /// Something that is no bootloader was heard under the address before a board's.
  ///
  /// - Parameter now: the time that was spent listening so far.
  public mutating func heardNeighbour(of board: BluetoothAddress, at now: Duration) {
    guard let present = watched[board], now - present.last <= Self.breakLimit else { return }
    watched[board]?.hasNeighbour = true
  }

  /// Whether the address before a bootloader's is another board's: that one was heard in its application while this one waited in its bootloader.
  public func hasNeighbour(_ board: BluetoothAddress) -> Bool { watched[board]?.hasNeighbour == true }

  /// Whether a board has been in its bootloader for so long that it counts as stranded.
  public func isStranded(_ board: BluetoothAddress, after limit: Duration, at now: Duration) -> Bool {
    guard let present = watched[board], now - present.last <= Self.breakLimit else { return false }
    return present.last - present.since >= limit
  }

  /// Boards that are still waited for: heard, and not stranded yet.
  public func waiting(after limit: Duration, at now: Duration) -> Int {
    watched.values.count { now - $0.last <= Self.breakLimit && $0.last - $0.since < limit }
  }
}
