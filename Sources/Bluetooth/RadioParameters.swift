/// What a station wishes of the links of one adapter; nil leaves it to the kernel and the board.
///
/// Wishes only: a board may ask for something else on the live link, and gets it (facts/bluez.md §4).
public struct RadioParameters: Hashable, Sendable {
  public enum PHY: String, Hashable, Sendable {
    case oneM = "1M"
    case twoM = "2M"
  }

  /// The fastest PHY that links may use.
  public var phy: PHY?
  /// A multiple of 1.25 ms from 7.5 ms to 4 s.
  public var connectionInterval: Duration?
  /// A multiple of 10 ms from 100 ms to 32 s, longer than two connection intervals.
  public var supervisionTimeout: Duration?

  public init(phy: PHY? = nil, connectionInterval: Duration? = nil, supervisionTimeout: Duration? = nil) {
    self.phy = phy
    self.connectionInterval = connectionInterval
    self.supervisionTimeout = supervisionTimeout
  }

  /// Everything as the kernel and the board settle it.
  public static let kernel = RadioParameters()
}

/// Which radio parameters an adapter works with, and why some wishes are not among them.
public struct RadioStanding: Hashable, Sendable {
  /// What the adapter's next links begin with, as far as it was asked for and could be set.
  public var inForce: RadioParameters
  /// One sentence for each wish that could not be fulfilled.
  public var notes: [String]

  public init(inForce: RadioParameters = .kernel, notes: [String] = []) {
    self.inForce = inForce
    self.notes = notes
  }
}
