import Bluetooth
import Firmware
import SMP

/// Drives the SMP update of one board: attaches, executes the plan's steps, and attaches again after every reset.
struct UpdateDriver: SessionDriver {
  /// Which program comes up after a reset, and is waited for before the next connection.
  private enum Awaited {
    case application, loader
  }

  let session: BoardSession
  let order: UpdateOrder
  let links: LinkHolder
  private let notes: UpdateNotes
  private var plan: UpdatePlan?
  private var first: BoardIdentity?
  /// The version that the application tells of itself, read on this link.
  private var version: String?
  /// Told before the first write. It is not asked again: an answer that differs later must not call a board refused that was written to.
  private var bootloader: Bootloader?
  /// Its slots, asked once where the package holds several images.
  private var layout: [ImageLayout]?
  private var wasLayoutAsked = false
  private var awaited: Awaited?
  /// Which program the board is in, as far as is known.
  private var place = BoardReading.Place.application
  private var loader: LoaderVisit
  /// Set once the running firmware, or its half of the bond, may have changed: nothing that the stack remembers is to be believed.
  private var mustForget = false

  init(session: BoardSession, order: UpdateOrder, links: LinkHolder) {
    self.session = session
    self.order = order
    self.links = links
    notes = UpdateNotes(session: session, order: order)
    loader = LoaderVisit(session: session, links: links)
  }

  private var limits: SessionLimits { session.limits }
  private var connector: BoardConnector {
    BoardConnector(session: session, links: links, board: place == .loader ? loader.address : nil, pairs: place == .application)
  }

  mutating func advance() async throws -> SessionResult? {
    let found = try await connect()
    try await identify(found)
    try await session.enter(.prepare, links)
    let (link, smp) = try await connector.openSMP(over: found, time: session.time)
    return try await smp.whileListening {
      let attachment = try await SMPAttachment.attach(
        smp, session: session, order: order, links: links, bootloader: place == .loader ? .firmwareLoader : bootloader, place: place)
      bootloader = attachment.bootloader
      try await askLayout(attachment)
      if plan == nil { plan = UpdatePlan(target: target, bootloader: attachment.bootloader) }
      return try await drive(attachment, link)
    }
  }

  private var target: UpdatePlan.Target {
    let images = order.images.map {
      UpdatePlan.Image(number: $0.number, slot: $0.slot, hash: $0.hash, version: $0.version, isReadBack: $0.isReadBack)
    }
    return UpdatePlan.Target(
      images: images, mode: order.mode, allowsDowngrade: order.allowsDowngrade, trustsStoredImage: session.trustsStoredImage,
      wasWrittenBefore: session.wasWrittenBefore)
  }

  /// A board that has one image writes every other over it (facts/smp.md §3.2), so it is asked before one is sent.
  private mutating func askLayout(_ smp: SMPAttachment) async throws {
    guard !wasLayoutAsked, order.images.contains(where: { $0.number > 0 }) else { return }
    layout = try await smp.readLayout()
    wasLayoutAsked = true
  }

  // MARK: attach

  private mutating func connect() async throws -> any GATTLink {
    guard let awaited else {
      try await session.enter(.connect, links)
      if place == .loader || first == nil && session.wasHeardInLoader { try await lookAgain() }
      let isFresh = first == nil || mustForget
      mustForget = false
      return isFresh ? try await connector.connectUnbonded() : try await connector.connect()
    }
    try await session.enter(.reconnect, links)
    // New firmware may have another GATT database at the same address (facts/nordic-dfu.md §6.3).
    if mustForget { await loader.forget() }
    switch awaited {
    case .loader:
      loader.address = try await loader.awaitLoader()
      enteredLoader()
    case .application where place == .loader:
      try await loader.awaitApplication()
      place = .application
    case .application: try await connector.awaitReturn()
    }
    let link = try await connector.connect()
    self.awaited = nil
    mustForget = false
    return link
  }

  /// The link was lost in the loader, and whatever ended it may have restarted the board.
  private mutating func lookAgain() async throws {
    await loader.forget()
    switch try await loader.lookAgain() {
    case .loader(let address):
      loader.address = address
      enteredLoader()
    case .application: place = .application
    }
  }

  private mutating func enteredLoader() {
    place = .loader
    let address = loader.address
    session.journal.update {
      if let address, address != $0.mac { $0.dfuMAC = address }
      $0.leftAs = .bootloader
    }
  }

  private mutating func identify(_ link: any GATTLink) async throws {
    try await session.enter(first == nil ? .identify : .verify, links)
    let identity = try await connector.identity(over: link)
    // What the loader tells is its own version.
    version = place == .application ? identity.firmware : nil
    if let first {
      try identity.check(isSameAs: first)
      return
    }
    // It got the loader's name from this station, which had asked it then; in its application it is asked again.
    if place == .loader { return }
    try await session.admit(identity, by: order.identity)
    first = identity
  }

  // MARK: drive

  private mutating func drive(_ smp: SMPAttachment, _ link: any GATTLink) async throws -> SessionResult? {
    guard var plan else { return nil }
    defer { self.plan = plan }
    while true {
      try Task.checkCancellation()
      let reading = BoardReading(try await smp.readImages(), place: place, version: version, images: layout.map { Set($0.map(\.image)) })
      notes.note(reading, bootloader: smp.bootloader, didWrite: plan.didWrite)
      let step = plan.next(reading)
      if step.changesImages {
        session.journal.touch(leaving: notes.runsForGood(reading.slots ?? [], smp.bootloader) ? .application : .unconfirmed)
      }
      switch step {
      case .finished(let outcome, let state, let verification): return finished(outcome, state, verification)
      case .failed(let code, let words): throw BoardFailure(code, in: links.phase, words)
      case .upload(let place):
        plan.beganUpload()
        try await upload(place, over: smp)
        plan.executed(step)
      case .eraseOther(let image, let slot):
        try await session.enter(.prepare, links)
        if try await smp.erase(image: image, slot: slot) { plan.executed(step) } else { plan.eraseWasRefused() }
      case .markForTest(let place), .markPermanent(let place), .confirmRunning(let place):
        switch try await mark(place, step, over: smp) {
        case .done: plan.executed(step)
        case .unanswered: break
        case .denied where order.images[place].number > 0 && step == .confirmRunning(place): plan.confirmationWasDenied(place)
        case .denied: throw BoardFailure(.smpError, in: links.phase, "the board does not let the image be confirmed")
        }
      case .enterLoader:
        try await enterLoader(over: smp, link)
        plan.executed(step)
        return nil
      case .reset(let reason):
        if reason == .swap { try await eraseSettingsIfAsked(smp) }
        plan.executed(step)
        try await reset(over: smp, link)
        return nil
      }
    }
  }

  private func finished(_ outcome: Outcome, _ state: ImageState, _ verification: Verification) -> SessionResult {
    session.journal.update {
      if order.erasesSettings, $0.settingsErased == nil { $0.settingsErased = .no }
      // The version proves that what the loader listed in the slot of the application runs.
      if verification == .version { $0.imageHashAfter = order.images.first?.hash.hex }
    }
    return .update(outcome, state, by: verification)
  }

  private func upload(_ place: Int, over smp: SMPAttachment) async throws {
    let image = order.images[place]
    let numbers = order.numbers
    let before = order.images.prefix(place).filter { $0.number != image.number }
    // Of two builds of one image one is sent.
    let total = numbers.compactMap { number in
      number == image.number ? image.bytes.count : order.images.first { $0.number == number }?.bytes.count
    }.reduce(0, +)
    let done = Dictionary(before.map { ($0.number, $0.bytes.count) }) { first, _ in first }.values.reduce(0, +)
    if numbers.count > 1 {
      let stage = RescueStage(number: Set(before.map(\.number)).count + 1, count: numbers.count, part: "image \(image.number)", version: image.version)
      session.journal.update { $0.stage = stage }
    }
    try await session.enter(.upload, links)
    try await ImageUpload(
      session: session, links: links, attachment: smp, image: image, place: place, uploadImage: uploadImage(of: image), progress: (done, total)
    ).run()
  }

  /// What an upload sends as `image`: with Zephyr's direct upload the numbers mean slots, and the board tells them (facts/smp.md §3.2, "Slot info").
  private func uploadImage(of image: UpdateImage) -> Int {
    guard image.number > 0, let slots = layout?.first(where: { $0.image == image.number })?.slots else { return image.number }
    return slots.last { $0.uploadImage != nil }?.uploadImage ?? image.number
  }

  private func mark(_ place: Int, _ step: UpdatePlan.Step, over smp: SMPAttachment) async throws -> SMPAttachment.Marking {
    let isTest = step == .markForTest(place)
    try await session.enter(isTest ? .test : .confirm, links)
    let marking = try await smp.mark(order.images[place].hash, permanent: !isTest)
    if step == .confirmRunning(place) { try await session.enter(.verify, links) }
    return marking
  }

  // MARK: leave

  private mutating func eraseSettingsIfAsked(_ smp: SMPAttachment) async throws {
    guard order.erasesSettings, session.journal.record.settingsErased == nil || session.journal.record.settingsErased == .no else { return }
    try await session.enter(.prepare, links)
    let wasErased = try await smp.eraseSettings()
    session.journal.update { $0.settingsErased = wasErased ? .yes : .refused }
    // The board's bonds are gone with its settings: the host's half is worth nothing from the next link on.
    if wasErased { mustForget = true }
  }

  private mutating func enterLoader(over smp: SMPAttachment, _ link: any GATTLink) async throws {
    try await session.enter(.detach, links)
    session.journal.touch(leaving: .application)
    guard try await smp.name(loader: loader.name) else {
      if plan?.didWrite != true { session.journal.update { $0.leftAs = .untouched } }
      throw BoardFailure(
        .policyBootloader, in: links.phase, "the board takes no name for its firmware loader, so that it could not be told from other boards'")
    }
    leaving()
    awaited = .loader
    try await smp.reset(link, into: .bootloader)
    await links.close()
  }

  private mutating func reset(over smp: SMPAttachment, _ link: any GATTLink) async throws {
    try await session.enter(.reset, links)
    leaving()
    awaited = .application
    try await smp.reset(link)
    await links.close()
  }

  /// From here on the board may be gone at any moment, also when the answer is lost; what was read until now says nothing about what runs afterwards.
  private mutating func leaving() {
    session.journal.update {
      $0.leftAs = .unknown
      $0.firmwareAfter = nil
      $0.imageHashAfter = nil
    }
    mustForget = true
  }
}

extension UpdatePlan.Step {
  /// Whether executing it writes to the board's images; an upload tells itself when its first byte leaves.
  fileprivate var changesImages: Bool {
    switch self {
    case .eraseOther, .markForTest, .markPermanent, .confirmRunning: true
    case .upload, .enterLoader, .reset, .finished, .failed: false
    }
  }
}
