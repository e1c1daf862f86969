import Bluetooth
import Reactor

extension BlueZCentral {
  /// Runs `body` when it is this request's turn on the adapter.
  ///
  /// - Throws: `noAnswer` when the turn does not come within the limit, `refused` when the task is cancelled while it waits.
  func withTurn<Value>(
    _ adapter: String, limit: Duration, _ body: () async throws(CentralError) -> sending Value
  ) async throws(CentralError) -> sending Value {
    let id = makeID()
    if !turns.take(adapter, id) {
      let latch = Latch()
      turnWaiters[id] = latch
      let timer = reactor.after(limit) { latch.open() }
      await latch.wait()
      timer.cancel()
      turnWaiters[id] = nil
    }
    guard turns.holds(adapter, id), !Task.isCancelled else {
      endTurn(adapter, id)
      throw Task.isCancelled ? .refused("given up") : .noAnswer("the adapter was busy with others")
    }
    do throws(CentralError) {
      let value = try await body()
      endTurn(adapter, id)
      return value
    } catch {
      endTurn(adapter, id)
      throw error
    }
  }

  private func endTurn(_ adapter: String, _ id: UInt64) {
    if let next = turns.give(adapter, id) { turnWaiters[next]?.open() }
  }
}
