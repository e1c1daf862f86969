/// Every wait of one attempt (`[limits]` of station.conf, and fixed ones with the reason beside them).
public struct SessionLimits: Hashable, Sendable {
  /// For one connection to come about, its services known.
  public var connect: Duration
  /// For the whole attempt.
  public var board: Duration
  /// Without a byte acknowledged during an upload.
  public var stall: Duration
  /// From a reset until the board is heard again.
  public var swap: Duration
  /// Connection attempts in a row before the attempt fails: BlueZ's aborts are usual (facts/nordic-dfu.md §6.1).
  public var connectTries = 3
  /// Between two of them, so that the board's old link has run out (supervision timeout).
  public var connectPause = Duration.seconds(1)
  /// Links that may be lost and made again within one attempt.
  public var linkRecoveries = 5
  /// For a read or a small command: 10 s, Nordic's clients' value (facts/device-manager.md §5.7).
  public var command = Duration.seconds(10)
  /// For pairing: the protocol's own limit (Bluetooth Core 5.4, Vol 3, Part H, 3.4), which a board may use.
  public var pairing = Duration.seconds(30)
  /// Links on which pairing is tried before the attempt fails.
  public var pairingTries = 2
  /// For an erase command: a whole slot, answered afterwards; 75 s is Nordic's value since 2026 (facts/device-manager.md §5.7).
  public var erase = Duration.seconds(75)
  /// From the answer to a reset until the link is down: 250 ms, then a supervision timeout (facts/smp.md §2.1).
  public var resetEnd = Duration.seconds(10)
  /// How often a busy board is asked again to reset; the last time with `force` (facts/smp.md §3.1).
  public var resetTries = 4
  /// Between two such requests.
  public var resetPause = Duration.seconds(1)
  /// For a board to be heard again before a connection, when the stack has forgotten it.
  public var rediscover = Duration.seconds(10)

  /// For one pause by the operator, in which no other limit runs; then the board is given up. Half an hour: a meal, not a night with an open link.
  public var pause = Duration.seconds(1800)
  /// From a reset into the firmware loader until it is heard: Nordic's app waits 15 s (facts/device-manager.md §1.7), and an adapter misses some advertisements.
  public var loader = Duration.seconds(30)

  public init(connect: Duration, board: Duration, stall: Duration, swap: Duration) {
    self.connect = connect
    self.board = board
    self.stall = stall
    self.swap = swap
  }
}
