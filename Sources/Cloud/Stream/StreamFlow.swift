/// What came and waits to be taken, and what the board has to be told so that it never becomes too much.
///
/// A board does not send twice what it has sent. So it is asked to pause (`00`) when many notifications wait, and to go on (`01`) when few do; its chunks stay
/// with it meanwhile (facts/device-manager.md §7.3). At the end it is asked to stop first, and everything that came until then is still taken.
struct StreamFlow: Hashable, Sendable {
  /// What to do now.
  enum Action: Hashable, Sendable {
    case nothing
    /// Ask the board to pause.
    case hold
    /// Ask it to go on.
    case release
  }

  /// What comes next for whoever takes.
  enum Next: Hashable, Sendable {
    case notification([UInt8])
    /// Ask the board to stop; what still comes is taken, too.
    case stop
    case wait
    case over
  }

  private enum Phase: Hashable {
    case flowing
    /// The board is being asked to pause.
    case holding
    case held
    /// A stop was asked for; the board does not know yet.
    case stopAsked
    case stopping
  }

  /// Waiting notifications at which the board is asked to pause, and at which to go on.
  let high: Int
  let low: Int
  private var waiting: [[UInt8]] = []
  private var first = 0
  private var phase = Phase.flowing
  private var isOver = false
  /// How many came.
  private(set) var arrivals = 0

  init(high: Int, low: Int) {
    self.high = max(1, high)
    self.low = max(0, min(low, high - 1))
  }

  var count: Int { waiting.count - first }
  var isStopping: Bool { phase == .stopAsked || phase == .stopping }
  /// Whether `next` has something else to say than to wait.
  var hasNews: Bool { count > 0 || isOver || phase == .stopAsked }

  /// A notification came.
  mutating func arrived(_ notification: [UInt8]) -> Action {
    arrivals += 1
    waiting.append(notification)
    guard phase == .flowing, count >= high else { return .nothing }
    phase = .holding
    return .hold
  }

  /// The board was asked to pause. Perhaps few notifications wait by now.
  mutating func held() -> Action {
    guard phase == .holding else { return .nothing }
    phase = .held
    return released()
  }

  /// One was taken and is safe.
  mutating func taken() -> Action { released() }

  private mutating func released() -> Action {
    guard phase == .held, count <= low, !isOver else { return .nothing }
    phase = .flowing
    return .release
  }

  /// Nobody wants more.
  mutating func stop() {
    if !isStopping { phase = .stopAsked }
  }

  /// Nothing comes any more.
  mutating func end() {
    isOver = true
  }

  /// A stop comes before what waits: the board goes on sending until it hears of it.
  mutating func next() -> Next {
    if phase == .stopAsked {
      phase = .stopping
      if !isOver { return .stop }
    }
    guard first < waiting.count else { return isOver ? .over : .wait }
    defer {
      waiting[first] = []
      first += 1
      if first >= 256 || first == waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
    }
    return .notification(waiting[first])
  }
}
