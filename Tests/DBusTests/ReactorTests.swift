import Glibc
import Reactor
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReactorTests {
  private actor Counter {
    let reactor: Reactor
    var count = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    init(_ reactor: Reactor) { self.reactor = reactor }

    func add() {
      reactor.preconditionIsolated()
      count += 1
    }
  }

  @Test("an actor on the reactor runs there, and loses nothing")
  func executor() async throws {
    let reactor = try Reactor()
    let counter = Counter(reactor)
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<1000 { await counter.add() } } }
      for _ in 0..<4 { group.addTask(executorPreference: reactor) { for _ in 0..<1000 { await counter.add() } } }
    }
    #expect(await counter.count == 8000)
    #expect(!reactor.isCurrent)
    #expect(await Task(executorPreference: reactor) { reactor.isCurrent }.value)
  }

  @Test("timers fire in the order of their time, equal ones in the order in which they were made, cancelled ones not at all")
  func timers() async throws {
    let reactor = try Reactor()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    reactor.perform {
      let cancelled = reactor.after(.milliseconds(1)) { continuation.yield(-1) }
      for (number, delay) in [(5, 30), (1, 5), (3, 10), (2, 5), (4, 10)] { reactor.after(.milliseconds(delay)) { continuation.yield(number) } }
      reactor.after(.milliseconds(40)) { continuation.finish() }
      reactor.after(.zero) { continuation.yield(0) }
      cancelled.cancel()
    }
    var fired: [Int] = []
    for await number in stream { fired.append(number) }
    #expect(fired.first == 0)
    #expect(fired.filter { [1, 2].contains($0) } == [1, 2] && fired.filter { [3, 4].contains($0) } == [3, 4])
    #expect(fired.sorted() == [0, 1, 2, 3, 4, 5] && fired.last == 5)
  }

  @Test("a sleep ends with its task's cancellation")
  func sleep() async throws {
    let reactor = try Reactor()
    let task = Task { await reactor.sleep(.seconds(1000)) }
    task.cancel()
    await task.value
  }

  @Test("a task that sleeps by the reactor's clock wakes on its thread, not before its time, and throws when it is cancelled")
  func clock() async throws {
    let reactor = try Reactor()
    let clock = ReactorClock(on: reactor)
    let due = clock.now + .milliseconds(5)
    let woke = try await Task(executorPreference: reactor) {
      try await clock.sleep(until: due)
      return (reactor.isCurrent, clock.now)
    }.value
    #expect(woke.0 && woke.1 >= due)
    let task = Task { try await clock.sleep(for: .seconds(1000)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("work that makes work without end leaves timers their turn")
  func endlessWork() async throws {
    let reactor = try Reactor()
    let over = Latch()
    @Sendable func again() { if !over.isOpen { reactor.perform(again) } }
    reactor.after(.milliseconds(1)) { over.open() }
    again()
    await over.wait()
    #expect(over.isOpen)
  }

  @Test("a descriptor is reported while it is readable, once when only changes are wanted, and not after the watch has ended")
  func watches() async throws {
    let reactor = try Reactor()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let reading = OwnedDescriptor(ends[0])
    let writing = OwnedDescriptor(ends[1])
    let (states, stateReports) = AsyncStream.makeStream(of: Readiness.self)
    let (changes, changeReports) = AsyncStream.makeStream(of: Readiness.self)
    let other = OwnedDescriptor(dup(reading.number))
    let state = try reactor.watch(reading.number, for: .readable) { stateReports.yield($0) }
    let change = try reactor.watch(other.number, for: [.readable, .changesOnly]) { changeReports.yield($0) }
    #expect(write(writing.number, "x", 1) == 1)
    var reports = states.makeAsyncIterator()
    for _ in 0..<3 { #expect(await reports.next() == .readable) }
    state.cancel()
    state.cancel()
    writing.close()
    var edges = changes.makeAsyncIterator()
    #expect(await edges.next() == .readable)
    #expect(await edges.next()?.contains(.hangUp) == true)
    change.cancel()
    // Both callbacks have run for the last time once this closure has: the reactor is one thread.
    await Task(executorPreference: reactor) { stateReports.finish() }.value
    changeReports.finish()
    #expect(await edges.next() == nil)
  }

  @Test("a descriptor that cannot be watched is an error")
  func refused() throws {
    let reactor = try Reactor()
    #expect(throws: ReactorError(call: "epoll_ctl", number: EBADF)) { _ = try reactor.watch(-1, for: .readable) { _ in } }
  }

  @Test("the thread and its descriptors go with the last reference")
  func ends() async throws {
    weak var gone: Reactor?
    let held = Latch()
    do {
      let reactor = try Reactor()
      gone = reactor
      await Counter(reactor).add()
      // Keeps something that reports its own end: the timer's closure.
      let witness = Witness(held)
      reactor.after(.seconds(1000)) { witness.touch() }
    }
    await held.wait()
    #expect(gone == nil)
  }

  private final class Witness: Sendable {
    private let latch: Latch
    init(_ latch: Latch) { self.latch = latch }
    func touch() {}
    deinit { latch.open() }
  }

  @Test("a latch lets everybody go on, also those who come later, and the cancelled at once")
  func latch() async {
    let latch = Latch()
    let cancelled = Task { await latch.wait() }
    cancelled.cancel()
    await cancelled.value
    #expect(!latch.isOpen)
    let waiting = (0..<10).map { _ in Task { await latch.wait() } }
    latch.open()
    latch.open()
    for task in waiting { await task.value }
    await latch.wait()
    #expect(latch.isOpen)
  }

  @Test("a descriptor is closed once")
  func descriptor() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let reading = OwnedDescriptor(ends[0])
    let number = reading.number
    reading.close()
    reading.close()
    #expect(!reading.isOpen && reading.release() == -1)
    #expect(number == ends[0])
    let given = OwnedDescriptor(ends[1]).release()
    #expect(fcntl(given, F_GETFD) >= 0, "handed over, not closed")
    close(given)
  }
}
