import FoundationEssentials

extension Timekeeper {
  /// The time of this computer: its continuous clock, which also runs while it sleeps, and its wall clock.
  public static var system: Timekeeper {
    Timekeeper(ContinuousClock()) { Int64(Date().timeIntervalSince1970 * 1000) }
  }
}

extension SessionLimits {
  /// What suits most boards: the defaults of a station's `[limits]`.
  public static var usual: SessionLimits {
    SessionLimits(connect: .seconds(20), board: .seconds(600), stall: .seconds(15), swap: .seconds(180))
  }
}
