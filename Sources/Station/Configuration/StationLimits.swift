public import Flashing

/// `[limits]`: how often and how long anything is tried.
public struct StationLimits: Hashable, Sendable {
  /// Judged attempts, and attempts that a station fault ended, per board and batch.
  public var attempts: AttemptLimits
  /// Connecting, with the board's services known at the end.
  public var connectTimeout: Duration
  /// One whole attempt.
  public var boardTimeout: Duration
  /// Without a new acknowledged offset in an upload.
  public var stallTimeout: Duration
  /// From the reset to the board's next advertisement.
  public var swapTimeout: Duration
  /// Without any usable adapter.
  public var adapterTimeout: Duration
  /// Without D-Bus or bluetoothd.
  public var busTimeout: Duration
  /// One pause by the operator; then the job ends as after a stop.
  public var pauseTimeout: Duration
  /// Bad final results in a row, over all batches, after which a board is refused; 0 is never.
  public var quarantineAfter: Int
  /// The same failure code on so many boards in a row halts the line; 0 is never.
  public var stopAfterSameFailures: Int

  init(_ values: IniValues) throws(ConfigurationError) {
    attempts = AttemptLimits(
      attempts: try values.integer(StationKeys.attempts, in: 1...20), stationRetries: try values.integer(StationKeys.stationRetries, in: 0...50))
    connectTimeout = try values.duration(StationKeys.connectTimeout, in: .seconds(1)...(.seconds(120)))
    boardTimeout = try values.duration(StationKeys.boardTimeout, in: .seconds(10)...(.seconds(7200)))
    stallTimeout = try values.duration(StationKeys.stallTimeout, in: .seconds(1)...(.seconds(300)))
    swapTimeout = try values.duration(StationKeys.swapTimeout, in: .seconds(1)...(.seconds(3600)))
    adapterTimeout = try values.duration(StationKeys.adapterTimeout, in: .seconds(1)...(.seconds(3600)))
    busTimeout = try values.duration(StationKeys.busTimeout, in: .seconds(1)...(.seconds(3600)))
    pauseTimeout = try values.duration(StationKeys.pauseTimeout, in: .seconds(1)...(.seconds(86_400)))
    quarantineAfter = try values.integer(StationKeys.quarantineAfter, in: 0...1000)
    stopAfterSameFailures = try values.integer(StationKeys.stopAfterSameFailures, in: 0...1000)
    if boardTimeout < swapTimeout {
      let board = DurationText.text(boardTimeout)
      throw values.complaint(
        StationKeys.boardTimeout, "\(StationKeys.boardTimeout.label) (\(board)) is shorter than swap_timeout (\(DurationText.text(swapTimeout)))",
        "make it longer, for it holds for a whole attempt")
    }
  }
}
