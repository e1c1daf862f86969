/// A machine of the room NordicDFU together with what performs its actions: the upload of a part, or the way into the bootloader. Both run in the same loop.
protocol DFUPerformer: Sendable {
  associatedtype Action: Sendable
  associatedtype End: Sendable
  typealias Helpers = ThrowingDiscardingTaskGroup<any Error>

  var session: BoardSession { get }
  var events: DFUEvents { get }

  mutating func start() -> [Action]
  /// Does one action.
  mutating func perform(_ action: Action, _ helpers: inout Helpers) async throws -> DFUStep<Action, End>
  /// What follows from an event, neither a tick nor the station's own trouble.
  mutating func handle(_ event: DFUEvent) -> [Action]
  /// What follows when the awaited thing did not come in time.
  mutating func silent() -> [Action]
}

/// What became of one action.
enum DFUStep<Action: Sendable, End: Sendable>: Sendable {
  /// Done; these follow behind what was asked for with it.
  case then([Action])
  /// From now on something is awaited; replaces the wait before.
  case wait(Duration)
  /// Done, and nothing is awaited any more.
  case rest
  case end(End)

  static var done: Self { .then([]) }
}

extension DFUPerformer {
  /// Runs the machine to its end. Throws the station's faults and the operator's stop; what the board does is in the result.
  ///
  /// - Parameter begin: what feeds the events beside the clock; it ends with the run.
  mutating func run(_ begin: (inout Helpers) -> Void) async throws -> End {
    var performer = self
    defer { self = performer }
    return try await withThrowingDiscardingTaskGroup { helpers in
      defer { helpers.cancelAll() }
      let events = performer.events
      begin(&helpers)
      helpers.addTask { await events.keepTime() }
      var deadline: Duration?
      var actions = performer.start()
      var stream = events.stream.makeAsyncIterator()
      while true {
        var next = 0
        while next < actions.count {
          switch try await performer.perform(actions[next], &helpers) {
          case .then(let more): actions += more
          case .wait(let limit): deadline = performer.session.time.now() + limit
          case .rest: deadline = nil
          case .end(let end): return end
          }
          next += 1
        }
        guard let event = await stream.next() else { throw CancellationError() }
        switch event {
        case .broken(let error): throw error
        case .tick:
          actions = []
          guard let due = deadline, performer.session.time.now() >= due else { continue }
          deadline = nil
          actions = performer.silent()
        case .written, .refused, .handedOver, .received, .paused, .linkLost: actions = performer.handle(event)
        }
      }
    }
  }
}
