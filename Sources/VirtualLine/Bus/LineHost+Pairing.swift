import DBus
import Reactor

/// Agents and pairing (BlueZ doc/agent-api.txt, device-api.txt), as far as Just Works needs them: no agent is ever asked.
extension LineHost {
  /// Requests and answers of a pairing, in connection events.
  private static let pairingEvents = 12

  func agentCall(_ call: DBusCall) -> DBusReply {
    switch (call.member, call.signature) {
    case ("RegisterAgent", "os"): return agents.insert(call.sender).inserted ? .nothing : .alreadyExists
    case ("UnregisterAgent", "o"): return agents.remove(call.sender) == nil ? .doesNotExist : .nothing
    case ("RequestDefaultAgent", "o"): return agents.contains(call.sender) ? .nothing : .doesNotExist
    default: return .unknownMethod(call)
    }
  }

  func pair(_ board: Int, on adapter: Int) async -> DBusReply {
    guard let link = links[board], link.adapter == adapter else { return .notConnected }
    guard adapters[adapter].boards[board]?.isBonded != true else { return .alreadyExists }
    await reactor.sleep(radio.interval * Self.pairingEvents)
    guard let same = links[board], same.ticket == link.ticket, !same.severed else { return .failed("Not connected") }
    guard boards[board].paired() else { return .authenticationFailed }
    isChanged = true
    adapters[adapter].boards[board]?.isBonded = true
    if let object = object(board, on: adapter) { changed(object, StackFaces.board, ["Paired": .bool(true), "Bonded": .bool(true)]) }
    return .nothing
  }
}
