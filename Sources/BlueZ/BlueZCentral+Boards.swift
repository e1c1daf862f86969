public import Bluetooth
import DBus
import Reactor

extension BlueZCentral {
  @discardableResult
  public func prepare(_ adapter: AdapterHandle, radio: RadioParameters) async throws(CentralError) -> RadioStanding {
    let path = try path(of: adapter, mustBeOn: false)
    return try await withTurn(path, limit: limits.turn) { () async throws(CentralError) -> RadioStanding in
      try await powerOn(path, adapter)
      await withDiscardingTaskGroup { group in
        for board in tree.boards(below: path) where links[board] == nil {
          group.addTask { await self.leave(board, of: path) }
        }
      }
      // Last: the kernel refuses it while the adapter is off.
      return await applyRadio(radio, to: adapter)
    }
  }

  private func powerOn(_ path: String, _ adapter: AdapterHandle) async throws(CentralError) {
    guard tree.adapter(at: path)?.powered == false else { return }
    try await setPower(path, true)
    _ = try self.path(of: adapter)
  }

  private func setPower(_ path: String, _ isOn: Bool) async throws(CentralError) {
    do throws(BlueZFailure) {
      let arguments: [DBusValue] = [.string(BlueZName.adapter), .string("Powered"), .variant(.bool(isOn))]
      _ = try await call(path, BlueZName.properties, "Set", arguments, limit: limits.power)
    } catch {
      throw error.onAdapter
    }
    guard await wait(limits.power, until: { $0.adapter(at: path).map { $0.powered == isOn } ?? true }) else {
      throw service == nil ? .stackGone(awayReason) : .noAnswer("the adapter does not switch \(isOn ? "on" : "off")")
    }
  }

  public func heal(_ adapter: AdapterHandle, by remedy: AdapterRemedy) async throws(CentralError) {
    let path = try path(of: adapter, mustBeOn: false)
    try await withTurn(path, limit: limits.turn) { () async throws(CentralError) in
      await stopDiscovery(path)
      switch remedy {
      case .stopDiscovery:
        // Ours has ended; what is ended here is one that bluetoothd still counts for this connection. An error means that there is none.
        _ = try? await call(path, BlueZName.adapter, "StopDiscovery", limit: limits.call)
      case .powerCycle:
        try await setPower(path, false)
        await reactor.sleep(limits.powerPause)
        try await setPower(path, true)
      case .reauthorise: throw .refused("USB re-authorisation is the operating system's matter")
      }
    }
  }

  /// Ends what an earlier program left of a board; keeps bonds.
  private func leave(_ board: String, of adapter: String) async {
    if tree.isKept(board) {
      guard tree.isConnected(board) else { return }
      _ = try? await call(board, BlueZName.device, "Disconnect", limit: limits.disconnect)
    } else {
      await remove(board, of: adapter)
    }
  }

  public func forget(_ board: BluetoothAddress, on adapter: AdapterHandle) async {
    guard let path = try? path(of: adapter, mustBeOn: false), let known = tree.path(of: board, below: path) else { return }
    linkDown(known)
    await finishing(reactor) { await self.remove(known, of: path) }
  }

  func remove(_ board: String, of adapter: String) async {
    demanding.remove(board)
    // bluetoothd answers when a link of the board is down; an error means that it does not know the board any more.
    _ = try? await call(adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(board)], limit: limits.remove)
    _ = await wait(limits.gap) { !$0.has(board, BlueZName.device) }
  }

  /// Ends all discovery and all links, within one limit for all of it.
  public func shutDown() async {
    isShutDown = true
    let boards = Set(links.keys).union(connecting.values)
    let adapters = Array(discoveries.keys)
    for board in links.keys { linkDown(board) }
    await finishing(reactor) { [limits, reactor] in
      await withTaskGroup(of: Bool.self) { group in
        group.addTask { await self.leaveAll(boards, adapters) }
        group.addTask {
          await reactor.sleep(limits.shutDown)
          return true
        }
        _ = await group.next()
        group.cancelAll()
      }
    }
  }

  private func leaveAll(_ boards: Set<String>, _ adapters: [String]) async -> Bool {
    await withDiscardingTaskGroup { group in
      for adapter in adapters { group.addTask { await self.stopDiscovery(adapter) } }
      for board in boards { group.addTask { await self.bringDown(board) } }
    }
    await dropAgent()
    return true
  }
}
