/// How the requests of one track go: what follows from each answer. A value; it knows no clock and no network.
struct UploadCourse: Hashable, Sendable {
  /// What a server made of a request.
  enum Answer: Hashable, Sendable {
    /// 2xx.
    case taken
    /// 429, 503.
    case busy(status: Int, after: Duration?)
    /// 401, 403.
    case forbidden(status: Int)
    /// 400, 413, 415.
    case refused(status: Int)
    /// It said no to the request as a whole (any other status), or the request never left.
    case failed(reason: String)
    /// No answer came: it may have arrived.
    case lost(reason: String)
  }

  enum Action: Hashable, Sendable {
    /// Remove what was sent, then go on.
    case remove
    /// Send the same chunks again, as `mostChunks` now says.
    case again
    /// Set the chunk aside, then go on.
    case reject(status: Int)
    case wait(Duration, reason: String)
    /// Leave all lanes with this key alone.
    case holdKey(reason: String)
    case holdLane(reason: String)
  }

  /// Chunks of a batch that was refused as a whole and now go one by one.
  private struct Suspects: Hashable {
    var left: Int
    /// One of them was refused alone, too: it was that chunk, and not the form of the request.
    var foundBad = false
  }

  private let limits: UploadLimits
  /// Chunks of the next request at most; one goes as it is, several as `multipart/mixed`.
  private(set) var mostChunks: Int
  /// What `mostChunks` returns to after suspects.
  private var usualChunks: Int
  private var suspects: Suspects?
  private var failures = 0
  private var rejectedInARow = 0

  init(_ limits: UploadLimits) {
    self.limits = limits
    usualChunks = max(1, limits.batchChunks)
    mostChunks = usualChunks
  }

  /// - Parameters:
  ///   - chunks: how many were sent.
  ///   - roll: any number, for the jitter.
  mutating func answered(_ answer: Answer, chunks: Int, roll: UInt64) -> Action {
    switch answer {
    case .taken:
      (failures, rejectedInARow) = (0, 0)
      cleared(chunks, isBad: false)
      return .remove
    case .refused(let status):
      failures = 0
      return refused(status, chunks: chunks)
    case .forbidden(let status):
      return .holdKey(
        reason:
          "the server does not take the project key (status \(status)): check the key and the project it belongs to, correct the board's key, and start again")
    case .busy(let status, let after):
      let own = pause(roll)
      let wanted = after.map { min(max($0, limits.firstPause), limits.longestRetryAfter) }
      return .wait(wanted ?? own, reason: "the server asks for a pause (status \(status))")
    case .failed(let reason), .lost(let reason):
      return .wait(pause(roll), reason: reason)
    }
  }

  private mutating func refused(_ status: Int, chunks: Int) -> Action {
    if chunks > 1 {
      if status == 413 {
        usualChunks = max(1, chunks / 2)
        mostChunks = usualChunks
      } else {
        suspects = Suspects(left: chunks)
        mostChunks = 1
      }
      return .again
    }
    guard rejectedInARow < limits.rejectedInARow else {
      return .holdLane(
        reason: "the server refuses whatever this board sends (status \(status)): check its address for diagnostics and its firmware, and start again")
    }
    rejectedInARow += 1
    cleared(1, isBad: true)
    return .reject(status: status)
  }

  /// So many suspects were sent alone.
  private mutating func cleared(_ chunks: Int, isBad: Bool) {
    guard var suspects else { return }
    suspects.left -= chunks
    if isBad { suspects.foundBad = true }
    guard suspects.left <= 0 else {
      self.suspects = suspects
      return
    }
    // All were good alone: this server takes no batches.
    if !suspects.foundBad { usualChunks = 1 }
    self.suspects = nil
    mostChunks = usualChunks
  }

  /// Doubles with every failure, between half and the whole of it.
  private mutating func pause(_ roll: UInt64) -> Duration {
    let doublings = min(failures, 30)
    failures += 1
    let whole = min(limits.firstPause * (1 << doublings), limits.longestPause)
    return whole / 2 + whole / 2 * (Double(roll >> 11) / Double(1 << 53))
  }
}
