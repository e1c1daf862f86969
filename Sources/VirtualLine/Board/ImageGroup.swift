import Firmware

/// Group 1 as a server: image state, upload, erase, slot info (smp.md §3.2 and §4.2).
struct ImageGroup: Sendable {
  static let number: UInt16 = 1

  /// Lives in RAM and is one for the board, whatever link a request comes by.
  private struct Session: Sendable {
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
    case (ServerFrame.write, 0): return try setState(body, &flash)
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

  private func state(_ flash: VirtualBootloader) -> [ReplyField] {
    var images: [ReplyValue] = []
    for (number, slot) in flash.slots.enumerated() {
      guard let image = slot.image else { continue }
      let flags = flash.flags(of: number)
      let all = [
        ("bootable", image.bootable), ("pending", flags.pending), ("confirmed", flags.confirmed), ("active", flags.active),
        ("permanent", flags.permanent),
      ]
      let shown = all.filter { $0.1 || !settings.frugal }.map { ReplyField($0.0, .flag($0.1)) }
      let head = [
        ReplyField("slot", .unsigned(UInt64(number))), ReplyField("version", .text(image.version.smpText)), ReplyField("hash", .bytes(image.hash)),
      ]
      images.append(.map(head + shown))
    }
    return [ReplyField("images", .list(images))] + (settings.frugal ? [] : [ReplyField("splitStatus", .unsigned(0))])
  }

  /// The table of smp.md §3.2, "State write".
  private func setState(_ body: RequestMap, _ flash: inout VirtualBootloader) throws(Refusal) -> ServerAnswer {
    let hash = try body.bytes("hash")
    let confirm = try body.flag("confirm")
    var slot = 0
    if let hash {
      guard ImageDigest.allCases.contains(where: { $0.length == hash.count }) else { throw fail(24) }
      // The first match wins: the same image in both slots is slot 0.
      guard let found = flash.slots.firstIndex(where: { $0.image?.hash == hash }) else { throw fail(8) }
      slot = found
    } else if !confirm {
      throw fail(24)
    }
    if slot == 0 {
      guard confirm else { throw fail(flash.isUnconfirmed ? 28 : 33) }
      if flash.swap == .permanent { throw fail(28) }
      flash.confirm()
    } else {
      if flash.isUnconfirmed { throw fail(28) }
      let trailer = flash.slots[slot].trailer
      if trailer.magic, trailer.imageOK != confirm { throw fail(28) }
      if !trailer.magic { flash.setPending(slot, permanent: confirm) }
    }
    return ServerAnswer(state(flash))
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
    let (length, sha) = (try body.unsigned("len"), try body.bytes("sha"))
    _ = try body.unsigned("image")
    let upgrade = try body.flag("upgrade")
    guard data.count >= StoredImage.headerSize, let version = StoredImage.announcedVersion(data) else { throw fail(22) }
    guard let length else { throw fail(21) }
    guard StoredImage.magics.contains(Array(data[0..<4])) else { throw fail(23) }
    if let sha, sha.count > 32 { throw fail(24) }
    if let session, let sha, session.sha == sha, session.offset > 0 { return ServerAnswer([ReplyField("off", .unsigned(UInt64(session.offset)))]) }
    guard let slot = flash.updateSlot, !flash.isUnconfirmed else { throw fail(9) }
    guard length <= flash.slots[slot].size else { throw fail(30) }
    if upgrade, let running = flash.running, running.version.base >= version.base { throw fail(27) }
    if settings.imageCheck, let sha, flash.slots[slot].image?.fileDigest == sha {
      // The slot already holds it.
      session = nil
      return ServerAnswer([ReplyField("off", .unsigned(UInt64(length))), ReplyField("match", .flag(true))])
    }
    let delay = eraseTime(flash.slots[slot], &faults)
    flash.erase(slot)
    uploads += 1
    let fresh = Session(slot: slot, length: length, sha: sha)
    session = fresh
    var answer = try store(data, fresh, &flash, &faults)
    answer.delay += delay
    return answer
  }

  private mutating func store(
    _ data: [UInt8], _ current: Session, _ flash: inout VirtualBootloader, _ faults: inout FaultScript
  ) throws(Refusal) -> ServerAnswer {
    guard current.offset + data.count <= current.length else { throw fail(31) }
    let event = FaultScript.Event(group: Self.number, command: 1, reached: current.offset + data.count)
    var effect = ServerAnswer.Effect.none
    for fault in faults.at(.data, event) {
      effect = fault.do == .reboot || fault.do == .powerCut ? .crash : .endLink(fault.do == .closeLink ? .closed : .lost)
      // Lost with the link, unless the script says that only the answer is.
      if fault.stored != true { return ServerAnswer([], effect: effect) }
    }
    flash.append(data, to: current.slot)
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
    let spoilt = !faults.at(.finish, FaultScript.Event(group: Self.number, command: 1, reached: current.length)).isEmpty
    flash.finish(current.slot, spoilt: spoilt)
    session = nil
    var fields = [ReplyField("off", .unsigned(UInt64(current.length)))]
    if settings.imageCheck, let sha = current.sha {
      fields.append(ReplyField("match", .flag(flash.slots[current.slot].image?.fileDigest == sha)))
    }
    return ServerAnswer(fields, effect: effect == .none ? .stored : effect)
  }

  // MARK: Erase and slot info

  private mutating func erase(_ body: RequestMap, _ flash: inout VirtualBootloader, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let slot = try body.unsigned("slot") ?? flash.updateSlot else { throw fail(9) }
    guard flash.slots.indices.contains(slot) else { throw fail(10) }
    guard slot != 0, !flash.isUnconfirmed else { throw fail(9) }
    let delay = eraseTime(flash.slots[slot], &faults)
    flash.erase(slot)
    session = nil
    return ServerAnswer([], delay: delay)
  }

  private func eraseTime(_ slot: FlashSlot, _ faults: inout FaultScript) -> Duration {
    let own: Duration = slot.isBlank ? .zero : .milliseconds(max(0, settings.eraseMilliseconds))
    return faults.at(.erase, FaultScript.Event(group: Self.number)).reduce(own) { $0 + $1.duration }
  }

  private func slotInfo(_ flash: VirtualBootloader) -> [ReplyField] {
    let slots = flash.slots.enumerated().map { number, slot in
      let entry = [ReplyField("slot", .unsigned(UInt64(number))), ReplyField("size", .unsigned(UInt64(slot.size)))]
      return ReplyValue.map(entry + (number == flash.updateSlot ? [ReplyField("upload_image_id", .unsigned(0))] : []))
    }
    return [ReplyField("images", .list([.map([ReplyField("image", .unsigned(0)), ReplyField("slots", .list(slots))])]))]
  }

  private func fail(_ code: Int) -> Refusal { .group(Self.number, code) }
}
