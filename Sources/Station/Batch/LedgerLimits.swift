public import Flashing

/// The limits that the batch ledger keeps.
public struct LedgerLimits: Hashable, Sendable {
  public var attempts: AttemptLimits
  /// The same failure code on so many boards in a row halts the line; 0 is never.
  public var stopAfterSameFailures: Int
  /// Between two attempts on a board: a link needs 0.3 s to be really down, a board about as long to advertise again.
  public var retryPause: Duration = .seconds(1)
  /// A board that waits for another attempt and is not heard for so long has had its last one.
  public var absence: Duration
  /// The same when it is heard but no adapter takes it (too weak, or all adapters taken).
  public var retryWindow: Duration
  /// Boards refused by what they advertise, per batch; further ones are ignored, or a storm of addresses would fill the database.
  public var refusals = 256

  public init(attempts: AttemptLimits, stopAfterSameFailures: Int, absence: Duration, retryWindow: Duration) {
    self.attempts = attempts
    self.stopAfterSameFailures = stopAfterSameFailures
    self.absence = absence
    self.retryWindow = retryWindow
  }

  /// A board that does not come back from a swap must be waited for, and within one attempt's time some adapter becomes free.
  public init(_ limits: StationLimits) {
    self.init(
      attempts: limits.attempts, stopAfterSameFailures: limits.stopAfterSameFailures, absence: limits.swapTimeout,
      retryWindow: limits.boardTimeout + limits.swapTimeout)
  }
}
