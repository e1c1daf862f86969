public import Bluetooth
import Firmware

/// One virtual SMP/MCUboot board: bytes in, bytes and alarms out; no clock, no radio, no file.
///
/// The host delivers write commands, tells what is on the air and when time has passed, and does what the returned actions say.
public struct VirtualBoard: Sendable {
  private enum State: Hashable, Sendable {
    case off
    case booting
    /// In the application; `link` is the connection it has.
    case running(link: Link?)
    /// Never comes back (scripted, or nothing bootable in flash).
    case gone
  }

  private struct Link: Hashable, Sendable {
    var mtu: Int
    var notifying = false
    var silent = false
  }

  public let identity: BoardIdentity
  public let settings: BoardSettings
  private(set) var flash: VirtualBootloader
  private var groups: ServerGroups
  private var pool: RequestPool
  var faults: FaultScript
  /// Memfault's service; nil when it is not built.
  var diagnostics: DiagnosticService?
  private var state = State.off
  /// Counts links, so that alarms of an earlier one are known.
  private var linkEpoch = 0
  /// The answer that flash still holds back.
  private var held: ServerAnswer?
  private var heldFrame: ServerFrame?
  /// An answer that leaves behind the next one.
  private var overtaken: [UInt8]?
  public private(set) var connections = 0
  public private(set) var boots: [BootStep] = []

  /// Scripted: firmware that nobody sent came up at the last reset.
  private var isReplaced = false
  /// The reset that is under way was asked to go to the firmware loader.
  private var wantsLoader = false

  /// Another firmware than the one that it began with was sent, runs, and stays.
  var isUpdated: Bool { suit.map { !$0.record.installs.isEmpty } ?? isImageUpdated }

  private var isImageUpdated: Bool {
    guard !isReplaced, !flash.isInLoader, !flash.isUnsettled, let running = flash.running else { return false }
    return running.version != ImageVersion(settings.image(0).version ?? settings.version)
  }

  /// A board that begins as its settings say.
  public init(identity: BoardIdentity, settings: BoardSettings, faults: [BoardFault] = []) {
    self.init(identity: identity, settings: settings, images: FirstImages.make(settings, size: Self.otherSize), faults: faults)
  }

  /// A board whose application is `image`; its other images are made as the settings say.
  public init(identity: BoardIdentity, settings: BoardSettings, image: StoredImage?, faults: [BoardFault] = []) {
    let others = (1..<max(1, settings.imageCount)).map { FirstImages.image($0, settings, size: Self.otherSize) }
    self.init(identity: identity, settings: settings, images: [image] + others, faults: faults)
  }

  /// Payload bytes of images that the settings alone describe.
  private static let otherSize = 2048

  /// - Parameter images: what runs at first, by image number.
  public init(identity: BoardIdentity, settings: BoardSettings, images: [StoredImage?], faults: [BoardFault] = []) {
    self.identity = identity
    self.settings = settings
    flash = VirtualBootloader(settings, images)
    groups = ServerGroups(settings: settings, identity: identity)
    pool = RequestPool(settings: settings)
    self.faults = FaultScript(faults)
    diagnostics = settings.mds.map { DiagnosticService($0, identity) }
  }

  // MARK: What the air sees

  /// The SMP service and its one characteristic (smp.md §2.1).
  public static let service = "8d53dc1d-1db7-4cd3-868b-8a527460aa84"
  public static let characteristic = "da2e7828-fbce-4e01-ae9e-261174997c48"
  private static let packets = BluetoothUUID(characteristic) ?? .simpleManagement

  /// True while the board can be heard and connected to.
  public var advertises: Bool { state == .running(link: nil) }

  /// The word of `truth.json`.
  var mode: String {
    switch state {
    case .off, .booting: "booting"
    case .gone: "gone"
    case .running: flash.isInLoader ? "loader" : "application"
    }
  }

  public var isConnected: Bool {
    if case .running(.some) = state { return true }
    return false
  }

  /// The value of a Device Information or diagnostics characteristic; nil when the board has no such one.
  public func read(_ characteristic: BluetoothUUID) -> [UInt8]? {
    if hasDiagnostics, let value = diagnostics?.read(characteristic) { return value }
    guard !flash.isInLoader || settings.loader.information, !settings.withheldInformation.contains(characteristic) else { return nil }
    let text: String? =
      switch characteristic {
      case .modelNumber: identity.model
      case .serialNumber: identity.serial
      case .firmwareRevision: suit.map { String($0.record.sequence) } ?? flash.running?.version.smpText
      case .hardwareRevision: identity.hardware
      case .softwareRevision: settings.software ?? (settings.mds == nil ? nil : settings.groups.softwareType)
      case .manufacturerName: identity.manufacturer
      default: nil
      }
    return text.map { Array($0.utf8) }
  }

  /// All addresses that it can have, the application's first.
  public var addresses: [BluetoothAddress] {
    flash.mode == .firmwareLoader && !settings.loader.sameAddress ? [identity.address, loaderAddress] : [identity.address]
  }

  /// Where it is heard now: a firmware loader has an address of its own (device-manager.md §1.7).
  public var addressNow: BluetoothAddress { flash.isInLoader && !settings.loader.sameAddress ? loaderAddress : identity.address }

  /// One bit beside the application's, so that no other board of a line has it.
  private var loaderAddress: BluetoothAddress { BluetoothAddress(bits: identity.address.bits ^ 0x4000_0000) }

  /// What it advertises: in its loader the name that the application has saved for it.
  public var nameNow: String {
    guard flash.isInLoader else { return identity.name }
    return groups.store.saved[Self.loaderName].map { String(decoding: $0.prefix(Self.nameLimit), as: UTF8.self) } ?? settings.loader.name
  }

  private static let loaderName = "fw_loader/adv_name"
  /// What fits into an advertisement beside the length and the type.
  private static let nameLimit = 29

  // MARK: Power and link

  /// Power on: the board advertises.
  public mutating func start() {
    guard state == .off else { return }
    // A board with a firmware loader and no application begins in its loader.
    if flash.mode == .firmwareLoader, !flash.isAlive { _ = flash.boot() }
    state = flash.isAlive ? .running(link: nil) : .gone
  }

  /// A central asks for a connection and waits for the board's advertisement.
  public mutating func approached() {
    if advertises, !faults.at(.approach).isEmpty { state = .gone }
  }

  /// A central connects. The MTU that was agreed, or nil when the attempt fails (or another link is there: one at a time).
  public mutating func connect() -> Int? {
    guard advertises else { return nil }
    var mtu = settings.mtu
    for fault in faults.at(.connect) {
      if fault.do == .refuseConnect { return nil }
      mtu = fault.mtu ?? 23
    }
    linkEpoch += 1
    connections += 1
    state = .running(link: Link(mtu: max(23, mtu)))
    diagnostics?.linked(mtu: max(23, mtu))
    return max(23, mtu)
  }

  /// The link is down, whoever ended it.
  public mutating func disconnected() {
    guard isConnected else { return }
    state = .running(link: nil)
    forgetLink()
  }

  /// Notifications of the SMP characteristic.
  public mutating func subscribe(_ on: Bool) {
    guard case .running(var link?) = state else { return }
    link.notifying = on
    state = .running(link: link)
    // Switching notifications off drops a half-sent request (smp.md §2.1).
    if !on { pool.clear() }
  }

  /// A write command to the SMP characteristic.
  public mutating func write(_ packet: [UInt8]) -> [BoardAction] {
    guard case .running(let link?) = state, packet.count <= link.mtu - 3 else { return [] }
    guard pool.receive(packet), held == nil else { return [] }
    return [wake(.milliseconds(max(0, settings.serviceMilliseconds)), .serve)]
  }

  /// A notification of the SMP characteristic is on the air.
  public mutating func sent() { pool.sent() }

  /// Time has passed.
  public mutating func alarm(_ alarm: BoardAlarm) -> [BoardAction] {
    guard alarm.epoch == epoch(of: alarm.kind) else { return [] }
    switch alarm.kind {
    case .serve: return held == nil ? serve() : []
    case .answer: return release()
    case .delayed(let bytes): return emit(bytes)
    case .reset: return restart()
    case .booted:
      if state == .booting { state = .running(link: nil) }
      return []
    case .poll: return pollDiagnostics()
    case .suit(let timer):
      let (timers, restarts) = groups.rang(timer, &faults)
      return restarts ? restart() : timers.map(wake)
    case .dfu, .jump, .selfReturn, .serviceChanged: return []
    }
  }

  /// Lets the slots use `image`'s memory where they hold the same bytes.
  public mutating func share(_ image: StoredImage) { flash.share(image) }

  /// Puts firmware into the primary slot, whatever its hash says; for a line that begins with a broken board, and for tests.
  mutating func plant(_ image: StoredImage) { flash.replaceRunning(image) }

  /// What a SUIT board has and has been through.
  var suit: SUITGroup? { groups.suit }

  /// What the image group has counted.
  var images: ImageGroup { groups.images }
  var store: SettingsStore { groups.store }

  /// Requests that found no buffer.
  var droppedPackets: Int { pool.dropped }

  // MARK: Server

  private mutating func serve() -> [BoardAction] {
    guard case .running(let link?) = state, let packet = pool.next() else { return [] }
    guard let frame = ServerFrame(packet, from: 0) else {
      // Below eight bytes: silence (smp.md §1.3).
      pool.worked()
      return more()
    }
    let event = FaultScript.Event(group: frame.group, command: frame.command)
    var answer = pool.canAnswer ? respond(frame, faults.at(.request, event), silent: link.silent) : groups.fail(frame, .status(2))
    held = answer
    heldFrame = frame
    let timers = answer.timers.map(wake)
    guard answer.delay > .zero else { return timers + release() }
    let delay = answer.delay
    answer.delay = .zero
    held = answer
    return timers + [wake(delay, .answer)]
  }

  /// `silent` faults last until the next link.
  private mutating func respond(_ frame: ServerFrame, _ scripted: [BoardFault], silent: Bool) -> ServerAnswer {
    if silent { return ServerAnswer([], effect: .mute) }
    guard let fault = scripted.first else { return groups.respond(frame, &flash, &faults) }
    guard fault.do == .silent, case .running(var link?) = state else { return groups.refuse(frame, as: fault) }
    link.silent = true
    state = .running(link: link)
    return ServerAnswer([], effect: .mute)
  }

  /// The answer at hand leaves, and the server looks for the next request.
  private mutating func release() -> [BoardAction] {
    guard let answer = held, let frame = heldFrame else { return [] }
    held = nil
    heldFrame = nil
    pool.worked()
    switch answer.effect {
    case .mute: return more()
    case .crash: return restart()
    case .endLink(let end): return endLink(end)
    case .reset(let intoLoader):
      wantsLoader = intoLoader
      return leave(answer, frame) + [wake(.milliseconds(max(0, settings.resetMilliseconds)), .reset)]
    case .stored(let image, let slot):
      let stored = flash.images[image].slots[slot].image
      return leave(answer, frame) + (stored.map { [.imageStored($0)] } ?? []) + more()
    case .none: return leave(answer, frame) + more()
    }
  }

  private mutating func more() -> [BoardAction] {
    pool.hasWork ? [wake(.milliseconds(max(0, settings.serviceMilliseconds)), .serve)] : []
  }

  private mutating func leave(_ answer: ServerAnswer, _ frame: ServerFrame) -> [BoardAction] {
    let bytes = groups.packet(answer, to: frame)
    var actions: [BoardAction] = []
    var copies = 1
    for fault in faults.at(.answer, FaultScript.Event(group: frame.group, command: frame.command)) {
      switch fault.do {
      case .loseAnswer: copies = 0
      case .duplicateAnswer: copies += 1
      case .delayAnswer: return actions + [wake(fault.duration, .delayed(bytes))]
      case .reorderAnswer where overtaken == nil:
        overtaken = bytes
        return actions
      case .strayAnswer: actions += emit([0x0B, 0, 0, 6, 0, 1, frame.sequence &+ 100, 1, 0xBF, 0x62, 0x72, 0x63, 9, 0xFF])
      default: break
      }
    }
    for _ in 0..<copies { actions += emit(bytes) }
    if let late = overtaken {
      overtaken = nil
      actions += emit(late)
    }
    return actions
  }

  private mutating func emit(_ bytes: [UInt8]) -> [BoardAction] {
    guard case .running(let link?) = state, link.notifying else { return [] }
    let most = link.mtu - 3
    let size = settings.fragment > 0 ? min(settings.fragment, most) : most
    let pieces = stride(from: 0, to: bytes.count, by: size).map { BoardAction.notify(Array(bytes[$0..<min($0 + size, bytes.count)]), from: Self.packets) }
    pool.answered(notifications: pieces.count)
    return pieces
  }

  // MARK: Reset

  mutating func endLink(_ end: LinkEnd) -> [BoardAction] {
    guard isConnected else { return [] }
    state = .running(link: nil)
    forgetLink()
    return [.endLink(end)]
  }

  private mutating func forgetLink() {
    linkEpoch += 1
    pool.clear()
    held = nil
    heldFrame = nil
    overtaken = nil
    diagnostics?.linkEnded()
  }

  /// One reset: the link is lost, MCUboot decides, the application comes up after its time, or nothing does.
  private mutating func restart() -> [BoardAction] {
    var actions = endLink(.lost)
    forgetLink()
    groups.reset()
    state = .booting
    let scripted = faults.at(.reset)
    let crash = scripted.first { $0.do == .imageReverts }.map { VirtualBootloader.Crash(image: $0.image) }
    let steps = flash.boot(crash: crash, intoLoader: wantsLoader)
    wantsLoader = false
    if steps.contains(where: \.changes) { isReplaced = false }
    boots.append(steps[0])
    for other in scripted where other.do == .otherFirmware { replace(other) }
    if steps.contains(.dead) || scripted.contains(where: { $0.do == .neverReturn }) {
      state = .gone
      return actions
    }
    actions.append(wake(faults.at(.boot).reduce(bootTime(steps)) { $0 + $1.duration }, .booted))
    return actions
  }

  private mutating func replace(_ fault: BoardFault) {
    let number = fault.image ?? 0
    guard flash.images.indices.contains(number), let version = ImageVersion(fault.version ?? "9.9.9") else { return }
    let place = settings.place(of: number, slot: flash.images[number].active)
    let hash = settings.digest(of: number) ?? .sha256
    guard let image = VirtualFirmware.image(version: version, size: 4096, hash: hash, place: place, number: number) else { return }
    flash.replaceRunning(image, of: number)
    isReplaced = true
  }

  /// Images are moved one after the other; an image that does not come up costs its way there and back.
  private func bootTime(_ steps: [BootStep]) -> Duration {
    let boot = Duration.milliseconds(max(0, settings.bootMilliseconds))
    let swap = Duration.milliseconds(max(0, settings.swapMilliseconds))
    let crashed = steps.count { $0 == .crashedAndReverted }
    let swaps = flash.mode.picks ? 0 : steps.count(where: \.moves) + 2 * crashed
    return boot * (crashed > 0 ? 2 : 1) + swap * swaps
  }

  func wake(_ duration: Duration, _ kind: BoardAlarm.Kind) -> BoardAction {
    .wake(duration, BoardAlarm(kind: kind, epoch: epoch(of: kind)))
  }

  private func wake(_ timer: SUITTimer) -> BoardAction { wake(timer.after, .suit(timer)) }

  /// A reset comes whatever happens to the link meanwhile; everything else belongs to a link.
  private func epoch(of kind: BoardAlarm.Kind) -> Int {
    switch kind {
    case .reset, .booted, .suit: boots.count
    case .serve, .answer, .delayed, .poll, .dfu, .jump, .selfReturn, .serviceChanged: linkEpoch
    }
  }
}
