import Bluetooth

/// One virtual board with an application and one of Nordic's bootloaders: which of them runs, what is valid in flash, what a finished update changes.
///
/// Sources: metaboot.md §1, §2; nordic-dfu.md §2.5, §2.7, §2.8, §3.2, §5.4.
struct DFUBoard: Sendable {
  enum Mode: String, Hashable, Sendable {
    case off
    case booting
    case application
    case bootloader
    /// Never comes back.
    case gone
  }

  enum Target: Sendable {
    case legacy(LegacyTarget)
    case secure(SecureTarget)
  }

  struct Link: Hashable, Sendable {
    var mtu: Int
    var notifying = false
    var silent = false
    /// The application jumps when its indication is confirmed.
    var jumpsWhenConfirmed = false
  }

  let identity: BoardIdentity
  let kind: BoardKind
  let settings: BoardSettings
  let dfu: DFUSettings
  var faults: FaultScript
  var mode = Mode.off
  var link: Link?
  var target: Target
  /// The application in flash; nil: none, or half of one.
  var application: ImageMetadata?
  var bootloader: String
  /// Set by `02` of the buttonless service, until the next update (nordic-dfu.md §3.2).
  var givenName: String?
  /// The application left peer data with its bootloader.
  var wasAsked = false
  var isShifted = false
  /// Counts resets and links: alarms of an earlier one mean nothing.
  var bootCount = 0
  var linkCount = 0
  /// Control and data writes that reached the bootloader.
  var writes = 0
  var connections = 0
  var jumps = 0
  var updates: [LineTruth.Update] = []
  private var next = Mode.application
  private var isActive = false
  private var idleTurns = 0

  /// Turns without a write after which the bootloader resets.
  private static let idleLimit = 4

  init(identity: BoardIdentity, settings: BoardSettings, faults: [BoardFault]) {
    self.identity = identity
    self.settings = settings
    kind = settings.kind
    dfu = settings.dfu.completed(for: settings.kind, model: identity.model, hardware: identity.hardware)
    self.faults = FaultScript(faults)
    application = dfu.application.map { ImageMetadata(version: $0, requiresBootloader: settings.dfu.requiresBootloader) }
    bootloader = dfu.bootloader
    target =
      kind == .secure
      ? .secure(SecureTarget(dfu))
      : .legacy(LegacyTarget(dfu, deviceType: dfu.deviceType ?? 0xFFFF, deviceRevision: dfu.deviceRevision ?? 0xFFFF))
  }

  /// It starts only over the bootloader that it needs (metaboot.md §4).
  var isApplicationValid: Bool {
    guard let application, application.boots != false else { return false }
    return DottedVersion(bootloader) >= DottedVersion(application.requiresBootloader)
  }

  // MARK: Modes

  /// Out of reset.
  mutating func arrive(_ wanted: Mode) -> [BoardAction] {
    bootTarget()
    if wanted == .application, isApplicationValid {
      if let limit = application?.deadAbove, DottedVersion(bootloader) > DottedVersion(limit) {
        mode = .gone
      } else {
        mode = .application
        wasAsked = false
      }
      return []
    }
    mode = .bootloader
    return watchReturn()
  }

  private mutating func bootTarget() {
    switch target {
    case .legacy(var machine):
      machine.boot()
      target = .legacy(machine)
    case .secure(var machine):
      machine.boot()
      target = .secure(machine)
    }
  }

  /// MetaBoot goes back by itself after about a minute when it can (metaboot.md §2).
  mutating func watchReturn() -> [BoardAction] {
    guard mode == .bootloader, link == nil, isApplicationValid, let seconds = dfu.selfReturnSeconds, seconds > 0 else { return [] }
    return [wake(.seconds(seconds), .selfReturn)]
  }

  /// A reset: RAM is lost, and so is the link.
  mutating func restart(_ wanted: Mode, _ end: LinkEnd, pause: Duration? = nil) -> [BoardAction] {
    var actions: [BoardAction] = link == nil ? [] : [.endLink(end)]
    link = nil
    linkCount += 1
    bootCount += 1
    mode = .booting
    next = wanted
    for fault in faults.at(.reset) {
      switch fault.do {
      case .neverReturn: mode = .gone
      case .otherAddress: isShifted = true
      default: break
      }
    }
    guard mode != .gone else { return actions }
    let boot = (pause ?? .milliseconds(settings.bootMilliseconds)) + faults.at(.boot).reduce(Duration.zero) { $0 + $1.duration }
    actions.append(wake(boot, .booted))
    return actions
  }

  mutating func rang(_ kind: BoardAlarm.Kind) -> [BoardAction] {
    switch kind {
    case .booted: return mode == .booting ? arrive(next) : []
    case .jump:
      guard mode == .application else { return [] }
      jumps += 1
      wasAsked = true
      return restart(.bootloader, .lost)
    case .selfReturn: return mode == .bootloader && link == nil && isApplicationValid ? restart(.application, .lost) : []
    case .serviceChanged: return link == nil ? [] : [.servicesChanged]
    case .dfu(.inactive): return tick()
    case .dfu(let alarm): return mode == .bootloader ? act(ring(alarm)) : []
    case .serve, .answer, .delayed, .poll, .reset, .suit: return []
    }
  }

  /// Inactivity is counted in quarters of its limit, so that a packet costs no timer.
  mutating func startTicking() -> [BoardAction] {
    idleTurns = 0
    return mode == .bootloader && dfu.inactivitySeconds > 0 ? [wake(tickTime, .dfu(.inactive(linkCount)))] : []
  }

  private var tickTime: Duration { .seconds(dfu.inactivitySeconds) / Self.idleLimit }

  private mutating func tick() -> [BoardAction] {
    guard mode == .bootloader, link != nil else { return [] }
    idleTurns = isActive ? 0 : idleTurns + 1
    isActive = false
    // Then the application if it is valid, else the bootloader again (nordic-dfu.md §2.5).
    return idleTurns >= Self.idleLimit ? restart(.application, .closed) : [wake(tickTime, .dfu(.inactive(linkCount)))]
  }

  mutating func noteWrite() {
    isActive = true
    writes += 1
  }

  // MARK: The bootloader

  mutating func ring(_ alarm: DFUAlarm) -> [DFUAction] {
    switch target {
    case .legacy(var machine):
      defer { target = .legacy(machine) }
      return machine.alarm(alarm, &faults)
    case .secure(var machine):
      defer { target = .secure(machine) }
      return machine.alarm(alarm)
    }
  }

  mutating func act(_ actions: [DFUAction]) -> [BoardAction] {
    actions.flatMap { act($0) }
  }

  private mutating func act(_ action: DFUAction) -> [BoardAction] {
    switch action {
    case .notify(let bytes): return link?.notifying == true ? [.notify(bytes, from: notifier)] : []
    case .respond(let error): return [.respond(error)]
    case .wake(let delay, let alarm): return [wake(delay, .dfu(alarm))]
    case .fallSilent:
      link?.silent = true
      return []
    case .applicationErased:
      application = nil
      return []
    case .dropLink(let end): return dropLink(end)
    case .reset: return restart(.application, .closed)
    case .powerCut(let pause): return restart(.application, .lost, pause: pause + .milliseconds(settings.bootMilliseconds))
    case .apply(let update): return apply(update)
    }
  }

  mutating func dropLink(_ end: LinkEnd) -> [BoardAction] {
    guard link != nil else { return [] }
    link = nil
    linkCount += 1
    return [.endLink(end)] + watchReturn()
  }

  /// A validated image is put to use.
  private mutating func apply(_ update: DFUUpdate) -> [BoardAction] {
    let said = ImageMetadata(in: update.image) ?? ImageMetadata()
    if updates.count < DFUSettings.keptErrors {
      let digest = Hexadecimal.text(ImageDigest.sha256.digest(update.image[...]))
      updates.append(LineTruth.Update(part: update.part.word, bytes: update.image.count, version: said.version, sha256: digest))
    }
    if update.part.hasBootloader { bootloader = said.version ?? bootloader }
    if update.part.hasSoftDevice { application = nil }
    if update.part == .application {
      application = said
      application?.version = said.version ?? "0.0.0"
    }
    remember(update, said)
    givenName = nil
    var copying = Duration.milliseconds(settings.swapMilliseconds)
    for fault in faults.at(.activate) {
      application = nil
      copying += fault.milliseconds.map { .milliseconds($0) } ?? .zero
    }
    if update.part != .application { wasAsked = false }
    return restart(.application, .closed, pause: copying)
  }

  private mutating func remember(_ update: DFUUpdate, _ said: ImageMetadata) {
    switch target {
    case .legacy(var machine):
      if update.part.hasSoftDevice { machine.softDevice = said.softDevice ?? machine.softDevice }
      target = .legacy(machine)
    case .secure(var machine):
      if update.part.hasSoftDevice { machine.softDevice = said.softDevice ?? machine.softDevice }
      if update.part == .application { machine.firmwareVersion = update.firmwareVersion ?? machine.firmwareVersion }
      if update.part.hasBootloader { machine.bootloaderNumber = update.firmwareVersion ?? machine.bootloaderNumber }
      target = .secure(machine)
    }
  }

  // MARK: Alarms

  func wake(_ delay: Duration, _ kind: BoardAlarm.Kind) -> BoardAction { .wake(delay, BoardAlarm(kind: kind, epoch: epoch(of: kind))) }

  /// The bootloader's state outlives a link; a look for the way home, the idle count and Service Changed do not.
  func epoch(of kind: BoardAlarm.Kind) -> Int {
    switch kind {
    case .selfReturn, .serviceChanged, .dfu(.inactive): linkCount
    default: bootCount
    }
  }
}
