import Testing

@testable import flashline

/// What a slow reader loses, and in which order (contract §1: `board.progress` dropped first).
@Suite struct LineQueueTests {
  private func drained(_ queue: LineQueue) -> [String] {
    var (queue, lines) = (queue, [String]())
    while let line = queue.take() { lines.append(line.text) }
    return lines
  }

  @Test func keepsTheOrder() {
    var queue = LineQueue(limit: 10)
    for number in 0..<5 { queue.push(.init(text: "\(number)", isDroppable: number % 2 == 0)) }
    #expect(drained(queue) == ["0", "1", "2", "3", "4"])
  }

  @Test func theOldestProgressGoesFirst() {
    var queue = LineQueue(limit: 3)
    queue.push(.init(text: "a", isDroppable: false))
    queue.push(.init(text: "p1", isDroppable: true))
    queue.push(.init(text: "p2", isDroppable: true))
    queue.push(.init(text: "b", isDroppable: false))
    #expect(drained(queue) == ["a", "p2", "b"])
    #expect(queue.droppedProgress == 1)
    queue.push(.init(text: "p3", isDroppable: true))
    #expect(drained(queue) == ["a", "b", "p3"])
    #expect(queue.droppedOthers == 0)
  }

  @Test func withoutProgressTheOldestLineGoesAndIsCounted() {
    var queue = LineQueue(limit: 2)
    for text in ["a", "b", "c"] { queue.push(.init(text: text, isDroppable: false)) }
    #expect(drained(queue) == ["b", "c"])
    #expect(queue.droppedOthers == 1)
    queue.push(.init(text: "p", isDroppable: true))
    #expect(drained(queue) == ["b", "c"])
    #expect(queue.droppedProgress == 1)
  }

  @Test func staysBoundedOverALongTime() {
    var queue = LineQueue(limit: 100)
    for number in 0..<10_000 {
      queue.push(.init(text: "\(number)", isDroppable: false))
      if number % 3 == 0 { _ = queue.take() }
      #expect(queue.count <= 100)
    }
    #expect(drained(queue).last == "9999")
    #expect(drained(queue).count == 100 || drained(queue).count == 99)
  }
}
