import CLinux
import Glibc

/// One thread that serves file descriptors, timers and Swift jobs; an executor for actors and for tasks.
///
/// Everything it calls runs on its own thread, one after the other. All members may be used from any thread.
public final class Reactor: SerialExecutor, TaskExecutor {
  /// Most descriptors served before jobs and timers have their turn again.
  public static let eventsPerTurn = 64
  /// Most jobs run before descriptors and timers have their turn again.
  public static let jobsPerTurn = 1024

  private let loop: ReactorLoop

  /// Starts the thread. Throws `ReactorError` when the kernel has no descriptor or thread left.
  public init() throws(ReactorError) {
    loop = try ReactorLoop()
    try loop.start()
  }

  deinit {
    loop.stop()
  }

  // MARK: Executor

  public func enqueue(_ job: consuming ExecutorJob) {
    loop.submit(.job(UnownedJob(job), self))
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  public func checkIsolated() {
    precondition(isCurrent, "not on the reactor's thread")
  }

  public func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  /// True on the reactor's own thread.
  public var isCurrent: Bool { loop.isCurrent }

  // MARK: Closures, timers, descriptors

  /// Runs a closure on the reactor's thread, after what is already waiting there.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    loop.submit(.closure(body))
  }

  /// Calls `body` once when `delay` has passed, unless the timer is cancelled before.
  @discardableResult
  public func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> ReactorTimer {
    ReactorTimer(id: loop.addTimer(delay: delay, body), loop: loop)
  }

  /// Returns when `duration` has passed, or at once when the task is cancelled.
  public func sleep(_ duration: Duration) async {
    let latch = Latch()
    let timer = after(duration) { latch.open() }
    await latch.wait()
    timer.cancel()
  }

  /// Calls `body` on the reactor's thread whenever the descriptor is ready, until the watch is cancelled.
  ///
  /// The descriptor stays the caller's: cancel the watch before closing it.
  public func watch(_ descriptor: Int32, for interest: Readiness, _ body: @escaping @Sendable (Readiness) -> Void) throws(ReactorError) -> ReactorWatch {
    ReactorWatch(id: try loop.addWatch(descriptor, interest, body), descriptor: descriptor, loop: loop)
  }
}

/// Why the kernel refused the reactor something.
public struct ReactorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call that failed.
  public var call: String
  /// Its `errno`.
  public var number: Int32

  public init(call: String, number: Int32) {
    self.call = call
    self.number = number
  }

  public var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// What a descriptor is ready for, or should be watched for.
public struct Readiness: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// Reported whether asked for or not.
  public static let error = Readiness(rawValue: EPOLLERR.rawValue)
  /// Reported whether asked for or not.
  public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  /// Report changes only, not states (edge-triggered).
  public static let changesOnly = Readiness(rawValue: EPOLLET.rawValue)
}

/// A timer that has not fired yet, or has.
public struct ReactorTimer: Sendable {
  fileprivate let id: UInt64
  fileprivate let loop: ReactorLoop

  /// After this (on the reactor's thread) or soon after it (elsewhere) the timer does not fire any more.
  public func cancel() {
    loop.removeTimer(id)
  }
}

/// A descriptor being watched.
public struct ReactorWatch: Sendable {
  fileprivate let id: UInt64
  fileprivate let descriptor: Int32
  fileprivate let loop: ReactorLoop

  /// Watches for something else from now on.
  public func change(to interest: Readiness) throws(ReactorError) {
    try loop.changeWatch(id, descriptor, interest)
  }

  /// Ends the watch; safe to repeat. On the reactor's thread the callback is not called again.
  public func cancel() {
    loop.removeWatch(id, descriptor)
  }
}
