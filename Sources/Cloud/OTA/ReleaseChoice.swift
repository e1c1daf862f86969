/// Which artefact a batch gets: the rules of `[firmware] source = ota`, as a machine. It asks nobody itself; whoever holds it does what it says and tells the answer.
///
/// A batch keeps to the artefact that it began with. It is asked again for a release only when it begins, and a batch that goes on needs no server.
public struct ReleaseChoice: Hashable, Sendable {
  /// What is to be done next.
  public enum Action: Hashable, Sendable {
    /// Look whether this artefact lies in the store, whole, and what is written down of it.
    case look(sha256: String)
    /// Ask the server for the latest release.
    case ask
    /// Nothing is to be fetched. `pin` is nil when nothing is written down of an artefact that the profile names by its hash.
    case use(sha256: String, pin: ArtefactPin?)
    /// Fetch this artefact of the release.
    case fetch(ReleaseArtefact, version: String)
    case refuse(OTAError)
  }

  private enum State: Hashable, Sendable {
    case fresh
    case looking(String)
    /// Only this artefact may be the answer.
    case asking(only: String?)
    case over
  }

  private let wanted: String?
  private let unfinished: String?
  private let artefact: String?
  private let hardwareVersion: String
  private var state = State.fresh

  /// - Parameters:
  ///   - wanted: `[firmware] sha256`: no other file will do, so that no server is needed where it lies here.
  ///   - unfinished: what the batch has that would go on; nil where none would, or another is to begin (`--new`).
  ///   - artefact: the operator's choice among several.
  public init(wanted: String?, unfinished: String?, artefact: String?, hardwareVersion: String) {
    self.wanted = wanted
    self.unfinished = unfinished
    self.artefact = artefact
    self.hardwareVersion = hardwareVersion
  }

  public mutating func begin() -> Action {
    guard let sha256 = wanted ?? unfinished else { return ask(only: nil) }
    state = .looking(sha256)
    return .look(sha256: sha256)
  }

  /// What the store has of the artefact.
  ///
  /// - Parameters:
  ///   - pin: what is written down for the profile's question; nil also when it was the answer to another one.
  ///   - isWhole: the file is there and has its SHA-256.
  public mutating func found(_ pin: ArtefactPin?, isWhole: Bool) -> Action {
    guard case .looking(let sha256) = state else { return unexpected }
    if isWhole, pin != nil || sha256 == wanted {
      state = .over
      return .use(sha256: sha256, pin: pin)
    }
    // A batch with another package than a release, or with other values than the profile has now, does not go on.
    return ask(only: wanted ?? pin?.sha256)
  }

  /// What the server said; nil: it has no release.
  public mutating func answered(_ release: Release?) -> Action {
    guard case .asking(let only) = state else { return unexpected }
    state = .over
    guard let release else { return .refuse(.noRelease) }
    guard !release.isDelta else { return .refuse(.delta(release.version)) }
    do throws(OTAError) {
      let artefact = try release.artefact(named: artefact, hardwareVersion: hardwareVersion)
      guard let sha256 = artefact.sha256 else { return .refuse(.noDigest) }
      if let only, sha256 != only { return .refuse(wanted == nil ? .otherRelease(release.version) : .otherThanPinned(sha256)) }
      return .fetch(artefact, version: release.version)
    } catch {
      return .refuse(error)
    }
  }

  private mutating func ask(only: String?) -> Action {
    state = .asking(only: only)
    return .ask
  }

  /// An answer to what was not asked: the caller's defect, and no board is touched.
  private var unexpected: Action { .refuse(.nonsense("an answer came that was not asked for")) }
}
