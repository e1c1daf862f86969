/// What an upload has been through, and whether it may go on: the counters for the limits of `UploadSettings`.
struct UploadPatience: Sendable {
  private let settings: UploadSettings
  private var attempts = 0
  private var timeouts = 0
  private var stalls = 0
  private var waits = 0
  private var best = 0

  /// Times the upload began again.
  private(set) var restarts = 0
  /// Losses, waits and restarts that were got over.
  private(set) var recoveries = 0

  init(_ settings: UploadSettings) {
    self.settings = settings
  }

  /// The upload begins, perhaps once more, at this offset.
  mutating func begins(at offset: Int) { best = offset }

  /// The first request did its work.
  mutating func opened() { attempts = 0 }

  /// The board named an offset; one that it never named before ends all counts in a row.
  mutating func advanced(to offset: Int) {
    guard offset > best else { return }
    (best, timeouts, stalls, waits) = (offset, 0, 0, 0)
  }

  /// Something was lost and is made good.
  mutating func lost() { recoveries += 1 }

  /// Whether the first request is sent once more.
  mutating func maySendFirstAgain() -> Bool {
    attempts += 1
    recoveries += 1
    return attempts < settings.firstAttempts
  }

  /// A round of requests was not answered in time: whether to go on.
  mutating func mayGoOnAfterTimeout() -> Bool {
    timeouts += 1
    recoveries += 1
    return timeouts < settings.timeoutLimit
  }

  /// A round of answers brought nothing: whether to go on.
  mutating func mayGoOnAfterStall() -> Bool {
    stalls += 1
    return stalls < settings.stallLimit
  }

  /// The board asks for patience: how long it gets; nil when it has had enough of it.
  mutating func nextWait() -> Duration? {
    guard waits < settings.waitLimit else { return nil }
    let wait = min(settings.firstWait * (1 << min(waits, 16)), settings.longestWait)
    waits += 1
    recoveries += 1
    return wait
  }

  /// Whether the whole upload begins again.
  mutating func mayRestart() -> Bool {
    guard restarts < settings.restartLimit else { return false }
    restarts += 1
    recoveries += 1
    attempts = 0
    return true
  }
}
