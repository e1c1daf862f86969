public import Bluetooth
import DBus
import Reactor

/// A link of ours that is up.
struct OpenLink {
  var id: UInt64
  /// Opens when the link has ended.
  var ended: Latch
  var channels: [BlueZChannel] = []
  /// Who gets the indications of a characteristic, by its path.
  var indications: [String: BlueZChannel] = [:]
}

extension BlueZCentral {
  public func connect(_ board: BluetoothAddress, on adapter: AdapterHandle, limit: Duration) async throws(CentralError) -> any GATTLink {
    let deadline = ContinuousClock.now + limit
    let adapterPath = try path(of: adapter)
    return try await withTurn(adapterPath, limit: limit) { () async throws(CentralError) -> any GATTLink in
      await stopDiscovery(adapterPath)
      _ = try path(of: adapter)
      guard let path = tree.path(of: board, below: adapterPath) else { throw .boardUnknown }
      connecting[adapterPath] = path
      defer { connecting[adapterPath] = nil }
      // A link that is not ours any more, or never was, ends first: its subscriptions and sockets belong to somebody else.
      if tree.isConnected(path) || links[path] != nil { await finishing(reactor) { await self.bringDown(path) } }
      await keepAgent()
      await loadParameters(for: path, on: adapter, adapterPath)
      do throws(CentralError) {
        let ends = try await establish(path, deadline)
        try await resolve(path, deadline, ends)
      } catch {
        await giveUp(path)
        // Boards vanish a moment before their adapter does: then it is the adapter's fault.
        _ = try self.path(of: adapter)
        throw error
      }
      let link = OpenLink(id: makeID(), ended: Latch())
      links[path] = link
      return BlueZLink(board: board, path: path, id: link.id, latch: link.ended, central: self)
    }
  }

  /// `Connect`, repeated while the kernel still has the last link to the board.
  ///
  /// - Returns: how many of the board's links had ended before this one began.
  private func establish(_ path: String, _ deadline: ContinuousClock.Instant) async throws(CentralError) -> Int {
    var attempt = 1
    while true {
      let ends = tree.linkEnds(of: path)
      do throws(BlueZFailure) {
        _ = try await call(path, BlueZName.device, "Connect", limit: left(until: deadline))
        return ends
      } catch .alreadyConnected {
        return ends
      } catch {
        guard error == .linkBusy, attempt < limits.gapTries, left(until: deadline) > limits.gap else { throw error.onConnect }
      }
      attempt += 1
      await reactor.sleep(limits.gap)
    }
  }

  /// Waits for the board's services; the link may end meanwhile. The answer to `Connect` may come before the properties say so.
  private func resolve(_ path: String, _ deadline: ContinuousClock.Instant, _ ends: Int) async throws(CentralError) {
    _ = await wait(left(until: deadline)) {
      $0.isConnected(path) && $0.isResolved(path) || $0.linkEnds(of: path) != ends || !$0.has(path, BlueZName.device)
    }
    guard service != nil else { throw .stackGone(awayReason) }
    guard tree.has(path, BlueZName.device) else { throw .boardUnknown }
    guard tree.linkEnds(of: path) == ends else { throw .connectFailed("the link ended while the board's services were read") }
    guard tree.isConnected(path), tree.isResolved(path) else { throw Task.isCancelled ? .connectFailed("given up") : .connectTimedOut }
    // `ServicesResolved` may overtake the services' own objects (1 of 24 connections on the rig, bluetoothd 5.66). bluetoothd sends what
    // it has pending before it answers a call, so behind this answer the tree is complete; what it says does not matter.
    let arguments: [DBusValue] = [.string(BlueZName.device), .string("ServicesResolved")]
    _ = try? await call(path, BlueZName.properties, "Get", arguments, limit: limits.call)
    guard tree.linkEnds(of: path) == ends else { throw .connectFailed("the link ended while the board's services were read") }
  }

  /// Cancels an attempt that has not become a link: without it bluetoothd goes on for half a minute.
  private func giveUp(_ path: String) async {
    guard service != nil, tree.has(path, BlueZName.device) else { return }
    await finishing(reactor) { await self.bringDown(path) }
  }

  func left(until deadline: ContinuousClock.Instant) -> Duration {
    max(.zero, deadline - ContinuousClock.now)
  }

  // MARK: The end of a link

  /// The link to a board has ended, whoever ended it.
  func linkDown(_ path: String) {
    guard let link = links.removeValue(forKey: path) else { return }
    for channel in link.channels { channel.linkDown() }
    link.ended.open()
  }

  /// Ends a link (or an attempt) and returns when it is down on the air as well, or the limit has passed.
  func bringDown(_ path: String) async {
    linkDown(path)
    // Somebody does it already: both return when it is done.
    if let running = endings[path] { return await running.wait() }
    let done = Latch()
    endings[path] = done
    defer {
      endings[path] = nil
      done.open()
    }
    let wasConnected = tree.isConnected(path)
    _ = try? await call(path, BlueZName.device, "Disconnect", limit: limits.disconnect)
    _ = await wait(limits.disconnect) { !$0.isConnected(path) }
    if wasConnected { await reactor.sleep(limits.gap) }
  }

  /// Ends a link of ours, unless it has ended already; when it is just ending, waits for that.
  func disconnect(_ path: String, _ id: UInt64) async {
    guard links[path]?.id == id || endings[path] != nil else { return }
    await finishing(reactor) {
      await self.bringDown(path)
      await self.dropUnaskedBond(path)
    }
  }

  /// A bond that nobody asked for does not outlive its link.
  private func dropUnaskedBond(_ path: String) async {
    guard demanding.remove(path) != nil, let slash = path.lastIndex(of: "/") else { return }
    await remove(path, of: String(path[..<slash]))
  }
}
