import Firmware

/// The groups of a virtual board's SMP server: a request in, an answer out (smp.md §1.2 and §1.3).
struct ServerGroups: Sendable {
  private let settings: BoardSettings
  private var system: SystemGroup
  private(set) var images: ImageGroup
  private(set) var suit: SUITGroup?
  private var storage: StorageGroup
  /// Outlives a reset as far as it was saved.
  private(set) var store: SettingsStore
  private var application: ApplicationGroups

  init(settings: BoardSettings, identity: BoardIdentity) {
    self.settings = settings
    system = SystemGroup(settings: settings, name: identity.name)
    images = ImageGroup(settings: settings)
    suit = settings.kind == .suit ? SUITGroup(settings: settings.suit) : nil
    storage = StorageGroup(settings: settings)
    store = SettingsStore(settings.storage)
    application = ApplicationGroups(settings: settings, identity: identity)
  }

  /// What lived in RAM is gone.
  mutating func reset() {
    system.reset()
    images.reset()
    suit?.reset()
    store.load()
    application.reset()
  }

  mutating func respond(_ frame: ServerFrame, _ flash: inout VirtualBootloader, _ faults: inout FaultScript) -> ServerAnswer {
    do throws(Refusal) {
      return try dispatch(frame, &flash, &faults)
    } catch {
      return fail(frame, error)
    }
  }

  /// The answer that a scripted fault wants instead of the group's own.
  func refuse(_ frame: ServerFrame, as fault: BoardFault) -> ServerAnswer {
    switch fault.do {
    case .busy: fail(frame, .status(10))
    case .noMemory: fail(frame, .status(2))
    case .powerCut: ServerAnswer([], effect: .crash)
    default: fail(frame, fault.groupCode.map { .group(frame.group, $0) } ?? .status(fault.code ?? 1))
    }
  }

  func fail(_ frame: ServerFrame, _ refusal: Refusal) -> ServerAnswer {
    ServerAnswer(refusal.reply(version: settings.smpVersion >= 2 ? min(frame.version, 1) : 0))
  }

  /// The answer as it leaves. One that does not fit a buffer is `rc` 7 instead (smp.md §2.1).
  func packet(_ answer: ServerAnswer, to frame: ServerFrame) -> [UInt8] {
    let echo = settings.smpVersion >= 2
    let bytes = frame.answer(ReplyValue.map(answer.fields).encoded(canonical: settings.canonical), echoVersion: echo)
    guard bytes.count > settings.bufferSize else { return bytes }
    return frame.answer(ReplyValue.map(fail(frame, .status(7)).fields).encoded(canonical: settings.canonical), echoVersion: echo)
  }

  /// A SUIT board's own time is over: what it waits for next, and whether it restarts.
  mutating func rang(_ timer: SUITTimer, _ faults: inout FaultScript) -> (timers: [SUITTimer], restarts: Bool) {
    suit?.rang(timer, &faults) ?? ([], false)
  }

  private mutating func dispatch(
    _ frame: ServerFrame, _ flash: inout VirtualBootloader, _ faults: inout FaultScript
  ) throws(Refusal) -> ServerAnswer {
    guard frame.payload.count == frame.announcedPayload else { throw .status(9) }
    guard frame.version <= 1 else { throw .status(13) }
    // A response sent to a server (smp.md §1.3).
    guard frame.operation & 1 == 0 else { throw .status(8) }
    if let answer = try suit?.handle(frame, &faults) { return answer }
    switch frame.group {
    case SystemGroup.number: return try system.handle(frame, try? RequestMap(frame.payload), mode: flash.mode)
    case StorageGroup.basic: return try storage.handle(frame, try RequestMap(frame.payload), &store, &faults)
    case StorageGroup.settings where !application.has(frame.group): return try storage.handle(frame, try RequestMap(frame.payload), &store, &faults)
    case ImageGroup.number:
      // The application beside a firmware loader has no image group (smp.md §6, "Bare metal").
      guard flash.mode != .firmwareLoader || flash.isInLoader else { throw .status(8) }
      var answer = try images.handle(frame, try RequestMap(frame.payload), &flash, &faults)
      if settings.legacyRC { answer.fields.append(ReplyField("rc", .unsigned(0))) }
      return answer
    default:
      let others = [SystemGroup.number, ImageGroup.number] + (settings.eraseStorage ? [StorageGroup.basic] : [])
      var answer = try application.handle(
        frame, try RequestMap(frame.payload), &store, running: flash.running?.version.smpText ?? "", others: others)
      if settings.legacyRC, answer.fields.allSatisfy({ $0.key != "rc" && $0.key != "err" }) { answer.fields.append(ReplyField("rc", .unsigned(0))) }
      return answer
    }
  }
}
