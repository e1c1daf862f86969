public import Bluetooth

/// What a session does to its board.
public enum BoardOrder: Sendable {
  /// Updates the application over SMP.
  case update(UpdateOrder)
  /// Flashes the application, and the bootloader where that is needed, over Nordic DFU.
  case rescue(RescueOrder)

  /// How the board is paired before anything is asked of it; nil: not at all.
  public var pairing: PairingMethod? {
    switch self {
    case .update(let order): order.pairing
    case .rescue(let order): order.pairing
    }
  }

  /// Whether a pause is taken between any two steps, or only between two links (`SessionDriver.mayPause`): Nordic's bootloaders leave after 120 s of silence
  /// (facts/nordic-dfu.md §§2.5, 3.7), and a Legacy transfer cannot be taken up again.
  var pausesBetweenSteps: Bool {
    if case .rescue = self { false } else { true }
  }

  /// How many images one attempt may flash after each other: each may take the limit of an attempt.
  var stagesAtMost: Int {
    switch self {
    case .update: 1
    case .rescue: RescueOrder.stageLimit
    }
  }
}

/// How a session's plan came through.
enum SessionResult: Hashable, Sendable {
  /// SMP: what was read back last, and what that stands on.
  case update(Outcome, ImageState, by: Verification)
  /// Nordic DFU: read back as the version that the application tells.
  case rescue(Outcome)
}

/// Drives one board through its plan, one link at a time.
protocol SessionDriver: Sendable {
  /// One life of a link: until the plan is through (then its result) or a reset ended the link (nil).
  mutating func advance() async throws -> SessionResult?

  /// Whether a pause may be taken before the next link.
  var mayPause: Bool { get }
}

extension SessionDriver {
  var mayPause: Bool { true }
}
