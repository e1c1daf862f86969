import Locks
import Synchronization

/// Runs tasks on the test's own thread and turns the clock when they have nothing left to do, until a piece of work is over.
///
/// No real time is in it: all work of the code under test comes to this one queue (child tasks and default actors follow the executor preference, and so do
/// endings that outlive a cancellation), so that an empty queue means that only the clock can bring more, however busy the machine is.
public final class LinePump: TaskExecutor, Sendable {
  /// The most that the clock is turned at a time.
  private static let step = Duration.milliseconds(50)
  /// Jobs without a turn of the clock after which something runs in circles.
  private static let jobLimit = 200_000

  public let clock: ManualClock
  private let queue = Locked<[UnownedJob]>([])
  private let isShuffled: Bool
  private let random: Locked<UInt64>

  /// - Parameter seed: jobs run in an order drawn from it, as the pool of a machine with many cores may run them; nil in the order of their coming.
  public init(_ clock: ManualClock, seed: UInt64? = nil) {
    self.clock = clock
    isShuffled = seed != nil
    random = Locked(seed ?? 0)
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.withLock { $0.append(job) }
  }

  /// The work did not end within the time that the test allows.
  public struct NeverOver: Error, CustomStringConvertible {
    public var spent: Duration
    public var description: String { "the work was not over after \(spent) on the turned clock" }
  }

  /// Begins `body` on this executor; `finish` runs it.
  public func start<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Work<Value> {
    let work = Work<Value>()
    work.task.withLock { task in
      task = Task(executorPreference: self) {
        let value = await body()
        work.value.withLock { $0 = value }
      }
    }
    return work
  }

  /// Work that was begun.
  public final class Work<Value: Sendable>: Sendable {
    fileprivate let value = Locked<Value?>(nil)
    fileprivate let task = Locked<Task<Void, Never>?>(nil)

    public func cancel() { task.withLock { $0 }?.cancel() }
  }

  /// Turns the clock until the work is over, at most so far.
  public func finish<Value: Sendable>(_ work: Work<Value>, within limit: Duration) async throws -> Value {
    try await turn(within: limit) { work.value.withLock { $0 != nil } }
    guard let value = work.value.withLock({ $0 }) else { throw NeverOver(spent: limit) }
    return value
  }

  /// Turns the clock until something is so, at most so far.
  public func turn(within limit: Duration, until isOver: () -> Bool) async throws {
    let began = clock.now.sinceStart
    while true {
      try drain(began)
      if isOver() { return }
      let spent = clock.now.sinceStart - began
      guard spent < limit else { throw NeverOver(spent: spent) }
      let next = clock.next.map { $0 - clock.now.sinceStart } ?? Self.step
      clock.advance(by: min(max(next, .zero), Self.step))
    }
  }

  private func drain(_ began: Duration) throws {
    var jobs = 0
    while let job = queue.withLock({ $0.isEmpty ? nil : $0.remove(at: place(of: $0.count)) }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
      jobs += 1
      guard jobs < Self.jobLimit else { throw NeverOver(spent: clock.now.sinceStart - began) }
    }
  }

  private func place(of count: Int) -> Int {
    guard isShuffled else { return 0 }
    return random.withLock { state in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }
}
