public import Bluetooth
import DBus
import Reactor

/// A discovery that somebody reads.
struct Discovery {
  var reader: UInt64
  var continuation: AsyncThrowingStream<Advertisement, any Error>.Continuation
}

extension BlueZCentral {
  public nonisolated func discover(on adapter: AdapterHandle) -> AsyncThrowingStream<Advertisement, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Advertisement.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(limits.advertisementsKept))
    // The stream's own task: it ends when the reader leaves, and what it started is stopped then.
    let left = Latch()
    continuation.onTermination = { _ in left.open() }
    Task(executorPreference: reactor) { await self.serveReader(adapter, continuation, left) }
    return stream
  }

  private func serveReader(_ adapter: AdapterHandle, _ continuation: AsyncThrowingStream<Advertisement, any Error>.Continuation, _ left: Latch) async {
    let reader = makeID()
    do throws(CentralError) {
      let path = try path(of: adapter)
      try await withTurn(path, limit: limits.turn) { () async throws(CentralError) in
        guard !left.isOpen else { return }
        _ = try self.path(of: adapter)
        await stopDiscovery(path)
        discoveries[path] = Discovery(reader: reader, continuation: continuation)
        try await startDiscovery(path, reader)
      }
      await left.wait()
      guard discoveries[path]?.reader == reader else { return }
      try await withTurn(path, limit: limits.turn) { () async throws(CentralError) in
        if discoveries[path]?.reader == reader { await stopDiscovery(path) }
      }
    } catch {
      continuation.finish(throwing: error)
    }
  }

  private func startDiscovery(_ path: String, _ reader: UInt64) async throws(CentralError) {
    let filter = DBusValue.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])
    do throws(BlueZFailure) {
      _ = try await call(path, BlueZName.adapter, "SetDiscoveryFilter", [filter], limit: limits.call)
      do throws(BlueZFailure) {
        _ = try await call(path, BlueZName.adapter, "StartDiscovery", limit: limits.call)
      } catch BlueZFailure.inProgress {
        // A discovery of ours that bluetoothd still counts: end it, begin anew.
        _ = try? await call(path, BlueZName.adapter, "StopDiscovery", limit: limits.call)
        _ = try await call(path, BlueZName.adapter, "StartDiscovery", limit: limits.call)
      }
    } catch {
      if discoveries[path]?.reader == reader { discoveries[path] = nil }
      throw error.onAdapter
    }
  }

  /// Ends the running discovery of an adapter, for its reader too; the caller has the adapter's turn.
  func stopDiscovery(_ path: String) async {
    guard let discovery = discoveries.removeValue(forKey: path) else { return }
    discovery.continuation.finish()
    // What fails here has stopped already, or the adapter is gone.
    _ = await finishing(reactor) { [limits] in try? await self.call(path, BlueZName.adapter, "StopDiscovery", limit: limits.call) }
  }

  /// The discovery has ended by itself.
  func finishDiscovery(_ path: String, _ error: CentralError) {
    discoveries.removeValue(forKey: path)?.continuation.finish(throwing: error)
  }

  /// A board's properties came in: with RSSI among them it was heard just now.
  func heard(_ board: String, _ properties: ObjectTree.Properties) {
    guard let rssi = properties["RSSI"]?.integer, let slash = board.lastIndex(of: "/") else { return }
    guard let discovery = discoveries[String(board[..<slash])], let advertisement = tree.advertisement(of: board, rssi: rssi) else { return }
    discovery.continuation.yield(advertisement)
  }
}
