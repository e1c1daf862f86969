public import Bluetooth

/// What is done about an adapter that fails, failure by failure, until it is left alone (facts/bluez.md §1, "Speed of adapter recovery").
///
/// The first failures are only waited out; then the remedies follow from the mildest on, each once; then the adapter is given up until it is plugged in
/// again. The waits together are longer than a discovery of the kernel (10.24 s, DISCOV_LE_TIMEOUT of net/bluetooth): one that a killed bluetoothd left
/// behind makes the next one answer `InProgress` for as long, and nothing is wrong with the adapter. A USB re-authorisation makes the adapter go and come,
/// and its worker with it, so it is remembered beyond the worker.
public struct HealingLadder: Hashable, Sendable {
  public enum Step: Hashable, Sendable {
    /// Only wait for so long.
    case wait(Duration)
    case remedy(AdapterRemedy)
    case giveUp
  }

  /// An adapter is re-authorised at most once in this time: one that needs it more often has to be looked at.
  static let reauthorisationPause = Duration.seconds(600)

  private static let steps: [Step] = [
    .wait(.seconds(1)), .wait(.seconds(2)), .wait(.seconds(3)), .wait(.seconds(5)), .remedy(.stopDiscovery), .remedy(.powerCycle), .remedy(.reauthorise),
  ]

  private var failures = 0
  private var reauthorisedAt: Duration?

  public init() {}

  /// The adapter failed (again).
  public mutating func failed(at now: Duration) -> Step {
    defer { failures += 1 }
    guard failures < Self.steps.count else { return .giveUp }
    let step = Self.steps[failures]
    guard step == .remedy(.reauthorise) else { return step }
    if let before = reauthorisedAt, now - before < Self.reauthorisationPause { return .giveUp }
    reauthorisedAt = now
    return step
  }

  /// The adapter works, or begins anew.
  public mutating func works() {
    failures = 0
  }

  public var isFailing: Bool { failures > 0 }
}
