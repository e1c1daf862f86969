import Firmware

/// Group 1 as a server: image state, upload, erase, slot info (smp.md §3.2 and §4.2).
struct ImageGroup: Sendable {
  static let number: UInt16 = 1

  /// Lives in RAM and is one for the board, whatever image and whatever link a request is for (smp.md §4.2).
  private struct Session: Sendable {
    var image: Int
    var slot: Int
    var length: Int
    var sha: [UInt8]?
    var offset = 0
  }

  private let settings: BoardSettings
  private var session: Session?
  private(set) var uploads = 0
  private(set) var bytesReceived = 0

  init(settings: BoardSettings) {
    self.settings = settings
  }

  /// What a reset leaves of it: the counters.
  mutating func reset() { session = nil }

  mutating func handle(
    _ frame: ServerFrame, _ body: RequestMap, _ flash: inout VirtualBootloader, _ faults: inout FaultScript
  ) throws(Refusal) -> ServerAnswer {
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0): return ServerAnswer(state(flash))
    case (ServerFrame.write, 0) where flash.mode.takesStateWrites: return try setState(body, &flash)
    case (ServerFrame.write, 1):
      do {
        return try upload(body, &flash, &faults)
      } catch {
        // Any error but a wrong offset forgets the session (smp.md §4.2).
        session = nil
        throw error
      }
    case (ServerFrame.write, 5): return try erase(body, &flash, &faults)
    case (ServerFrame.read, 6): return ServerAnswer(slotInfo(flash))
    default: throw .status(8)
    }
  }

  // MARK: State

  /// The image of a slot when the list shows it. The first slot of a network core is its own flash, which the application cannot read.
  private func shown(_ image: ImageSlots, _ slot: Int) -> StoredImage? {
    slot == 0 && image.listing == .none ? nil : image.listed(slot)
  }

  private func state(_ flash: VirtualBootloader) -> [ReplyField] {
    var entries: [ReplyValue] = []
    for image in flash.images {
      for slot in image.slots.indices {
        guard let stored = shown(image, slot) else { continue }
        let flags = image.flags(of: slot)
        let all = [
          ("bootable", stored.bootable), ("pending", flags.pending), ("confirmed", flags.confirmed), ("active", flags.active && image.showsActive),
          ("permanent", flags.permanent),
        ]
        let number = flash.images.count > 1 ? [ReplyField("image", .unsigned(UInt64(image.number)))] : []
        let head = [ReplyField("slot", .unsigned(UInt64(slot))), ReplyField("version", .text(stored.version.smpText))]
        let hash = slot == 0 && image.listing == .noHash ? [] : [ReplyField("hash", .bytes(stored.hash))]
        entries.append(.map(number + head + hash + all.filter { $0.1 || !settings.frugal }.map { ReplyField($0.0, .flag($0.1)) }))
      }
    }
    return [ReplyField("images", .list(entries))] + (settings.frugal ? [] : [ReplyField("splitStatus", .unsigned(0))])
  }

  /// The table of smp.md §3.2, "State write".
  private func setState(_ body: RequestMap, _ flash: inout VirtualBootloader) throws(Refusal) -> ServerAnswer {
    let hash = try body.bytes("hash")
    let confirm = try body.flag("confirm")
    var (image, slot) = (flash.images[0], flash.images[0].active)
    if let hash {
      guard knows(hash.count) else { throw fail(24) }
      guard let found = find(hash, flash) else { throw fail(8) }
      (image, slot) = (flash.images[found.image], found.slot)
    } else if !confirm {
      throw fail(24)
    }
    if slot == image.active {
      guard confirm else { throw fail(image.isUnconfirmed ? 28 : 33) }
      if image.number > 0, !settings.confirmsOtherImages { throw fail(32) }
      if image.slots.indices.contains(where: { image.mark(of: $0)?.imageOK == true }) { throw fail(28) }
      flash.change(image.number) { $0.confirm() }
    } else {
      if image.isUnconfirmed { throw fail(28) }
      if let mark = image.mark(of: slot) {
        if mark.imageOK != confirm { throw fail(28) }
      } else {
        flash.change(image.number) { $0.setPending(slot, permanent: confirm) }
      }
    }
    return ServerAnswer(state(flash))
  }

  private func knows(_ length: Int) -> Bool {
    if settings.oneHash { return settings.digest(of: 0)?.length == length }
    return ImageDigest.allCases.contains { $0.length == length }
  }

  /// The first match wins: the same image in both slots is slot 0.
  private func find(_ hash: [UInt8], _ flash: VirtualBootloader) -> (image: Int, slot: Int)? {
    for image in flash.images {
      for slot in image.slots.indices where shown(image, slot)?.hash == hash && !(slot == 0 && image.listing == .noHash) { return (image.number, slot) }
    }
    return nil
  }

  // MARK: Upload

  private mutating func upload(_ body: RequestMap, _ flash: inout VirtualBootloader, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let offset = try body.unsigned("off") else { throw fail(20) }
    let data = try body.bytes("data") ?? []
    if offset == 0 { return try first(body, data, &flash, &faults) }
    guard let session else { return ServerAnswer([ReplyField("off", .unsigned(0))]) }
    // Duplicates and gaps: success, and where to go on (go-back-N).
    guard offset == session.offset else { return ServerAnswer([ReplyField("off", .unsigned(UInt64(session.offset)))]) }
    return try store(data, session, &flash, &faults)
  }

  /// The checks in their order (smp.md §4.2, "off==0").
  private mutating func first(
    _ body: RequestMap, _ data: [UInt8], _ flash: inout VirtualBootloader, _ faults: inout FaultScript
  ) throws(Refusal) -> ServerAnswer {
    let (length, sha, asked) = (try body.unsigned("len"), try body.bytes("sha"), try body.unsigned("image"))
    let upgrade = try body.flag("upgrade")
    guard data.count >= StoredImage.headerSize, let version = StoredImage.announcedVersion(data) else { throw fail(22) }
    guard let length else { throw fail(21) }
    guard StoredImage.magics.contains(Array(data[0..<4])) else { throw fail(23) }
    if let sha, sha.count > 32 { throw fail(24) }
    if let session, let sha, session.sha == sha, session.offset > 0 { return ServerAnswer([ReplyField("off", .unsigned(UInt64(session.offset)))]) }
    let (image, slot) = try target(asked ?? 0, flash)
    let place = image.slots[slot]
    guard length <= place.size else { throw fail(30) }
    if image.mode.runsInPlace, let address = StoredImage.announcedAddress(data), address != place.address { throw fail(25) }
    if upgrade {
      guard let running = image.listing == .none ? nil : image.running else { throw fail(26) }
      if running.version.base >= version.base { throw fail(27) }
    }
    if settings.imageCheck, let sha, place.image?.fileDigest == sha {
      // The slot already holds it.
      session = nil
      return ServerAnswer([ReplyField("off", .unsigned(UInt64(length))), ReplyField("match", .flag(true))])
    }
    let delay = eraseTime(image, slot, &faults)
    flash.change(image.number) { $0.erase(slot) }
    uploads += 1
    let fresh = Session(image: image.number, slot: slot, length: length, sha: sha)
    session = fresh
    var answer = try store(data, fresh, &flash, &faults)
    answer.delay += delay
    return answer
  }

  /// Which slot the number of an upload means (smp.md §3.2): a build for one image ignores it.
  private func target(_ asked: Int, _ flash: VirtualBootloader) throws(Refusal) -> (image: ImageSlots, slot: Int) {
    let isDirect = settings.directUpload && asked > 0
    let number = isDirect ? (asked - 1) / 2 : flash.images.count > 1 && !settings.directUpload ? asked : 0
    guard flash.images.indices.contains(number) else { throw fail(9) }
    let image = flash.images[number]
    guard let free = image.updateSlot, !image.isUnconfirmed, !isDirect || (asked - 1) % 2 == free else { throw fail(9) }
    return (image, free)
  }

  private mutating func store(
    _ data: [UInt8], _ current: Session, _ flash: inout VirtualBootloader, _ faults: inout FaultScript
  ) throws(Refusal) -> ServerAnswer {
    guard current.offset + data.count <= current.length else { throw fail(31) }
    let event = FaultScript.Event(group: Self.number, command: 1, image: current.image, reached: current.offset + data.count)
    var effect = ServerAnswer.Effect.none
    for fault in faults.at(.data, event) {
      effect = fault.do == .reboot || fault.do == .powerCut ? .crash : .endLink(fault.do == .closeLink ? .closed : .lost)
      // Lost with the link, unless the script says that only the answer is.
      if fault.stored != true { return ServerAnswer([], effect: effect) }
    }
    flash.change(current.image) { $0.append(data, to: current.slot) }
    bytesReceived += data.count
    var current = current
    current.offset += data.count
    session = current
    if current.offset < current.length { return ServerAnswer([ReplyField("off", .unsigned(UInt64(current.offset)))], effect: effect) }
    return finish(current, effect, &flash, &faults)
  }

  private mutating func finish(
    _ current: Session, _ effect: ServerAnswer.Effect, _ flash: inout VirtualBootloader, _ faults: inout FaultScript
  ) -> ServerAnswer {
    let event = FaultScript.Event(group: Self.number, command: 1, image: current.image, reached: current.length)
    let spoilt = !faults.at(.finish, event).isEmpty
    flash.change(current.image) { $0.finish(current.slot, spoilt: spoilt) }
    session = nil
    var fields = [ReplyField("off", .unsigned(UInt64(current.length)))]
    if settings.imageCheck, let sha = current.sha {
      fields.append(ReplyField("match", .flag(flash.images[current.image].slots[current.slot].image?.fileDigest == sha)))
    }
    return ServerAnswer(fields, effect: effect == .none ? .stored(image: current.image, slot: current.slot) : effect)
  }

  // MARK: Erase and slot info

  /// `slot` counts through all images: 2·image + slot.
  private mutating func erase(_ body: RequestMap, _ flash: inout VirtualBootloader, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let number = try body.unsigned("slot") ?? flash.images[0].updateSlot else { throw fail(9) }
    guard flash.images.indices.contains(number / 2), flash.images[number / 2].slots.indices.contains(number % 2) else { throw fail(10) }
    let (image, slot) = (flash.images[number / 2], number % 2)
    guard slot != image.active, !image.isUnconfirmed else { throw fail(9) }
    let delay = eraseTime(image, slot, &faults)
    flash.change(image.number) { $0.erase(slot) }
    session = nil
    return ServerAnswer([], delay: delay)
  }

  private func eraseTime(_ image: ImageSlots, _ slot: Int, _ faults: inout FaultScript) -> Duration {
    let own: Duration = image.slots[slot].isBlank ? .zero : .milliseconds(max(0, settings.eraseMilliseconds))
    return faults.at(.erase, FaultScript.Event(group: Self.number, image: image.number)).reduce(own) { $0 + $1.duration }
  }

  private func slotInfo(_ flash: VirtualBootloader) -> [ReplyField] {
    let images = flash.images.map { image in
      let slots = image.slots.enumerated().map { slot, place in
        let entry = [ReplyField("slot", .unsigned(UInt64(slot))), ReplyField("size", .unsigned(UInt64(place.size)))]
        let id = settings.directUpload ? 2 * image.number + slot + 1 : image.number
        return ReplyValue.map(entry + (slot == image.updateSlot ? [ReplyField("upload_image_id", .unsigned(UInt64(id)))] : []))
      }
      return ReplyValue.map([ReplyField("image", .unsigned(UInt64(image.number))), ReplyField("slots", .list(slots))])
    }
    return [ReplyField("images", .list(images))]
  }

  private func fail(_ code: Int) -> Refusal { .group(Self.number, code) }
}
