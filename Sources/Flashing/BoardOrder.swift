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
  /// SMP: read back from the image list.
  case update(Outcome, ImageState)
  /// Nordic DFU: read back as the version that the application tells.
  case rescue(Outcome)
}

/// Drives one board through its plan, one link at a time.
protocol SessionDriver: Sendable {
  /// One life of a link: until the plan is through (then its result) or a reset ended the link (nil).
  mutating func advance() async throws -> SessionResult?
  /// False once a lost link is no reason any more to make another one: its tries are counted elsewhere, and used up.
  var mayRecover: Bool { get }
}

extension SessionDriver {
  var mayRecover: Bool { true }
}
