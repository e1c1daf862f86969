/// How often a board's part is tried again, and for which reasons (nordic-dfu.md §2.9 rules 7 and 8, §10.1). One value a board and part.
public struct DFUTries: Hashable, Sendable {
  /// After trouble on the way.
  public static let gentlerLimit = 3
  /// For one board that remembers an old update, or came back as something else.
  public static let againLimit = 1
  /// After an image that was complete and wrong.
  public static let verifyLimit = 1

  private var gentler = 0
  private var again = 0
  private var verify = 0

  public init() {}

  /// Restarts so far.
  public var restarts: Int { gentler + again + verify }

  /// Counts a failure; true when the part may be tried once more.
  public mutating func allows(_ failure: DFUFailure) -> Bool {
    switch failure.recovery {
    case .gentler: Self.count(&gentler, Self.gentlerLimit)
    // After a lost link the bootloader's state is stale each time, so that each may need one reset.
    case .again: Self.count(&again, Self.againLimit + gentler)
    case .verify: Self.count(&verify, Self.verifyLimit)
    case .package, .never: false
    }
  }

  private static func count(_ used: inout Int, _ limit: Int) -> Bool {
    guard used < limit else { return false }
    used += 1
    return true
  }
}
