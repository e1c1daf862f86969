import Bluetooth
import Firmware
import SMP

/// Drives the SMP update of one board: attaches, executes the plan's steps, and attaches again after every reset.
struct UpdateDriver: SessionDriver {
  let session: BoardSession
  let order: UpdateOrder
  let links: LinkHolder
  private var plan: UpdatePlan?
  private var first: BoardIdentity?
  /// Told before the first write. It is not asked again: an answer that differs later must not call a board refused that was written to.
  private var bootloader: Bootloader?
  /// A reset was sent: the board is waited for before the next connection.
  private var awaitsReturn = false
  /// Set once the running firmware may have changed, so that cached services are not to be believed.
  private var mayHaveNewServices = false

  init(session: BoardSession, order: UpdateOrder, links: LinkHolder) {
    self.session = session
    self.order = order
    self.links = links
  }

  private var limits: SessionLimits { session.limits }
  private var connector: BoardConnector { BoardConnector(session: session, links: links) }

  mutating func advance() async throws -> SessionResult? {
    var link = try await connect()
    try await identify(link)
    try await session.enter(.prepare, links)
    let channel: any PacketChannel
    do {
      channel = try await open(link)
    } catch CentralError.attributeMissing {
      // The stack may show the services of an earlier firmware (facts/nordic-dfu.md §6.3): forget them once, look again.
      link = try await connector.reconnectAfresh()
      do { channel = try await open(link) } catch { throw SessionError.of(error, in: links.phase) }
    }
    links.hold(channel)
    let smp = SMPSession(channel: channel, time: session.time)
    return try await smp.whileListening {
      let attachment = try await SMPAttachment.attach(smp, session: session, order: order, links: links, bootloader: bootloader)
      bootloader = attachment.bootloader
      if plan == nil { plan = UpdatePlan(target: target, bootloader: attachment.bootloader) }
      return try await drive(attachment, link)
    }
  }

  private func open(_ link: any GATTLink) async throws -> any PacketChannel {
    guard let characteristic = SMPAttachment.characteristic else { throw CentralError.refused("no SMP") }
    return try await link.openChannel(notifying: characteristic, writing: characteristic, of: .simpleManagement, limit: limits.command)
  }

  private var target: UpdatePlan.Target {
    return UpdatePlan.Target(
      hash: order.hash, image: order.imageNumber, version: order.version, mode: order.mode, allowsDowngrade: order.allowsDowngrade,
      trustsStoredImage: session.trustsStoredImage, wasWrittenBefore: session.wasWrittenBefore)
  }

  // MARK: attach

  private mutating func connect() async throws -> any GATTLink {
    guard awaitsReturn else {
      try await session.enter(.connect, links)
      return first == nil ? try await connector.connectUnbonded() : try await connector.connect()
    }
    try await session.enter(.reconnect, links)
    if mayHaveNewServices {
      // New firmware may have another GATT database at the same address (facts/nordic-dfu.md §6.3).
      await session.central.forget(session.board, on: session.adapter)
    }
    try await connector.awaitReturn()
    let link = try await connector.connect()
    awaitsReturn = false
    return link
  }

  private mutating func identify(_ link: any GATTLink) async throws {
    try await session.enter(first == nil ? .identify : .verify, links)
    let identity = try await connector.identity(over: link)
    if let first {
      if let serial = first.serial, let now = identity.serial, serial != now {
        throw BoardFailure(.verifyOtherBoard, in: .verify, "serial number \(serial) was flashed and \(now) came back")
      }
      return
    }
    session.journal.update {
      $0.serialNumber = identity.serial
      $0.modelNumber = identity.model
      $0.hardwareRevision = identity.hardware
    }
    if let objection = order.identity.objection(to: identity) { throw objection }
    try await session.examine(identity)
    first = identity
  }

  // MARK: drive

  private mutating func drive(_ smp: SMPAttachment, _ link: any GATTLink) async throws -> SessionResult? {
    guard var plan else { return nil }
    defer { self.plan = plan }
    while true {
      try Task.checkCancellation()
      let slots = try await smp.readImages()
      note(slots, didWrite: plan.didWrite)
      let step = plan.next(slots)
      if step.changesImages { session.journal.touch(leaving: runsConfirmed(slots) ? .application : .unconfirmed) }
      switch step {
      case .finished(let outcome, let state): return .update(outcome, state)
      case .failed(let code, let words): throw BoardFailure(code, in: links.phase, words)
      case .upload:
        plan.beganUpload()
        try await session.enter(.upload, links)
        try await ImageUpload(session: session, links: links, attachment: smp).run()
        plan.executed(step)
      case .eraseOther:
        try await session.enter(.prepare, links)
        if try await smp.eraseOther(slots) { plan.executed(step) } else { plan.eraseWasRefused() }
      case .markForTest, .markPermanent:
        try await session.enter(step == .markForTest ? .test : .confirm, links)
        if try await smp.mark(order.hash, permanent: step == .markPermanent) { plan.executed(step) }
      case .confirmRunning:
        try await session.enter(.confirm, links)
        if try await smp.mark(order.hash, permanent: true) { plan.executed(step) }
        try await session.enter(.verify, links)
      case .reset(let reason):
        if reason == .swap { try await eraseSettingsIfAsked(smp) }
        plan.executed(step)
        try await reset(over: smp, link)
        return nil
      }
    }
  }

  private func runsConfirmed(_ slots: [ImageSlot]) -> Bool {
    slots.contains { $0.image == order.imageNumber && $0.active && $0.confirmed }
  }

  /// Keeps in the record what was read, so that it is right whatever happens next.
  private func note(_ slots: [ImageSlot], didWrite: Bool) {
    let mine = slots.filter { $0.image == order.imageNumber }
    guard let active = mine.first(where: \.active) ?? mine.first(where: { $0.slot == 0 }) else { return }
    let stored = mine.first { $0.slot != active.slot && $0.hash == order.hash }
    let isWanted = active.hash == order.hash
    session.journal.update { record in
      if record.firmwareBefore == nil {
        record.imageHashBefore = active.hash.map(\.hex)
        record.firmwareBefore = active.version
      }
      record.imageHashAfter = active.hash.map(\.hex)
      record.firmwareAfter = active.version
      if isWanted {
        record.imageState = active.confirmed ? .confirmed : .testing
      } else {
        record.imageState = stored.map { $0.pending ? .pending : .stored } ?? .unknown
      }
      if didWrite { record.leftAs = active.confirmed ? .application : .unconfirmed }
    }
  }

  private func eraseSettingsIfAsked(_ smp: SMPAttachment) async throws {
    guard order.erasesSettings, session.journal.record.settingsErased == nil else { return }
    try await session.enter(.prepare, links)
    let wasErased = try await smp.eraseSettings()
    session.journal.update { $0.settingsErased = wasErased ? .yes : .refused }
  }

  private mutating func reset(over smp: SMPAttachment, _ link: any GATTLink) async throws {
    try await session.enter(.reset, links)
    // What was read until now says nothing about what runs afterwards.
    session.journal.update {
      $0.leftAs = .unknown
      $0.firmwareAfter = nil
      $0.imageHashAfter = nil
    }
    // From here on the board may be gone at any moment, also when the answer is lost.
    awaitsReturn = true
    mayHaveNewServices = true
    try await smp.reset(link)
    await links.close()
  }
}

extension UpdatePlan.Step {
  /// Whether executing it writes to the board's images; an upload tells itself when its first byte leaves.
  fileprivate var changesImages: Bool {
    switch self {
    case .eraseOther, .markForTest, .markPermanent, .confirmRunning: true
    case .upload, .reset, .finished, .failed: false
    }
  }
}
