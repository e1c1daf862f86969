/// Whether work goes on, stands still or is given up, and who waits for that to change: a machine, whose owner keeps the waiting tasks.
///
/// Times are those of the owner's clock. A pause is a time in which nothing new is begun; how long it took in all is what limits leave out.
struct PauseMachine: Hashable, Sendable {
  /// What somebody waits for.
  enum Awaited: Hashable, Sendable, CaseIterable {
    /// Work goes on.
    case passage
    /// Work stands still.
    case pause
    /// Work is given up.
    case end
  }

  /// What the owner does for somebody who waits.
  enum Action: Hashable, Sendable {
    /// What was waited for is so.
    case goOn(Int)
    /// It never will be: the work is given up, or the waiting task is.
    case giveUp(Int)
  }

  private enum State: Hashable, Sendable {
    case running
    case paused(since: Duration)
    case ended
  }

  private var state = State.running
  private var waiting: [Int: Awaited] = [:]
  /// Tasks that were cancelled before they began to wait.
  private var abandoned: Set<Int> = []
  /// All pauses that are over.
  private var stood = Duration.zero
  /// Pauses so far.
  private(set) var pauses = 0

  /// Since when work stands still; nil while it does not.
  var pausedSince: Duration? {
    if case .paused(let since) = state { since } else { nil }
  }

  var isEnded: Bool { state == .ended }

  /// The time `now` on a clock that pauses stop.
  func workingTime(_ now: Duration) -> Duration { (pausedSince ?? now) - stood }

  // MARK: what the operator wishes

  mutating func pause(at now: Duration) -> [Action] {
    guard case .running = state else { return [] }
    state = .paused(since: now)
    pauses += 1
    return settle()
  }

  mutating func resume(at now: Duration) -> [Action] {
    guard case .paused(let since) = state else { return [] }
    stood += now - since
    state = .running
    return settle()
  }

  /// Gives the work up, also while it stands still; nothing takes that back.
  mutating func end(at now: Duration) -> [Action] {
    if case .paused(let since) = state { stood += now - since }
    state = .ended
    return settle()
  }

  // MARK: who waits

  /// Somebody begins to wait; what the action says when it need not.
  mutating func wait(_ id: Int, for awaited: Awaited) -> Action? {
    if abandoned.remove(id) != nil { return .giveUp(id) }
    if let action = answer(id, awaited) { return action }
    waiting[id] = awaited
    return nil
  }

  /// The waiting task is cancelled, perhaps before it waits.
  mutating func abandon(_ id: Int) -> Action? {
    guard waiting.removeValue(forKey: id) != nil else {
      abandoned.insert(id)
      return nil
    }
    return .giveUp(id)
  }

  /// The task waits no longer, and its number will not come again.
  mutating func forget(_ id: Int) { abandoned.remove(id) }

  private func answer(_ id: Int, _ awaited: Awaited) -> Action? {
    switch (awaited, state) {
    case (.passage, .running), (.pause, .paused), (.end, .ended): .goOn(id)
    case (.passage, .ended), (.pause, .ended): .giveUp(id)
    case (.passage, .paused), (.pause, .running), (.end, .running), (.end, .paused): nil
    }
  }

  /// In the order in which they came: what waits first goes on first.
  private mutating func settle() -> [Action] {
    let actions = waiting.sorted { $0.key < $1.key }.compactMap { id, awaited in answer(id, awaited) }
    for action in actions {
      switch action {
      case .goOn(let id), .giveUp(let id): waiting[id] = nil
      }
    }
    return actions
  }
}
