/// Which boards lie on the line now, as where an operator lays down so many at a time: a board that was connected and has then been left alone for
/// a while is taken away, whatever became of it, and the next one is laid down.
///
/// More boards than an adapter can hear at once make a line that no shop floor has, and one on which each is heard too seldom to be taken.
struct LineTray: Sendable {
  private enum State: Sendable {
    case untouched
    case linked
    case left(since: Duration)
  }

  private let boards: Int
  private let rest: Duration
  private let isFixed: Bool
  private var lying: [Int: State] = [:]
  private var next = 0

  /// - Parameters:
  ///   - places: boards that lie there at once; nil for all of them, and then none is taken away.
  ///   - rest: how long a board is left alone before it makes room.
  init(boards: Int, places: Int?, rest: Duration) {
    self.boards = boards
    self.rest = rest
    isFixed = places == nil
    fill(places ?? boards)
  }

  func holds(_ board: Int) -> Bool { lying[board] != nil }

  mutating func linked(_ board: Int) {
    if lying[board] != nil { lying[board] = .linked }
  }

  mutating func left(_ board: Int, at now: Duration) {
    if lying[board] != nil { lying[board] = .left(since: now) }
  }

  /// Takes away what is done and lays down others.
  mutating func turn(at now: Duration) {
    guard !isFixed, next < boards else { return }
    let done = lying.filter { entry in
      guard case .left(let since) = entry.value else { return false }
      return now - since >= rest
    }.keys.sorted()
    for board in done.prefix(boards - next) { lying[board] = nil }
    fill(min(done.count, boards - next))
  }

  private mutating func fill(_ count: Int) {
    for board in next..<min(boards, next + count) { lying[board] = .untouched }
    next = min(boards, next + count)
  }
}
