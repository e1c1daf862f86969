/// Lines that wait for a reader: bounded, and what matters least goes first when the reader is too slow.
struct LineQueue: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    var text: String
    /// Progress: a later line says the same and more.
    var isDroppable: Bool
  }

  /// Most lines that wait.
  let limit: Int
  private var lines: [Line] = []
  private var first = 0
  /// How many lines of each kind were thrown away.
  private(set) var droppedProgress = 0
  private(set) var droppedOthers = 0

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  var count: Int { lines.count - first }
  var isEmpty: Bool { count == 0 }

  /// Appends a line. When full, the oldest progress goes; when there is none, a new progress line is not taken, and for anything else the oldest line goes.
  mutating func push(_ line: Line) {
    if count >= limit {
      if let index = lines[first...].firstIndex(where: \.isDroppable) {
        lines.remove(at: index)
        droppedProgress += 1
      } else if line.isDroppable {
        droppedProgress += 1
        return
      } else {
        first += 1
        droppedOthers += 1
      }
    }
    lines.append(line)
  }

  /// The oldest line.
  mutating func take() -> Line? {
    guard first < lines.count else { return nil }
    defer {
      first += 1
      // Kept cheap: what was taken is cleared away in large pieces.
      if first >= 512 || first == lines.count {
        lines.removeFirst(first)
        first = 0
      }
    }
    return lines[first]
  }

  mutating func removeAll() {
    lines = []
    first = 0
  }
}
