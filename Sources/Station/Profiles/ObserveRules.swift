/// `[observe]`: what is done with the diagnostics of boards of this kind.
public struct ObserveRules: Hashable, Sendable {
  /// How long a job takes a board's chunks after it has passed; zero is not at all.
  public var afterPass: Duration

  init(_ values: IniValues) throws(ConfigurationError) {
    afterPass = try values.duration(ProfileKeys.afterPass, in: .zero...(.seconds(600)))
  }
}
