/// One command at a time and its answer, told from everything else that the socket says by command and index: a value, no I/O.
struct ManagementExchange {
  private enum State {
    case idle
    case waiting(code: UInt16, index: UInt16)
  }

  enum Action: Equatable {
    case ignore
    case answer(Result<[UInt8], ManagementFailure>)
  }

  private var state = State.idle

  /// The packet to send; nil while an answer is waited for.
  mutating func begin(_ command: ManagementCommand) -> [UInt8]? {
    guard case .idle = state else { return nil }
    state = .waiting(code: command.code, index: command.index)
    return command.packet
  }

  mutating func receive(_ packet: [UInt8]) -> Action {
    guard case .waiting(let code, let index) = state else { return .ignore }
    switch ManagementEvent(packet) {
    case .complete(code, index, let status, let parameters):
      state = .idle
      return .answer(ManagementFailure(status: status).map(Result.failure) ?? .success(parameters))
    case .status(code, index, let status):
      state = .idle
      // A status of success would promise a result later; no command of this room has one.
      return .answer(ManagementFailure(status: status).map(Result.failure) ?? .success([]))
    default:
      // Somebody else's answer, or an event that every trusted socket is told.
      return .ignore
    }
  }

  /// The answer is not waited for any longer.
  mutating func giveUp() { state = .idle }
}
