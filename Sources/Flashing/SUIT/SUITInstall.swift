public import SMP

/// Decides, from what a board says, what to do next to install a SUIT package: read → send → begin → answer the board's questions → read again.
///
/// A value without I/O. Each input returns the one thing to do, and the caller reports what came of it. The end of an installation is known by one thing
/// alone: the manifest's digest, read from the board. Neither silence nor an error nor a lost link is an end (facts/device-manager.md §4.3, [R]).
/// Source of the rules: facts/device-manager.md §4, facts/smp.md §7.
public struct SUITInstall: Hashable, Sendable {
  /// By which commands a board takes SUIT.
  public enum Route: Hashable, Sendable {
    /// Group 66.
    case suitGroup
    /// Image 0 is the envelope, image n + 1 cache partition n (NCS 2.8 and later with MCUboot's commands).
    case imageGroup
  }

  /// What is wanted on the board.
  public struct Target: Hashable, Sendable {
    /// SHA-256 of the root manifest.
    public var digest: [UInt8]
    public var sequenceNumber: UInt64?
    /// How many caches the package has.
    public var caches: Int
    public var allowsDowngrade: Bool
    /// True when an earlier attempt of this batch wrote to the board: "already there" is a success of the batch, and pieces may lie in its partitions.
    public var wasWrittenBefore: Bool

    public init(digest: [UInt8], sequenceNumber: UInt64?, caches: Int = 0, allowsDowngrade: Bool = false, wasWrittenBefore: Bool = false) {
      self.digest = digest
      self.sequenceNumber = sequenceNumber
      self.caches = caches
      self.allowsDowngrade = allowsDowngrade
      self.wasWrittenBefore = wasWrittenBefore
    }
  }

  /// How often and how long.
  public struct Limits: Hashable, Sendable {
    /// Between two questions what the board lacks.
    public var pollInterval = Duration.milliseconds(150)
    /// Empty answers after which the manifests are read: about 5 s, where the known clients believe in success.
    public var pollsPerLook = 33
    /// Readings without the wanted manifest.
    public var looks = 36
    /// The same once the board has restarted, or its link was lost.
    public var looksAfterReturn = 6
    /// Times the link may end while the board installs.
    public var returns = 3
    /// Questions in a row without an answer after which the manifests are read.
    public var silences = 3
    /// Resources that one installation may ask for.
    public var questions = 64
    /// Times it may ask for the same one.
    public var questionsPerResource = 3
    /// Times the installation is asked for when the board could not begin.
    public var begins = 3

    /// - Parameter install: how long an installation may take.
    public init(install: Duration = .seconds(180)) {
      looks = max(1, Int(install / (pollInterval * pollsPerLook)))
      looksAfterReturn = min(looksAfterReturn, looks)
    }

    var lookPause: Duration { pollInterval * pollsPerLook }
  }

  /// Something to send in pieces.
  public enum Part: Hashable, Sendable {
    /// - deferred: the installation waits for the caches.
    case envelope(deferred: Bool)
    /// By its place among the package's caches.
    case cache(Int)
    case resource(SUITResourceQuestion)
  }

  /// The one thing to do next.
  public enum Action: Hashable, Sendable {
    /// Read what is installed, then `read`.
    case read
    /// Erase the partitions, then `cleanedUp`.
    case cleanUp
    /// Then `uploaded`, or `resourceMissing`.
    case upload(Part)
    /// Then `begun` or `beginRefused`.
    case begin
    /// Ask what the board lacks, then `polled` or `pollFailed`.
    case poll
    /// Then `waited`.
    case wait(Duration)
    case finished(Outcome)
    case failed(FailureCode, String)
  }

  private enum Stage: Hashable {
    case looking
    case cleaning
    case sending(Part)
    case beginning
    case installing
    case ended
  }

  private let target: Target
  private let route: Route
  private let limits: Limits
  private var stage = Stage.looking
  private var isAdmitted = false
  /// Pieces of ours may lie in the board's partitions.
  private var hasPieces: Bool
  private var hasWritten = false
  private var looksLeft: Int
  private var emptyPolls = 0
  private var silences = 0
  private var pausesAfterLook = false
  private var returns = 0
  private var begins = 0
  private var questions = 0
  private var asked: [SUITResourceID: Int] = [:]

  public init(_ target: Target, route: Route, limits: Limits = Limits()) {
    self.target = target
    self.route = route
    self.limits = limits
    hasPieces = target.wasWrittenBefore
    looksLeft = limits.looks
  }

  /// Whether the board may restart at any moment, because it was told to install: the end of its link is then no loss.
  public var mayRestart: Bool { stage == .beginning || stage == .installing }
  /// Whether an installation is under way, so that an unreadable state is no failure yet.
  public var isInstalling: Bool { stage == .installing }
  /// True once something was written to the board in this attempt.
  public var didWrite: Bool { hasWritten }

  // MARK: - Inputs

  /// A link is there: the first, or another one.
  public mutating func attached() -> Action {
    guard mayRestart else {
      // What was half sent is sent anew.
      stage = .looking
      return .read
    }
    stage = .installing
    guard returns <= limits.returns else { return fail(.verifyNoEnd, "the board's link ended \(returns) times while it was to install") }
    return .read
  }

  /// The link ended while `mayRestart`.
  public mutating func linkEnded() {
    returns += 1
    emptyPolls = 0
    looksLeft = min(looksLeft, limits.looksAfterReturn)
  }

  /// What the board says is installed; nil when it could not say so.
  public mutating func read(_ state: SUITBoardState?) -> Action {
    if let state, state.digests.contains(target.digest) {
      stage = .ended
      return .finished(hasWritten || target.wasWrittenBefore ? .passed : .skipped)
    }
    switch stage {
    case .looking: return prepare(state)
    case .installing: return look(state)
    case .cleaning, .sending, .beginning, .ended: return outOfTurn()
    }
  }

  /// The partitions are erased, or the board cannot erase them.
  public mutating func cleanedUp() -> Action {
    guard case .cleaning = stage else { return outOfTurn() }
    return sendEnvelope()
  }

  /// The part that was asked for is in the board.
  public mutating func uploaded() -> Action {
    switch stage {
    case .sending(.envelope) where target.caches > 0: return send(.cache(0))
    case .sending(.envelope) where route == .suitGroup: return install()
    case .sending(.envelope): return begin()
    case .sending(.cache(let place)): return place + 1 < target.caches ? send(.cache(place + 1)) : begin()
    case .installing: return .poll
    case .looking, .cleaning, .sending(.resource), .beginning, .ended: return outOfTurn()
    }
  }

  /// The board was told to begin; its answer may be lost, which reading the manifest finds out.
  public mutating func begun() -> Action {
    guard case .beginning = stage else { return outOfTurn() }
    return install()
  }

  /// The board refused to begin.
  public mutating func beginRefused(_ error: SMPResponseError) -> Action {
    guard case .beginning = stage else { return outOfTurn() }
    // Firmware without this command began on its own after the last byte (smp.md §7).
    if route == .imageGroup, error.isUnsupported { return install() }
    let refusal = SUITRefusal(error)
    if refusal.mayBeRetried, begins < limits.begins { return .wait(limits.pollInterval) }
    return fail(.imageRefused, "the board refused to begin the installation: \(refusal)")
  }

  /// What the board lacks; nil when it wants nothing now.
  public mutating func polled(_ question: SUITResourceQuestion?) -> Action {
    guard case .installing = stage else { return outOfTurn() }
    silences = 0
    guard let question else {
      emptyPolls += 1
      return emptyPolls.isMultiple(of: limits.pollsPerLook) ? .read : .wait(limits.pollInterval)
    }
    emptyPolls = 0
    questions += 1
    asked[question.resource, default: 0] += 1
    guard questions <= limits.questions else { return fail(.imageRefused, "the board asked for more than \(limits.questions) resources") }
    guard asked[question.resource, default: 0] <= limits.questionsPerResource else {
      return fail(.imageRefused, "the board got \(question.resource) \(limits.questionsPerResource) times and asks for it again")
    }
    return .upload(.resource(question))
  }

  /// The board did not answer the question. It may have asked for a resource in an answer that was lost, and waits 5 s at most.
  public mutating func pollUnanswered() -> Action {
    silences += 1
    return silences < limits.silences ? .poll : pollFailed()
  }

  /// The board refused the question, or is silent. That is no end: what is installed decides.
  public mutating func pollFailed() -> Action {
    guard case .installing = stage else { return outOfTurn() }
    pausesAfterLook = true
    silences = 0
    return .read
  }

  /// There is no such resource.
  public mutating func resourceMissing(_ resource: SUITResourceID) -> Action {
    let words =
      resource.fileName == nil
      ? "the board asks for \(resource), which is no file of a package" : "the board asks for \(resource), which the package does not hold"
    return fail(.imageResourceMissing, words)
  }

  /// The time of a `wait` is over.
  public mutating func waited() -> Action {
    switch stage {
    case .beginning: return begin()
    case .installing: return route == .suitGroup ? .poll : .read
    case .looking, .cleaning, .sending, .ended: return outOfTurn()
    }
  }

  // MARK: - Deciding

  private mutating func prepare(_ state: SUITBoardState?) -> Action {
    guard let state else { return fail(.smpError, "the board does not tell what is installed on it") }
    if !isAdmitted, let refusal = refusal(state) { return refusal }
    isAdmitted = true
    if hasPieces, route == .suitGroup {
      hasWritten = true
      stage = .cleaning
      return .cleanUp
    }
    return sendEnvelope()
  }

  private mutating func refusal(_ state: SUITBoardState) -> Action? {
    guard let has = state.sequenceNumber, let wanted = target.sequenceNumber, wanted < has else { return nil }
    let words = "the board has sequence number \(has), the package \(wanted)"
    if state.forbidsDowngrade { return fail(.policyDowngrade, words + ", and the board's own policy forbids an older one") }
    return target.allowsDowngrade ? nil : fail(.policyDowngrade, words)
  }

  /// What begins by itself must not begin before the caches are there.
  private mutating func sendEnvelope() -> Action { send(.envelope(deferred: target.caches > 0 && route == .suitGroup)) }

  private mutating func send(_ part: Part) -> Action {
    stage = .sending(part)
    hasPieces = true
    hasWritten = true
    return .upload(part)
  }

  private mutating func begin() -> Action {
    stage = .beginning
    begins += 1
    return .begin
  }

  private mutating func install() -> Action {
    stage = .installing
    return route == .suitGroup ? .poll : .wait(limits.lookPause)
  }

  private mutating func look(_ state: SUITBoardState?) -> Action {
    looksLeft -= 1
    guard looksLeft > 0 else { return fail(.verifyNotInstalled, notInstalled(state)) }
    guard route == .suitGroup else { return .wait(limits.lookPause) }
    defer { pausesAfterLook = false }
    return pausesAfterLook ? .wait(limits.lookPause) : .poll
  }

  private func notInstalled(_ state: SUITBoardState?) -> String {
    let returned = returns > 0 ? "the board came back" : "the board took the package"
    guard let state else { return returned + " and does not tell what is installed on it" }
    return returned + " and still has " + (state.text.map { "sequence number \($0)" } ?? "another manifest") + " installed"
  }

  private mutating func fail(_ code: FailureCode, _ words: String) -> Action {
    stage = .ended
    return .failed(code, words)
  }

  /// A report that nobody asked for: a defect of the caller, which must not become a result of the board.
  private mutating func outOfTurn() -> Action {
    fail(.stationInternal, "a step of the installation was reported out of turn")
  }
}
