import SMP

/// Until when each request under way waits for its answer, and when somebody has to look for those that are overdue.
///
/// A timer for each request would be set and taken back a hundred times a second; here the next look is told only when none is due by then.
struct Deadlines: Sendable {
  private var deadlines: [RequestID: Duration] = [:]
  private var nextLook: Duration?

  /// Returns the time of a look that is needed now; nil when one is due by then already.
  mutating func add(_ id: RequestID, _ deadline: Duration) -> Duration? {
    deadlines[id] = deadline
    return schedule(deadline)
  }

  /// The request was answered, or nobody waits for it any more.
  mutating func remove(_ id: RequestID) { deadlines[id] = nil }

  /// The requests that are overdue, in no order, and the time of the next look, if one is needed.
  mutating func look(at now: Duration) -> (overdue: [RequestID], next: Duration?) {
    let overdue = deadlines.filter { $0.value <= now }.map(\.key)
    for id in overdue { deadlines[id] = nil }
    if let look = nextLook, look <= now { nextLook = nil }
    return (overdue, deadlines.values.min().flatMap { schedule($0) })
  }

  private mutating func schedule(_ deadline: Duration) -> Duration? {
    if let look = nextLook, look <= deadline { return nil }
    nextLook = deadline
    return deadline
  }
}
