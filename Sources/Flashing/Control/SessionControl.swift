import Locks
import Synchronization

/// The operator's hand on running sessions: pause, resume, cancel, from any task or thread and in every state.
///
/// One control may hold several sessions: a station pauses all boards in hand with one. A session asks for `passage` before each step, and its SMP client
/// before each request, so that in a pause the requests under way are answered and count, and nothing new is sent. `time` stands still meanwhile: no limit of
/// a session runs while it may not work. How long a pause may last is a limit of its own (`SessionLimits.pause`).
public final class SessionControl: Sendable {
  private struct Box {
    var machine = PauseMachine()
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var lastID = 0

    /// The tasks that an action goes to, with what they are told.
    mutating func take(_ actions: [PauseMachine.Action]) -> [(CheckedContinuation<Void, any Error>, isGoing: Bool)] {
      actions.compactMap { action in
        switch action {
        case .goOn(let id): waiting.removeValue(forKey: id).map { ($0, true) }
        case .giveUp(let id): waiting.removeValue(forKey: id).map { ($0, false) }
        }
      }
    }
  }

  private let box = Locked(Box())
  private let clock: Timekeeper

  /// - Parameter clock: time as the world has it.
  public init(_ clock: Timekeeper) {
    self.clock = clock
  }

  // MARK: for the operator

  /// From now on nothing new is begun. Nothing happens when it is paused already.
  public func pause() { act { $0.pause(at: $1) } }

  /// Goes on where it stood.
  public func resume() { act { $0.resume(at: $1) } }

  /// Gives the sessions up at once, also in a pause: they are recorded as aborted, their links are closed.
  public func cancel() { act { $0.end(at: $1) } }

  public var isPaused: Bool { pausedSince != nil }

  /// Since when, on the clock that the control was made with; nil when it is not paused.
  public var pausedSince: Duration? { box.withLock { $0.machine.pausedSince } }

  // MARK: for sessions

  /// Time that stands still in a pause; whoever sleeps by it sleeps longer by the pauses that come in between.
  public var time: Timekeeper {
    Timekeeper(
      now: { [self] in workingTime }, wall: clock.wall, wait: { [self] in try await sleep($0) }, passage: { [self] in try await passage() })
  }

  /// Returns when work may go on: at once, or at the end of the pause. Throws `CancellationError` when the work or the task is given up.
  public func passage() async throws {
    // The usual case: nothing to wait for, no task to be entered anywhere.
    if box.withLock({ $0.machine.pausedSince == nil && !$0.machine.isEnded }) { return try Task.checkCancellation() }
    try await wait(for: .passage)
  }

  /// Returns when a pause has lasted so long.
  func overdue(_ limit: Duration) async throws {
    while true {
      try await wait(for: .pause)
      guard let (since, number) = box.withLock({ box in box.machine.pausedSince.map { ($0, box.machine.pauses) } }) else { continue }
      try await clock.sleep(limit - (clock.now() - since))
      if box.withLock({ $0.machine.pausedSince != nil && $0.machine.pauses == number }) { return }
    }
  }

  /// Returns when the sessions are to be given up.
  func cancelled() async throws { try await wait(for: .end) }

  // MARK: inside

  private var workingTime: Duration {
    // The clock is read inside: two tasks that ask at the same time never see it go back.
    box.withLock { $0.machine.workingTime(clock.now()) }
  }

  private func sleep(_ duration: Duration) async throws {
    var left = duration
    repeat {
      try await passage()
      let began = workingTime
      try await clock.sleep(left)
      left -= workingTime - began
    } while left > .zero
  }

  private func act(_ input: (inout PauseMachine, Duration) -> [PauseMachine.Action]) {
    let told = box.withLock { box in box.take(input(&box.machine, clock.now())) }
    for (waiter, isGoing) in told { Self.tell(waiter, isGoing) }
  }

  private func wait(for awaited: PauseMachine.Awaited) async throws {
    let id = box.withLock { box in
      box.lastID += 1
      return box.lastID
    }
    defer { box.withLock { $0.machine.forget(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
        let action = box.withLock { box in
          let action = box.machine.wait(id, for: awaited)
          if action == nil { box.waiting[id] = waiter }
          return action
        }
        if let action { Self.tell(waiter, action == .goOn(id)) }
      }
    } onCancel: {
      let told = box.withLock { box in box.take(box.machine.abandon(id).map { [$0] } ?? []) }
      for (waiter, isGoing) in told { Self.tell(waiter, isGoing) }
    }
  }

  private static func tell(_ waiter: CheckedContinuation<Void, any Error>, _ isGoing: Bool) {
    if isGoing { waiter.resume() } else { waiter.resume(throwing: CancellationError()) }
  }
}
