/// What happens to a board after an attempt.
public enum NextMove: Hashable, Sendable {
  /// This was the board's final result in the batch.
  case done
  /// Another attempt, on another adapter where one hears the board.
  case again(elsewhere: Bool)
}

/// The limits that decide about another attempt (`[limits]` of station.conf).
public struct AttemptLimits: Hashable, Sendable {
  /// Judged attempts per board and batch.
  public var attempts: Int
  /// Attempts that ended by a station fault or a stop, per board and batch.
  public var stationRetries: Int

  public init(attempts: Int, stationRetries: Int) {
    self.attempts = attempts
    self.stationRetries = stationRetries
  }
}

/// The one place that decides what follows an attempt.
public enum FailurePolicy {
  /// - Parameters:
  ///   - record: the finished attempt; its failure code, if any, names the row of `FailureRule`.
  ///   - judged: judged attempts of this board in this batch, this one included.
  ///   - faults: attempts that ended `error` or `aborted`, this one included.
  public static func decide(_ record: AttemptRecord, judged: Int, faults: Int, limits: AttemptLimits) -> NextMove {
    guard let outcome = record.outcome, let code = record.failureCode else { return .done }
    guard FailureRule.of(code).isRetried else { return .done }
    switch outcome {
    case .passed, .skipped, .refused: return .done
    case .failed, .timeout: return judged < limits.attempts ? .again(elsewhere: prefersAnotherAdapter(code)) : .done
    case .error, .aborted: return faults <= limits.stationRetries ? .again(elsewhere: outcome == .error) : .done
    }
  }

  /// Faults of the radio may be the adapter's; what the board itself said will be said on every adapter.
  private static func prefersAnotherAdapter(_ code: FailureCode) -> Bool {
    switch code {
    case .linkConnect, .linkConnectTimeout, .linkLost, .imageStalled, .smpTimeout, .boardAbsent, .boardTimeout, .verifyNeverReturned, .dfuNoAnswer,
      .dfuStalled, .dfuBytesLost:
      true
    default: false
    }
  }
}
