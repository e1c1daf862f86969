/// What the operator's signals and keys mean, in the order in which they come (contract §2).
struct StopPolicy: Hashable, Sendable {
  enum Input: Hashable, Sendable {
    /// SIGINT or SIGTERM.
    case interrupt
    /// SIGHUP: the terminal went away, or somebody wants the job to drain.
    case hangUp
    case key(Character)
  }

  enum Action: Hashable, Sendable {
    case nothing
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

  mutating func receive(_ input: Input) -> Action {
    switch (input, state) {
    case (.interrupt, .working), (.interrupt, .draining):
      state = .stopping
      return .stop
    case (.interrupt, .stopping): return .leave
    case (.hangUp, .working), (.key("d"), .working), (.key("D"), .working):
      state = .draining
      return .drain
    case (.hangUp, _), (.key, _): return .nothing
    }
  }
}
