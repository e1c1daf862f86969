import Flashing

/// Pause and resume: all boards in hand, and the claims of new ones.
extension StationController {
  /// Pauses the job, from any thread: boards in hand stand still where they are (`SessionControl`), no other is begun, and neither limits nor `--idle` run.
  /// Adapters go on listening. After `[limits] pause_timeout` the job ends as the operator's stop does.
  public nonisolated func pause() {
    control.pause()
    signal.yield(.pauseChanged)
  }

  /// Lets a paused job go on, from any thread.
  public nonisolated func resume() {
    control.resume()
    signal.yield(.pauseChanged)
  }

  /// Tells of a pause or its end; what was undone meanwhile is not worth telling.
  func pauseChanged() {
    switch (pausedAt, control.pausedSince) {
    case (nil, let since?):
      guard reason == nil else { return }
      pausedAt = since
      ports.emit(.stationPaused(inHand: ledger.inHand.count, limit: job.limits.pauseTimeout))
    case (let since?, nil):
      pauseEnded(after: ports.time.now() - since, isOverdue: false)
      assign()
    case (nil, nil), (_?, _?): break
    }
  }

  /// Whether a pause has lasted too long; then the job ends, and the same command goes on with it.
  func checkPause(_ now: Duration) {
    guard let since = pausedAt, reason == nil, now - since >= job.limits.pauseTimeout else { return }
    isPauseOverdue = true
    pauseEnded(after: now - since, isOverdue: true)
    stop()
  }

  private func pauseEnded(after length: Duration, isOverdue: Bool) {
    pausedAt = nil
    ledger.stoodStill(for: length)
    ports.emit(.stationResumed(after: length, isOverdue: isOverdue))
  }

  /// What became of a board that was given up because of the pause, whoever noticed first.
  func asGivenUpInPause(_ finished: AttemptRecord) -> AttemptRecord {
    guard isPauseOverdue, finished.failureCode == .operatorStopped else { return finished }
    var record = finished
    record.giveUp(
      .operatorPaused, "paused for longer than \(DurationText.text(job.limits.pauseTimeout))", in: finished.failurePhase ?? .discover,
      at: finished.finishedAt ?? ports.time.wall())
    return record
  }
}
