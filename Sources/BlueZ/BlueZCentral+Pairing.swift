import Bluetooth
import DBus
import Reactor

extension BlueZCentral {
  /// The turn of pairing: bluetoothd takes one agent of each program, and what it can do belongs to the board being paired.
  private static let agentTurn = "agent"

  func pair(_ board: String, _ link: UInt64, _ method: PairingMethod, limit: Duration) async throws(CentralError) {
    let deadline = ContinuousClock.now + limit
    guard links[board]?.id == link else { throw lost }
    demanding.remove(board)
    guard !tree.isKept(board) else { return }
    try await withTurn(Self.agentTurn, limit: limit) { () async throws(CentralError) in
      guard links[board]?.id == link else { throw lost }
      let agent = PairingAgent(board: board, method: method)
      do throws(BlueZFailure) {
        try await use(agent.capability)
      } catch {
        throw error.onPairing
      }
      pairing = agent
      let failure = await pair(agent, deadline)
      pairing = nil
      if let failure {
        // A board may end the link when it does not like the pairing; that says more than that the link is gone.
        guard links[board]?.id == link || failure.isRejection else { throw lost }
        throw failure.onPairing
      }
    }
  }

  private func pair(_ agent: PairingAgent, _ deadline: ContinuousClock.Instant) async -> BlueZFailure? {
    do throws(BlueZFailure) {
      _ = try await call(agent.board, BlueZName.device, "Pair", limit: left(until: deadline))
      return nil
    } catch .alreadyExists {
      return nil
    } catch {
      if error == .noAnswer || error == .cancelled {
        // Without it bluetoothd goes on, and the next board's pairing is refused.
        await finishing(reactor) { [limits] in _ = try? await self.call(agent.board, BlueZName.device, "CancelPairing", limit: limits.call) }
      }
      return error
    }
  }

  // MARK: The agent

  /// Has an agent at hand before a link of ours begins; without one (it is best effort) nothing else changes.
  ///
  /// A board that demands an encrypted link makes the kernel pair on its own, and bluetoothd asks its default agent. Where there is none, the request
  /// that needed encryption is never answered, and bluetoothd 5.66 crashes when the board is removed (seen on the rig). So the question is answered with
  /// yes, remembered, and what was asked for fails with `notPermitted`; the bond goes with the link.
  func keepAgent() async {
    guard agentCapability != PairingAgent.watching else { return }
    try? await withTurn(Self.agentTurn, limit: limits.call) { () async throws(CentralError) in
      _ = try? await use(PairingAgent.watching)
    }
  }

  /// Registers our agent with this capability, as the default one; other programs' agents are asked again when it goes.
  private func use(_ capability: String) async throws(BlueZFailure) {
    guard agentCapability != capability else { return }
    agentCapability = nil
    let path = DBusValue.objectPath(PairingAgent.path)
    do throws(BlueZFailure) {
      _ = try await call(BlueZName.root, BlueZName.agents, "RegisterAgent", [path, .string(capability)], limit: limits.call)
    } catch .alreadyExists {
      // With another capability, or left by a registration whose answer was lost.
      _ = try? await call(BlueZName.root, BlueZName.agents, "UnregisterAgent", [path], limit: limits.call)
      _ = try await call(BlueZName.root, BlueZName.agents, "RegisterAgent", [path, .string(capability)], limit: limits.call)
    }
    _ = try? await call(BlueZName.root, BlueZName.agents, "RequestDefaultAgent", [path], limit: limits.call)
    agentCapability = capability
  }

  func dropAgent() async {
    guard agentCapability != nil else { return }
    agentCapability = nil
    _ = try? await call(BlueZName.root, BlueZName.agents, "UnregisterAgent", [.objectPath(PairingAgent.path)], limit: limits.call)
  }

  /// The only calls for us are those of bluetoothd to our agent.
  func answer(_ call: DBusCall) -> DBusReply {
    guard let board = PairingAgent.unasked(call, from: service, pairing), links[board] != nil || connecting.values.contains(board) else {
      return PairingAgent.answer(call, from: service, pairing)
    }
    demanding.insert(board)
    return .nothing
  }
}
