/// The line's faults as a machine: a board's progress goes in, what is due comes out, each once.
struct LineFaultScript: Sendable {
  struct Progress: Hashable, Sendable {
    var bytes: Int
    var connections: Int
    var boots: Int
    var chunks = 0
  }

  private var waiting: [LineFault]

  init(_ faults: [LineFault]) {
    waiting = faults
  }

  mutating func due(board: Int, _ progress: Progress) -> [LineFault] {
    guard !waiting.isEmpty else { return [] }
    let due = waiting.filter { $0.when.board == board && Self.reached($0.when, progress) }
    if !due.isEmpty { waiting.removeAll { due.contains($0) } }
    return due
  }

  private static func reached(_ condition: LineFault.Condition, _ progress: Progress) -> Bool {
    if let bytes = condition.bytes { return progress.bytes >= bytes }
    if let connections = condition.connections { return progress.connections >= connections }
    if let boots = condition.boots { return progress.boots >= boots }
    if let chunks = condition.chunks { return progress.chunks >= chunks }
    return false
  }
}
