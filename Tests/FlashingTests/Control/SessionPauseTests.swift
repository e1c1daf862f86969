import Locks
import Synchronization
import Testing
import VirtualLine

@testable import Flashing
@testable import LineFixture

/// Pause, resume and cancel of an update over SMP, in every phase and at many moments (facts/device-manager.md §1.8: there some states have no way back, and a
/// cancel in a pause hangs).
@Suite struct SessionPauseTests {
  static let phases: [Phase] = [.connect, .identify, .prepare, .upload, .test, .reset, .reconnect, .verify, .confirm]
  /// Longer than every other limit of the bench.
  static let pause = Duration.seconds(400)

  /// A bench that pauses itself when a phase is entered for the first time.
  private func bench(pausedAt phase: Phase, _ change: (SessionBench) -> Void = { _ in }) -> SessionBench {
    let bench = SessionBench(settings: { _ in })
    change(bench)
    let control = bench.control
    let isFirst = Shared(true)
    bench.observer.whenEntered { entered in
      if entered == phase, isFirst.take() { control.pause() }
    }
    return bench
  }

  private func wait(_ bench: SessionBench, _ length: Duration) async throws {
    let end = bench.clock.now.sinceStart + length
    try await bench.pump.turn(within: length + .seconds(1)) { bench.clock.now.sinceStart >= end }
  }

  private func passes(_ bench: SessionBench, _ record: AttemptRecord) {
    #expect(record.outcome == .passed, "\(record.failureCode?.rawValue ?? ""): \(record.failureMessage ?? "")")
    #expect(record.good)
    #expect(record.retries == 0)
    #expect(record.uploadBytes == LineImages.new.count)
    #expect(bench.board.version == "1.1.0")
    #expect(bench.central.violations.isEmpty)
    #expect(!bench.board.isConnected)
  }

  // MARK: pause and resume

  @Test(arguments: phases) func everyPhaseStandsStillAndGoesOn(_ phase: Phase) async throws {
    let bench = bench(pausedAt: phase) { $0.order.erasesSettings = true }
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    // What is under way may end: an answer, a connection, a board that comes back.
    try await wait(bench, .seconds(60))
    let (requests, told) = (bench.board.requests.count, bench.observer.phases)
    try await wait(bench, Self.pause)
    #expect(bench.board.requests.count == requests, "nothing new is sent")
    #expect(bench.observer.phases == told, "no step is begun")
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(120))
    passes(bench, record)
    #expect(record.settingsErased == .yes)
    #expect(bench.board.truth.storage?.erased == 1, "it was asked once")
    let spent = try #require(record.duration)
    #expect(spent > Self.pause.seconds, "the attempt took its time")
    #expect(record.uploadSeconds ?? .infinity < 60, "the upload's time and speed are without the pause")
  }

  /// Milliseconds since the start, from before the connection to after the confirmation.
  static let moments = Array(stride(from: 10, through: 4000, by: 190))

  @Test(arguments: moments, [UInt64(1), 2]) func anyMoment(_ moment: Int, _ seed: UInt64) async throws {
    let bench = SessionBench()
    bench.pump = LinePump(bench.clock, seed: seed)
    let work = bench.begin()
    try await wait(bench, .milliseconds(moment))
    bench.control.pause()
    try await wait(bench, Self.pause)
    bench.control.resume()
    passes(bench, try await bench.pump.finish(work, within: .seconds(120)))
  }

  /// Requests under way complete and count; the window is not filled again.
  @Test func answersThatWereUnderWayCount() async throws {
    let bench = SessionBench(image: LineImages.make(1, 1, size: 60_000)) { $0.bufferCount = 6 }
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.board.uploads >= 20 }
    bench.control.pause()
    let before = bench.observer.progress.count
    try await wait(bench, .seconds(30))
    #expect(bench.observer.progress.count > before)
    // What was on its way at that moment; requests are sent one after another, so the window may not have been full.
    #expect(bench.board.uploads <= 20 + 6)
    let acknowledged = try #require(bench.observer.progress.last)
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(60))
    #expect(record.outcome == .passed)
    #expect(record.retries == 0)
    #expect(bench.observer.progress.allSatisfy { $0 <= 60_000 + 2000 })
    #expect(bench.observer.progress.drop { $0 <= acknowledged }.first ?? 0 > acknowledged)
  }

  @Test func manyShortPauses() async throws {
    let bench = SessionBench()
    let work = bench.begin()
    for _ in 0..<40 {
      try await wait(bench, .milliseconds(60))
      bench.control.pause()
      try await wait(bench, .seconds(30))
      bench.control.resume()
    }
    passes(bench, try await bench.pump.finish(work, within: .seconds(120)))
  }

  @Test func aLinkThatIsLostInThePauseIsMadeAgain() async throws {
    let bench = SessionBench()
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.board.uploads >= 10 }
    bench.control.pause()
    try await wait(bench, .seconds(30))
    bench.board.state.withLock { $0.link }?.end()
    try await wait(bench, .seconds(30))
    #expect(bench.board.links == 1, "no connection is made in the pause")
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(60))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == 1)
    #expect(record.resumedFrom != nil)
    #expect(record.uploadBytes == LineImages.new.count)
  }

  /// The named limit of a pause: the board is given up, and the next attempt goes on where it stands.
  @Test(arguments: phases) func aPauseThatIsTooLongEndsTheAttempt(_ phase: Phase) async throws {
    let bench = bench(pausedAt: phase) { $0.limits.pause = .seconds(90) }
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    let began = bench.clock.now.sinceStart
    let record = try await bench.pump.finish(work, within: .seconds(120))
    #expect(bench.clock.now.sinceStart - began >= .seconds(90))
    #expect(bench.clock.now.sinceStart - began < .seconds(92))
    #expect(record.outcome == .aborted)
    #expect(record.failureCode == .operatorPaused)
    #expect(record.failureMessage == "paused for longer than 90 s")
    #expect(!bench.board.isConnected)
    bench.control.resume()
    bench.wasWrittenBefore = record.leftAs != .untouched
    #expect(try await bench.run(attempt: 2).outcome == .passed)
  }

  // MARK: cancel

  enum Way: String, CaseIterable, Sendable { case task, control }

  /// Never worse than an interrupted upload: the board runs one of the two images, the link is closed, and the next attempt passes.
  @Test(arguments: phases, Way.allCases) func aCancelInAPauseWorksAtOnce(_ phase: Phase, _ way: Way) async throws {
    let bench = bench(pausedAt: phase)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    try await wait(bench, .seconds(40))
    let requests = bench.board.requests.count
    let began = bench.clock.now.sinceStart
    if way == .task { work.cancel() } else { bench.control.cancel() }
    let record = try await bench.pump.finish(work, within: .seconds(5))
    #expect(bench.clock.now.sinceStart - began < .seconds(1))
    #expect(bench.board.requests.count == requests)
    try await aborted(bench, record)
  }

  @Test(arguments: phases, Way.allCases) func aCancelInEveryPhase(_ phase: Phase, _ way: Way) async throws {
    let bench = SessionBench()
    let work = Shared<LinePump.Work<AttemptRecord>?>(nil)
    let control = bench.control
    bench.observer.whenEntered { entered in
      guard entered == phase else { return }
      if way == .task { work.value?.cancel() } else { control.cancel() }
    }
    let begun = bench.begin()
    work.value = begun
    try await aborted(bench, try await bench.pump.finish(begun, within: .seconds(120)))
  }

  private func aborted(_ bench: SessionBench, _ record: AttemptRecord) async throws {
    #expect(record.outcome == .aborted, "\(record.failureMessage ?? "")")
    #expect(record.failureCode == .operatorStopped)
    #expect(!record.good)
    #expect(!bench.board.isConnected)
    #expect(["1.0.0", "1.1.0"].contains(bench.board.version))
    bench.observer.whenEntered { _ in }
    let next = SessionBench(takingOver: bench)
    next.wasWrittenBefore = record.leftAs != .untouched
    let second = try await next.run(attempt: 2)
    #expect(second.outcome == .passed, "\(second.failureMessage ?? "")")
    #expect(second.good)
    #expect(next.board.version == "1.1.0")
  }
}

/// A value that closures of a test share.
final class Shared<Value: Sendable>: Sendable {
  private let box: Locked<Value>
  init(_ value: Value) { box = Locked(value) }
  var value: Value {
    get { box.withLock { $0 } }
    set { box.withLock { $0 = newValue } }
  }
}

extension Shared where Value == Bool {
  /// True for the first who asks.
  func take() -> Bool {
    guard value else { return false }
    value = false
    return true
  }
}
