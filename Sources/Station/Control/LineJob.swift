public import Flashing

/// Everything a job of the line knows before it begins: who the station is, which boards get what, the bounds and the limits.
public struct LineJob: Sendable {
  /// One kind of board of the job.
  public struct Kind: Sendable {
    public var profile: BoardProfile
    public var order: BoardOrder
    /// The version that boards shall run.
    public var version: String
    /// File name of the package, without its folder; of a catalogue what it is called, for the package depends on the board.
    public var packageName: String
    /// Of the package file, lower-case hexadecimal; of a catalogue the digest of everything that it may give a board.
    public var packageSHA256: String

    public init(profile: BoardProfile, order: BoardOrder, version: String, packageName: String, packageSHA256: String) {
      self.profile = profile
      self.order = order
      self.version = version
      self.packageName = packageName
      self.packageSHA256 = packageSHA256
    }
  }

  public var job: JobKind
  /// In which modes boards are taken: `run` in application mode, `recover` in the bootloader, `flash` in both.
  public var modes: Set<BoardMode>
  public var stationID: String
  public var toolVersion: String
  /// Path of the database, for the events.
  public var database: String
  public var kinds: [Kind]
  public var lot: String?
  public var workOrder: String?
  public var `operator`: String?
  public var bounds: BatchBounds
  /// Starts another batch even where an unfinished one could go on.
  public var startsNew: Bool
  /// `flash`: a board in quarantine is flashed all the same, and a good result lifts it.
  public var liftsQuarantine: Bool
  public var limits: StationLimits
  public var adapters: AdapterRules

  public init(
    job: JobKind = .update, modes: Set<BoardMode> = [.application], stationID: String, toolVersion: String, database: String, kinds: [Kind],
    lot: String?, workOrder: String?, operator: String?, bounds: BatchBounds, startsNew: Bool, liftsQuarantine: Bool = false, limits: StationLimits,
    adapters: AdapterRules
  ) {
    self.job = job
    self.modes = modes
    self.stationID = stationID
    self.toolVersion = toolVersion
    self.database = database
    self.kinds = kinds
    self.lot = lot
    self.workOrder = workOrder
    self.operator = `operator`
    self.bounds = bounds
    self.startsNew = startsNew
    self.liftsQuarantine = liftsQuarantine
    self.limits = limits
    self.adapters = adapters
  }

  /// What makes another start the same batch.
  var key: BatchKey {
    let sorted = kinds.sorted { $0.profile.name < $1.profile.name }
    return BatchKey(
      job: job, profiles: sorted.map(\.profile.name), packages: sorted.map(\.packageSHA256), lot: lot, workOrder: workOrder)
  }

  var sessionLimits: SessionLimits {
    var session = SessionLimits(connect: limits.connectTimeout, board: limits.boardTimeout, stall: limits.stallTimeout, swap: limits.swapTimeout)
    session.pause = limits.pauseTimeout
    return session
  }
}

extension UpdateOrder {
  /// What a profile and the images of its package come to.
  public init(_ profile: BoardProfile, images: [UpdateImage]) {
    let upgrade = profile.upgrade
    self.init(
      images: images, mode: upgrade.mode, pairing: profile.pairing, identity: IdentityRule(profile), allowsDowngrade: profile.firmware.allowDowngrade,
      pipelineDepth: upgrade.pipelineDepth, alignment: upgrade.byteAlignment, reassemblyBufferSize: upgrade.reassemblyBufferSize,
      erasesSettings: upgrade.eraseAppSettings, assumedBootloaderMode: upgrade.bootloaderMode, estimatedSwapTime: upgrade.estimatedSwapTime)
  }
}

extension IdentityRule {
  /// `[identity]` of a profile.
  init(_ profile: BoardProfile) {
    let rules = profile.identity
    self.init(model: rules.modelNumber, hardware: rules.hardwareRevision, manufacturer: rules.manufacturer, needsSerial: rules.serial != .none)
  }
}
