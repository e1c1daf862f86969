import Bluetooth

/// What is done about an adapter that fails, failure by failure, until it is left alone (facts/bluez.md §1, "Speed of adapter recovery").
///
/// The first failure is only waited out; then the remedies follow from the mildest on, each once; then the adapter is given up until it is plugged in
/// again. A USB re-authorisation makes the adapter go and come, and its worker with it, so it is remembered beyond the worker.
struct HealingLadder: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case again
    case remedy(AdapterRemedy)
    case giveUp
  }

  /// An adapter is re-authorised at most once in this time: one that needs it more often has to be looked at.
  static let reauthorisationPause = Duration.seconds(600)

  private static let steps: [Step] = [.again, .remedy(.stopDiscovery), .remedy(.powerCycle), .remedy(.reauthorise)]

  private var failures = 0
  private var reauthorisedAt: Duration?

  /// The adapter failed (again).
  mutating func failed(at now: Duration) -> Step {
    defer { failures += 1 }
    guard failures < Self.steps.count else { return .giveUp }
    let step = Self.steps[failures]
    guard step == .remedy(.reauthorise) else { return step }
    if let before = reauthorisedAt, now - before < Self.reauthorisationPause { return .giveUp }
    reauthorisedAt = now
    return step
  }

  /// The adapter works, or begins anew.
  mutating func works() {
    failures = 0
  }

  var isFailing: Bool { failures > 0 }
}
