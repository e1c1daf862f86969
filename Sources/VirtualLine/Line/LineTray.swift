/// Which boards lie on the line now, as where an operator lays down so many at a time: a board that has its new firmware is soon taken away, any other
/// one that was connected when it has been left alone for long, and the next one is laid down.
///
/// More boards than an adapter can hear at once make a line that no shop floor has, and one on which each is heard too seldom to be taken.
struct LineTray: Sendable {
  private enum State: Sendable {
    case untouched
    case linked
    case left(until: Duration)
  }

  private let boards: Int
  /// How long a board without its new firmware is left alone before it makes room.
  private let rest: Duration
  private let isFixed: Bool
  private var lying: [Int: State] = [:]
  private var next = 0

  /// How long a board with its new firmware still lies there.
  static let goodRest: Duration = .seconds(3)

  /// - Parameters:
  ///   - places: boards that lie there at once; nil for all of them, and then none is taken away.
  ///   - rest: how long a board without its new firmware is left alone before it makes room.
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

  /// A board's link has ended.
  mutating func left(_ board: Int, isGood: Bool, at now: Duration) {
    if lying[board] != nil { lying[board] = .left(until: now + (isGood ? Self.goodRest : rest)) }
  }

  /// Takes away what is done and lays down others.
  mutating func turn(at now: Duration) {
    guard !isFixed, next < boards else { return }
    let done = lying.filter { entry in
      guard case .left(let until) = entry.value else { return false }
      return now >= until
    }.keys.sorted()
    for board in done.prefix(boards - next) { lying[board] = nil }
    fill(min(done.count, boards - next))
  }

  private mutating func fill(_ count: Int) {
    for board in next..<min(boards, next + count) { lying[board] = .untouched }
    next = min(boards, next + count)
  }
}
