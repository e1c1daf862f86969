import Bluetooth
import DBus
import Reactor

extension BlueZCentral {
  /// The turn of pairing: bluetoothd takes one agent of each program, and what it can do belongs to the board being paired.
  private static let agentTurn = "agent"

  func pair(_ board: String, _ link: UInt64, _ method: PairingMethod, limit: Duration) async throws(CentralError) {
    let deadline = ContinuousClock.now + limit
    guard links[board]?.id == link else { throw lost }
    guard !tree.isKept(board) else { return }
    try await withTurn(Self.agentTurn, limit: limit) { () async throws(CentralError) in
      guard links[board]?.id == link else { throw lost }
      let agent = PairingAgent(board: board, method: method)
      do throws(BlueZFailure) {
        try await register(agent)
      } catch {
        throw error.onPairing
      }
      let failure = await pair(agent, deadline)
      await finishing(reactor) { await self.unregister() }
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

  /// The agent is bluetoothd's for our own `Pair` only: it is not made the default, so that other programs' agents keep their work.
  private func register(_ agent: PairingAgent) async throws(BlueZFailure) {
    pairing = agent
    let arguments: [DBusValue] = [.objectPath(PairingAgent.path), .string(agent.capability)]
    do throws(BlueZFailure) {
      _ = try await call(BlueZName.root, BlueZName.agents, "RegisterAgent", arguments, limit: limits.call)
    } catch .alreadyExists {
      // Left by a registration whose answer was lost, with another board's capability.
      _ = try? await call(BlueZName.root, BlueZName.agents, "UnregisterAgent", [.objectPath(PairingAgent.path)], limit: limits.call)
      _ = try await call(BlueZName.root, BlueZName.agents, "RegisterAgent", arguments, limit: limits.call)
    } catch {
      pairing = nil
      throw error
    }
  }

  private func unregister() async {
    pairing = nil
    _ = try? await call(BlueZName.root, BlueZName.agents, "UnregisterAgent", [.objectPath(PairingAgent.path)], limit: limits.call)
  }
}
