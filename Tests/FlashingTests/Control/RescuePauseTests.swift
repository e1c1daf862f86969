import Bluetooth
import LineFixture
import Testing

@testable import Flashing
@testable import VirtualLine

/// Nordic's bootloaders leave after 120 s of silence, and a Legacy transfer cannot be taken up again: a pause is taken between images, never inside one
/// (facts/nordic-dfu.md §§2.5, 3.7).
@Suite("Rescue: pause, resume, cancel")
struct RescuePauseTests {
  static let pause = Duration.seconds(1000)

  private func pausing(_ bench: RescueBench, at phase: Phase) {
    let control = bench.control
    let isFirst = Shared(true)
    bench.notes.whenEntered { if $0 == phase, isFirst.take() { control.pause() } }
  }

  private func wait(_ bench: RescueBench, _ length: Duration) async throws {
    let end = bench.clock.now.sinceStart + length
    try await bench.pump.turn(within: length + .seconds(1)) { bench.clock.now.sinceStart >= end }
  }

  /// Two bootloaders and an application: the pause comes with the first link, and with it one image is finished.
  @Test("The image on its way is finished, the next one waits", arguments: [Phase.connect, .identify, .prepare, .rescue, .upload])
  func legacy(_ phase: Phase) async throws {
    let bench = try RescueBench { $0.bootloader = "0.3.1" }
    pausing(bench, at: phase)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    try await wait(bench, Self.pause)
    #expect(bench.board.starts == 1)
    #expect(bench.board.board.updates.count == 1)
    #expect(!bench.board.isConnected, "no link is kept in which a bootloader would wait")
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(600))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == 0)
    #expect(bench.board.starts == 3)
    #expect(bench.board.board.updates.count == 3)
  }

  @Test("Secure DFU alike", arguments: [Phase.connect, .rescue, .upload])
  func secure(_ phase: Phase) async throws {
    let bench = try RescueBench(kind: .secure, shelf: RescueSecureTests.shelf())
    pausing(bench, at: phase)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    try await wait(bench, Self.pause)
    #expect(bench.board.board.isUpdated)
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(600))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == 0)
  }

  @Test("A board that was just sent to its bootloader is not kept waiting there")
  func handoff() async throws {
    let bench = try RescueBench(kind: .secure, shelf: RescueSecureTests.shelf(), enters: true) {
      $0.start = .application
      $0.application = "1.0.0"
    }
    bench.order.allowsDowngrade = true
    pausing(bench, at: .detach)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    try await wait(bench, Self.pause)
    #expect(bench.board.board.jumps == 1)
    #expect(bench.board.board.isUpdated)
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(600))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(bench.board.board.jumps == 1)
  }

  @Test("A silent bootloader is noticed in the pause, too")
  func silence() async throws {
    let faults = [BoardFault(.dropLink, offset: 500)]
    let unpaused = try await RescueBench(faults) { $0.bootloader = "0.3.3" }.run()
    let bench = try RescueBench(faults) { $0.bootloader = "0.3.3" }
    pausing(bench, at: .upload)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    try await wait(bench, Self.pause)
    #expect(!bench.board.isConnected)
    bench.control.resume()
    let record = try await bench.pump.finish(work, within: .seconds(600))
    #expect(record.outcome == .passed, "\(record.failureMessage ?? "")")
    #expect(record.retries == unpaused.retries)
  }

  @Test("A cancel between two images works at once, and the next attempt goes on from there", arguments: [false, true])
  func cancelInAPause(_ byControl: Bool) async throws {
    let bench = try RescueBench { $0.bootloader = "0.3.1" }
    pausing(bench, at: .upload)
    let work = bench.begin()
    try await bench.pump.turn(within: .seconds(60)) { bench.control.isPaused }
    try await wait(bench, Self.pause)
    let began = bench.clock.now.sinceStart
    if byControl { bench.control.cancel() } else { work.cancel() }
    let record = try await bench.pump.finish(work, within: .seconds(5))
    #expect(bench.clock.now.sinceStart - began < .seconds(1))
    #expect(record.outcome == .aborted)
    #expect(record.failureCode == .operatorStopped)
    #expect(record.leftAs != .untouched && record.leftAs != .application)
    let next = try RescueBench(takingOver: bench)
    let second = try await next.run(wasWrittenBefore: true)
    #expect(second.outcome == .passed, "\(second.failureMessage ?? "")")
    #expect(bench.board.starts == 3, "no image was sent twice")
  }

  @Test("A cancel in every phase", arguments: [Phase.connect, .identify, .prepare, .rescue, .upload, .reconnect, .verify])
  func cancel(_ phase: Phase) async throws {
    let bench = try RescueBench { $0.bootloader = "0.3.2" }
    let control = bench.control
    bench.notes.whenEntered { if $0 == phase { control.cancel() } }
    let record = try await bench.run()
    #expect(record.outcome == .aborted, "\(record.failureMessage ?? "")")
    #expect(record.failureCode == .operatorStopped)
    #expect(!bench.board.isConnected)
    let next = try RescueBench(takingOver: bench)
    let second = try await next.run(wasWrittenBefore: record.leftAs != .untouched)
    #expect(second.outcome == .passed, "\(second.failureMessage ?? "")")
  }
}
