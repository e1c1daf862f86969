import LineFixture
import Locks
import Synchronization
import Testing

@testable import Flashing

/// Work that outlives a cancellation.
@Suite struct ShieldedTests {
  /// In no time at all: work that left the executor would not be over when the executor has nothing left to run.
  @Test(arguments: [false, true]) func itRunsWhereItsTaskRuns(_ isCancelled: Bool) async throws {
    let pump = LinePump(ManualClock())
    let ending = Ending()
    let work = pump.start { await shielded { ending.note(Task.isCancelled) } }
    if isCancelled { work.cancel() }
    try await pump.finish(work, within: .zero)
    #expect(ending.wasCancelled == false)
  }

  private final class Ending: Sendable {
    private let state = Locked<Bool?>(nil)
    var wasCancelled: Bool? { state.withLock { $0 } }
    func note(_ isCancelled: Bool) { state.withLock { $0 = isCancelled } }
  }
}
