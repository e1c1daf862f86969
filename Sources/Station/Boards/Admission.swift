public import Bluetooth

/// Whose board an advertisement is, by the profiles of a job, and which of its two programs it shows. A pure classifier: strength and history are the
/// sighting book's matter.
public struct Admission: Sendable {
  public enum Verdict: Hashable, Sendable {
    /// A board of this profile (its place in `profiles`) in application mode.
    case application(profile: Int)
    /// A board of this profile in its bootloader.
    case bootloader(profile: Int)
    /// Several profiles match: it is refused.
    case ambiguous(profiles: [Int])
    /// A board of this profile whose address will be another tomorrow: it is refused.
    case privateAddress(profile: Int)
    /// A board of one of the profiles that shows both programs: the stack mixes what it heard before and after a restart, and has to hear it afresh.
    case contradictory
    /// Not ours.
    case neither
  }

  public let profiles: [BoardProfile]
  /// Boards in other modes are not ours.
  public let modes: Set<BoardMode>

  /// - Parameter modes: a line job takes boards in application mode, a rescue boards in their bootloader, never both (facts/metaboot.md §6).
  public init(profiles: [BoardProfile], modes: Set<BoardMode> = [.application]) {
    self.profiles = profiles
    self.modes = modes
  }

  /// What an advertisement belongs to. Names and services come from the air: that it matches says nothing about who sent it.
  public func verdict(_ advertisement: Advertisement) -> Verdict {
    var matching: [(profile: Int, mode: BoardMode)] = []
    for (place, profile) in profiles.enumerated() {
      switch profile.face(of: advertisement) {
      case .contradictory: return .contradictory
      case .shows(let mode) where modes.contains(mode): matching.append((place, mode))
      case .shows, .nothing: break
      }
    }
    guard let first = matching.first else { return .neither }
    if matching.count > 1 { return .ambiguous(profiles: matching.map(\.profile)) }
    if advertisement.address.isPrivate(advertisement.addressType) { return .privateAddress(profile: first.profile) }
    return first.mode == .bootloader ? .bootloader(profile: first.profile) : .application(profile: first.profile)
  }

  /// The least strength in dBm at which a verdict counts; nil when any will do.
  ///
  /// For a board that several profiles match it is the lowest of theirs, so that walking past the bench does not change whose it is.
  public func minRSSI(_ verdict: Verdict) -> Int? {
    let limits: [Int?] =
      switch verdict {
      case .application(let profile), .bootloader(let profile), .privateAddress(let profile): [profiles[profile].match.minRSSI]
      case .ambiguous(let several): several.map { profiles[$0].match.minRSSI }
      case .contradictory, .neither: [nil]
      }
    let set = limits.compactMap { $0 }
    return set.count == limits.count ? set.min() : nil
  }
}
