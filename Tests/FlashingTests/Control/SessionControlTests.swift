import LineFixture
import Locks
import Synchronization
import Testing

@testable import Flashing

/// The tasks that wait for a control, on a turned clock.
@Suite struct SessionControlTests {
  let clock = ManualClock()
  let pump: LinePump
  let control: SessionControl

  init() {
    pump = LinePump(clock)
    let clock = clock
    control = SessionControl(Timekeeper(clock) { Int64(clock.now.sinceStart.seconds) })
  }

  private func turn(to time: Duration) async throws {
    try await pump.turn(within: .seconds(1000)) { clock.now.sinceStart >= time }
  }

  @Test func passageWaitsForTheEndOfThePause() async throws {
    control.pause()
    let work = pump.start { [control, clock] in
      try? await control.passage()
      return clock.now.sinceStart
    }
    try await turn(to: .seconds(30))
    control.resume()
    #expect(try await pump.finish(work, within: .seconds(1)) == .seconds(30))
  }

  @Test func aCancelledTaskDoesNotWait() async throws {
    control.pause()
    let work = pump.start { [control] in await Result { try await control.passage() }.isCancelled }
    try await turn(to: .seconds(1))
    work.cancel()
    #expect(try await pump.finish(work, within: .zero))
    let late = pump.start { [control] in await Result { try await control.passage() }.isCancelled }
    late.cancel()
    #expect(try await pump.finish(late, within: .zero))
  }

  @Test func aCancelLetsNobodyPass() async throws {
    control.pause()
    let work = pump.start { [control] in await Result { try await control.passage() }.isCancelled }
    let end = pump.start { [control] in await Result { try await control.cancelled() }.isCancelled }
    try await turn(to: .seconds(1))
    control.cancel()
    #expect(try await pump.finish(work, within: .zero))
    #expect(try await pump.finish(end, within: .zero) == false)
    #expect(!control.isPaused)
  }

  /// A sleep of 10 s, begun at 0, with pauses from 3 s to 33 s and from 35 s to 40 s: it is over at 45 s.
  @Test func sleepersSleepLongerByThePauses() async throws {
    let work = pump.start { [control, clock] in
      try? await control.time.sleep(.seconds(10))
      return clock.now.sinceStart
    }
    try await turn(to: .seconds(3))
    control.pause()
    try await turn(to: .seconds(20))
    #expect(control.time.now() == .seconds(3))
    try await turn(to: .seconds(33))
    control.resume()
    try await turn(to: .seconds(35))
    #expect(control.time.now() == .seconds(5))
    control.pause()
    try await turn(to: .seconds(40))
    control.resume()
    #expect(try await pump.finish(work, within: .seconds(100)) == .seconds(45))
    #expect(control.time.now() == .seconds(10))
  }

  /// Only one pause that is too long is: several short ones are not added up.
  @Test func overdue() async throws {
    let work = pump.start { [control, clock] in
      try? await control.overdue(.seconds(60))
      return clock.now.sinceStart
    }
    for start in [10, 70, 130] {
      try await turn(to: .seconds(start))
      control.pause()
      try await turn(to: .seconds(start + 50))
      control.resume()
    }
    try await turn(to: .seconds(200))
    control.pause()
    #expect(try await pump.finish(work, within: .seconds(100)) == .seconds(260))
  }
}

extension Result where Success == Void, Failure == any Error {
  fileprivate init(_ body: () async throws -> Void) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }

  fileprivate var isCancelled: Bool {
    if case .failure(is CancellationError) = self { true } else { false }
  }
}
