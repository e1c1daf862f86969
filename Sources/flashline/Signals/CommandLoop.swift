import CLinux
import Glibc
import Locks
import Synchronization

/// Runs an asynchronous command to its end while the main thread serves the operator's signals.
struct CommandLoop {
  /// From a stop to the end of the command: links are closed within 5 s, the rest is writing down. Then the program leaves anyway.
  static let stopLimit: Int32 = 20_000

  let signals: SignalReader
  let console: Console

  /// - Parameters:
  ///   - keys: also listens for `p`, `d` and `q`.
  ///   - cancels: a stop cancels the task of `body`, and there is nothing to pause; otherwise `body` looks at the switch itself.
  ///   - pauses: whether there is something to pause; nil: where a stop does not cancel.
  ///   - words: what the operator is told about a wish where no screen shows it.
  ///   - body: does the work on Swift's threads.
  func run(
    keys: Bool = false, cancels: Bool = true, pauses: Bool? = nil, words: @escaping @Sendable (LiveTable.Wish) -> String = { $0.text },
    _ body: @escaping @Sendable (StopSwitch) async -> Int32
  ) -> Int32 {
    let pauses = pauses ?? !cancels
    let ended = eventfd(0, Int32(EFD_CLOEXEC))
    guard ended >= 0 else {
      console.problem("the system gives no event descriptor (\(String(cString: strerror(errno)))): end other programs and try again")
      return ExitStatus.fault
    }
    let status = Atomic<Int32>(ExitStatus.fault)
    let result = Shared(status)
    let stopSwitch = StopSwitch()
    let task = Task.detached {
      let code = await body(stopSwitch)
      result.value.store(code, ordering: .releasing)
      eventfd_write(ended, 1)
    }
    if cancels { stopSwitch.connect(StopSwitch.Work(drain: { task.cancel() }, stop: { task.cancel() })) }
    let policy = Shared(Locked(StopPolicy()))
    let reader =
      keys
      ? TerminalKeys { key in
        if pauses || !"pP".contains(key) { self.receive(.key(key), policy, stopSwitch, words) }
      } : nil
    defer { reader?.end() }
    wait(for: ended, policy, stopSwitch, pauses: pauses, words)
    return result.value.load(ordering: .acquiring)
  }

  /// The same for a command that takes the signals itself.
  func runToEnd(_ body: @escaping @Sendable () async -> Int32) -> Int32 {
    signals.release()
    let status = Monitor<Int32?>(nil)
    Task.detached {
      let code = await body()
      status.with { $0 = code }
    }
    while true {
      if let code = status.wait(limit: .seconds(3600), { $0 }) { return code }
    }
  }

  /// Returns when the command has ended.
  private func wait(for ended: Int32, _ policy: Shared<Locked<StopPolicy>>, _ stopSwitch: StopSwitch, pauses: Bool, _ words: (LiveTable.Wish) -> String) {
    var deadline: Int64?
    while true {
      var ready = [pollfd(fd: ended, events: Int16(POLLIN), revents: 0), pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)]
      let limit = deadline.map { Int32(max(0, min($0 - Self.now, Int64(Self.stopLimit)))) } ?? -1
      let count = poll(&ready, 2, limit)
      if count == 0 {
        console.problem("the stop took too long: links may still be open; look at the boards that were in hand")
        console.leave(ExitStatus.stopped)
      }
      if ready[0].revents != 0 { return }
      while let signal = signals.next() {
        guard pauses || signal.asksForEnd else { continue }
        receive(signal.input, policy, stopSwitch, words)
        if deadline == nil, stopSwitch.isStopping { deadline = Self.now + Int64(Self.stopLimit) }
      }
    }
  }

  /// One wish at a time: keys come on another thread than signals, and the last wish holds.
  private func receive(
    _ input: StopPolicy.Input, _ policy: Shared<Locked<StopPolicy>>, _ stopSwitch: StopSwitch, _ words: (LiveTable.Wish) -> String
  ) {
    policy.value.withLock { act($0.receive(input), stopSwitch, words) }
  }

  private func act(_ action: StopPolicy.Action, _ stopSwitch: StopSwitch, _ words: (LiveTable.Wish) -> String) {
    switch action {
    case .nothing: break
    case .pause:
      console.confirm(.pause)
      stopSwitch.pause()
    case .resume:
      console.confirm(.resume)
      stopSwitch.resume()
    case .drain:
      console.confirm(.drain, words)
      stopSwitch.drain()
    case .stop:
      console.confirm(.stop, words)
      stopSwitch.stop()
    case .leave: console.leave(ExitStatus.stopped)
    }
  }

  /// Milliseconds of the monotonic clock.
  private static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}

/// Lets closures on several threads share a value that cannot be copied.
final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}
