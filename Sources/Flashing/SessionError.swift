import Bluetooth

/// Why a session ends early: the board's fault, the station's, or the operator's stop.
enum SessionError: Error, Hashable {
  case board(BoardFailure)
  /// A station fault: one of the codes whose outcome is `error`.
  case station(FailureCode, Phase, String)
  case stopped(Phase)
  /// The operator's pause lasted longer than its limit.
  case pausedTooLong(Phase, Duration)

  /// What the stack said, in terms of the session.
  static func of(_ error: CentralError, in phase: Phase) -> SessionError {
    switch error {
    case .adapterGone: .station(.adapterRemoved, phase, "the adapter is gone")
    case .stackGone(let words): .station(.busGone, phase, "the Bluetooth service is away (\(words))")
    case .boardUnknown: .board(BoardFailure(.boardAbsent, in: phase, "the board is not heard any more"))
    case .connectFailed(let words): .board(BoardFailure(.linkConnect, in: phase, "no connection came about (\(words))"))
    case .connectTimedOut: .board(BoardFailure(.linkConnectTimeout, in: phase, "the board did not answer the connection request"))
    case .noAnswer(let words): .board(BoardFailure(.linkConnectTimeout, in: phase, "the board does not answer (\(words))"))
    case .linkLost: .board(BoardFailure(.linkLost, in: phase, "the link was lost"))
    case .attributeMissing(let uuid): .board(BoardFailure(.linkNoSMP, in: phase, "the board has no characteristic \(uuid)"))
    case .notPermitted(let words): .board(BoardFailure(.linkNotPermitted, in: phase, "the board demands pairing or encryption (\(words))"))
    case .pairingFailed(let words): .board(BoardFailure(.linkPairing, in: phase, "the board could not be paired (\(words))"))
    case .applicationError(let code):
      .board(BoardFailure(.linkConnect, in: phase, "the board's application answered with error 0x\(String(code, radix: 16))"))
    case .refused(let words): .board(BoardFailure(.linkConnect, in: phase, "the Bluetooth service refused: \(words)"))
    }
  }

  /// What a shelf could not give.
  static func of(_ error: ShelfError, in phase: Phase) -> SessionError {
    switch error {
    case .nothingFits(let words): .board(BoardFailure(.policyNoFirmware, in: phase, words))
    case .damaged(let words): .station(.stationPackage, phase, words)
    }
  }

  /// What came of listening for a board: what the stack refuses then, it refuses to the adapter.
  static func ofListening(_ error: CentralError, in phase: Phase) -> SessionError {
    switch error {
    case .adapterGone, .stackGone: of(error, in: phase)
    default: .station(.adapterFailed, phase, "the adapter cannot listen (\(error))")
    }
  }

  /// Any error that a task group hands on; what is none of ours is a defect of the station, never of the board.
  static func of(_ error: any Error, in phase: Phase) -> SessionError {
    switch error {
    case let error as SessionError: error
    case let error as CentralError: of(error, in: phase)
    case let error as BoardFailure: .board(error)
    case let error as RecordError: .station(error.code, phase, error.message)
    case is CancellationError: .stopped(phase)
    default: .station(.stationInternal, phase, "unexpected: \(error)")
    }
  }

  /// Whether making the link again may help within the same attempt.
  var isLinkLoss: Bool {
    if case .board(let failure) = self { failure.code == .linkLost } else { false }
  }
}

extension RecordError {
  /// The system's words.
  public var message: String {
    switch self {
    case .notWritable(let words), .damaged(let words), .busy(let words): words
    }
  }

  /// The row of the failure table.
  public var code: FailureCode {
    switch self {
    case .notWritable, .damaged: .diskFailed
    case .busy: .stationBusy
    }
  }
}
