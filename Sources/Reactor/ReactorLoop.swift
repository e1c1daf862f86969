import CLinux
import Glibc
import Locks
import Synchronization

/// The reactor's thread and what it waits for; outlives the `Reactor` by the time the thread needs to end.
final class ReactorLoop: Sendable {
  enum Work {
    /// The reactor is kept until its job has run.
    case job(UnownedJob, Reactor)
    case closure(@Sendable () -> Void)
  }

  private struct Timer {
    var due: ContinuousClock.Instant
    var id: UInt64
    var body: @Sendable () -> Void
  }

  private struct State {
    var queue: [Work] = []
    /// Sorted, the next one last.
    var timers: [Timer] = []
    var watches: [UInt64: @Sendable (Readiness) -> Void] = [:]
    var nextID: UInt64 = 1
    /// The thread sleeps (or is about to): it must be woken.
    var asleep = false
    var stopping = false
    var thread: pthread_t?

    mutating func makeID() -> UInt64 {
      defer { nextID += 1 }
      return nextID
    }
  }

  /// The identity of the wake-up descriptor among epoll's events; no watch has it.
  private static let wakeID: UInt64 = 0

  private let epoll: OwnedDescriptor
  private let wakeUp: OwnedDescriptor
  private let state = Locked(State())

  init() throws(ReactorError) {
    epoll = OwnedDescriptor(epoll_create1(Int32(EPOLL_CLOEXEC)))
    guard epoll.isOpen else { throw ReactorError(call: "epoll_create1", number: errno) }
    wakeUp = OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    guard wakeUp.isOpen else { throw ReactorError(call: "eventfd", number: errno) }
    try control(EPOLL_CTL_ADD, wakeUp.number, Self.wakeID, .readable)
  }

  func start() throws(ReactorError) {
    try startThread(named: "reactor") { self.run() }
  }

  /// The thread ends as soon as it has no more jobs.
  func stop() {
    state.withLock { $0.stopping = true }
    wake()
  }

  var isCurrent: Bool {
    guard let thread = state.withLock({ $0.thread }) else { return false }
    return pthread_equal(thread, pthread_self()) != 0
  }

  func submit(_ work: Work) {
    let mustWake = state.withLock { state in
      state.queue.append(work)
      defer { state.asleep = false }
      return state.asleep
    }
    if mustWake { wake() }
  }

  // MARK: Timers and watches

  func addTimer(delay: Duration, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    let due = ContinuousClock.now + delay
    let (id, mustWake) = state.withLock { state in
      let id = state.makeID()
      // Later ones stand before earlier ones; equal ones fire in the order in which they were made.
      var low = 0
      var high = state.timers.count
      while low < high {
        let middle = (low + high) / 2
        if state.timers[middle].due > due { low = middle + 1 } else { high = middle }
      }
      state.timers.insert(Timer(due: due, id: id, body: body), at: low)
      defer { state.asleep = false }
      return (id, state.asleep)
    }
    if mustWake { wake() }
    return id
  }

  func removeTimer(_ id: UInt64) {
    // Released outside the lock: what the closure holds may use the reactor when it goes.
    let removed = state.withLock { state in state.timers.firstIndex { $0.id == id }.map { state.timers.remove(at: $0) } }
    _ = removed
  }

  func addWatch(_ descriptor: Int32, _ interest: Readiness, _ body: @escaping @Sendable (Readiness) -> Void) throws(ReactorError) -> UInt64 {
    let id = state.withLock { state in
      let id = state.makeID()
      state.watches[id] = body
      return id
    }
    do {
      try control(EPOLL_CTL_ADD, descriptor, id, interest)
    } catch {
      _ = state.withLock { $0.watches.removeValue(forKey: id) }
      throw error
    }
    return id
  }

  func changeWatch(_ id: UInt64, _ descriptor: Int32, _ interest: Readiness) throws(ReactorError) {
    guard state.withLock({ $0.watches[id] != nil }) else { return }
    try control(EPOLL_CTL_MOD, descriptor, id, interest)
  }

  func removeWatch(_ id: UInt64, _ descriptor: Int32) {
    guard let removed = state.withLock({ $0.watches.removeValue(forKey: id) }) else { return }
    epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, nil)
    _ = removed
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ id: UInt64, _ interest: Readiness) throws(ReactorError) {
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: id))
    guard epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else { throw ReactorError(call: "epoll_ctl", number: errno) }
  }

  private func wake() {
    var one: UInt64 = 1
    // EAGAIN means that it is already raised.
    _ = write(wakeUp.number, &one, MemoryLayout<UInt64>.size)
  }

  // MARK: The thread

  private func run() {
    state.withLock { $0.thread = pthread_self() }
    var events = [epoll_event](repeating: epoll_event(), count: Reactor.eventsPerTurn)
    while true {
      runJobs()
      fireTimers()
      guard let wait = timeToWait() else { return }
      let count = epoll_wait(epoll.number, &events, Int32(events.count), wait)
      state.withLock { $0.asleep = false }
      // EINTR: a signal went to this thread; look again.
      guard count > 0 else { continue }
      for event in events.prefix(Int(count)) { deliver(event) }
    }
  }

  /// Jobs that jobs make have the same turn: a request is a chain of short ones, and asking the kernel between two of them would cost more than they do.
  private func runJobs() {
    var left = Reactor.jobsPerTurn
    while left > 0 {
      let works = takeJobs(atMost: left)
      guard !works.isEmpty else { return }
      left -= works.count
      for work in works {
        switch work {
        case .job(let job, let reactor):
          job.runSynchronously(isolatedTo: reactor.asUnownedSerialExecutor(), taskExecutor: reactor.asUnownedTaskExecutor())
        case .closure(let body):
          body()
        }
      }
    }
  }

  private func takeJobs(atMost limit: Int) -> [Work] {
    state.withLock { state in
      guard state.queue.count > limit else {
        defer { state.queue = [] }
        return state.queue
      }
      defer { state.queue.removeFirst(limit) }
      return Array(state.queue.prefix(limit))
    }
  }

  private func fireTimers() {
    let now = ContinuousClock.now
    while let timer = state.withLock({ state in state.timers.last.flatMap { $0.due <= now ? state.timers.popLast() : nil } }) {
      timer.body()
    }
  }

  /// Milliseconds to sleep, -1 without end, nil when the thread has nothing left to do and shall end.
  private func timeToWait() -> Int32? {
    state.withLock { state in
      guard state.queue.isEmpty else { return 0 }
      if state.stopping { return nil }
      state.asleep = true
      guard let next = state.timers.last else { return -1 }
      let left = next.due - ContinuousClock.now
      guard left > .zero else { return 0 }
      // Rounded up: waking early would only mean to look again.
      let milliseconds = left.components.seconds.multipliedReportingOverflow(by: 1000)
      let more = left.components.attoseconds / 1_000_000_000_000_000 + 1
      return milliseconds.overflow ? Int32.max : Int32(clamping: milliseconds.partialValue + more)
    }
  }

  private func deliver(_ event: epoll_event) {
    if event.data.u64 == Self.wakeID {
      var count: UInt64 = 0
      _ = read(wakeUp.number, &count, MemoryLayout<UInt64>.size)
      return
    }
    // A watch that was cancelled by an earlier callback of this turn is not in the table any more.
    guard let body = state.withLock({ $0.watches[event.data.u64] }) else { return }
    body(Readiness(rawValue: event.events))
  }
}
