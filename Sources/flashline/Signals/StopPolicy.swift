/// What the operator's signals and keys mean, in the order in which they come (contract §2).
struct StopPolicy: Hashable, Sendable {
  enum Input: Hashable, Sendable {
    /// SIGINT or SIGTERM.
    case interrupt
    /// SIGHUP: the terminal went away, or somebody wants the job to drain.
    case hangUp
    /// SIGUSR1.
    case pause
    /// SIGUSR2.
    case resume
    case key(Character)
  }

  enum Action: Hashable, Sendable {
    case nothing
    /// Boards in hand stand still, no others begin.
    case pause
    /// They go on.
    case resume
    /// No new boards; those in hand are finished.
    case drain
    /// Boards in hand are let go in order.
    case stop
    /// At once, without another word.
    case leave
  }

  private enum State: Hashable {
    case working, draining, stopping
  }

  private var state = State.working
  private var isPaused = false

  mutating func receive(_ input: Input) -> Action {
    switch input {
    case .interrupt: state == .stopping ? .leave : stop()
    case .hangUp, .key("d"), .key("D"): drain()
    case .key("q"), .key("Q"): state == .stopping ? .nothing : stop()
    case .pause: pause(true)
    case .resume: pause(false)
    case .key("p"), .key("P"): pause(!isPaused)
    case .key: .nothing
    }
  }

  private mutating func stop() -> Action {
    state = .stopping
    isPaused = false
    return .stop
  }

  /// Boards in hand cannot be finished in a pause, so a drain ends it.
  private mutating func drain() -> Action {
    guard state == .working else { return .nothing }
    state = .draining
    isPaused = false
    return .drain
  }

  private mutating func pause(_ wish: Bool) -> Action {
    guard state != .stopping, wish != isPaused else { return .nothing }
    isPaused = wish
    return wish ? .pause : .resume
  }
}
