public import Bluetooth

/// Whose board an advertisement is, by the profiles of a line job. A pure classifier: strength and history are the sighting book's matter.
public struct Admission: Sendable {
  public enum Verdict: Hashable, Sendable {
    /// A board of this profile (its place in `profiles`) in application mode.
    case application(profile: Int)
    /// Several profiles match: it is refused.
    case ambiguous(profiles: [Int])
    /// A board of this profile whose address will be another tomorrow: it is refused.
    case privateAddress(profile: Int)
    /// Not ours.
    case neither
  }

  public let profiles: [BoardProfile]

  public init(profiles: [BoardProfile]) {
    self.profiles = profiles
  }

  /// What an advertisement belongs to. Names and services come from the air: that it matches says nothing about who sent it.
  public func verdict(_ advertisement: Advertisement) -> Verdict {
    let matching = profiles.indices.filter { profiles[$0].match.admits(advertisement) }
    guard let first = matching.first else { return .neither }
    if matching.count > 1 { return .ambiguous(profiles: matching) }
    if advertisement.address.isPrivate(advertisement.addressType) { return .privateAddress(profile: first) }
    return .application(profile: first)
  }

  /// The least strength in dBm at which a verdict counts; nil when any will do.
  ///
  /// For a board that several profiles match it is the lowest of theirs, so that walking past the bench does not change whose it is.
  public func minRSSI(_ verdict: Verdict) -> Int? {
    let limits: [Int?] =
      switch verdict {
      case .application(let profile), .privateAddress(let profile): [profiles[profile].match.minRSSI]
      case .ambiguous(let several): several.map { profiles[$0].match.minRSSI }
      case .neither: [nil]
      }
    let set = limits.compactMap { $0 }
    return set.count == limits.count ? set.min() : nil
  }
}
