/// The commands of group 66 (device-manager.md §4.2). Refusals are plain numbers: 1 unknown, 2 too large, 3 unreadable, 5 no such partition, 6 bad state.
extension SUITGroup {
  private static let root = 0x20

  mutating func suit(_ frame: ServerFrame, _ body: RequestMap, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0):
      return ServerAnswer([ReplyField("manifests", .list(settings.roles.map { .map([ReplyField("role", .unsigned(UInt64(max(0, $0))))]) }))])
    case (ServerFrame.read, 1): return ServerAnswer(try manifest(try body.unsigned("role")))
    case (ServerFrame.write, 2): return try envelope(body, &faults)
    case (ServerFrame.read, 3): return missing()
    case (ServerFrame.write, 4): return try resource(body, &faults)
    case (ServerFrame.write, 5): return try cache(body, &faults)
    case (ServerFrame.write, 6):
      reset()
      count(cleanUps: 1)
      return ServerAnswer([])
    default: throw .status(8)
    }
  }

  // MARK: Manifests

  private func manifest(_ role: Int?) throws(Refusal) -> [ReplyField] {
    guard let role, settings.roles.contains(role) else { throw .status(6) }
    let identifier = { (name: String) in ReplyValue.bytes(Array(ImageDigest.sha256.digest(Array(name.utf8)[...]).prefix(16))) }
    let policies = [
      ReplyField("class_id", identifier("class \(role)")), ReplyField("vendor_id", identifier("vendor")),
      ReplyField("downgrade_prevention_policy", .unsigned(settings.forbidsDowngrade ? 2 : 1)), ReplyField("independent_updateability_policy", .unsigned(2)),
      ReplyField("signature_verification_policy", .unsigned(1)),
    ]
    guard role == Self.root else { return policies }
    return policies + [
      ReplyField("digest", .bytes(record.digest)), ReplyField("digest_algorithm", .signed(-16)), ReplyField("signature_check", .unsigned(2)),
      ReplyField("sequence_number", .unsigned(UInt64(max(0, record.sequence)))),
      ReplyField("semantic_version", .list(settings.version.map { .signed(Int64($0)) })),
    ]
  }

  // MARK: Envelope

  private mutating func envelope(_ body: RequestMap, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let offset = try body.unsigned("off") else { throw .status(3) }
    let (length, data) = (try body.unsigned("len"), try body.bytes("data"))
    if offset == 0, length == 0, data == nil || data == [] {
      guard state == .stored else { throw .status(6) }
      var answer = ServerAnswer([ReplyField("off", .unsigned(0))])
      answer.timers = [processSoon()]
      return answer
    }
    guard let data, !data.isEmpty else { throw .status(3) }
    if offset == 0 {
      guard let length else { throw .status(3) }
      guard length <= settings.partition else { throw .status(2) }
      envelope = SUITTransfer(length: length)
      isDeferred = try body.flag("defer_install")
      changeState(.receiving)
      count(uploads: 1)
    }
    guard var transfer = envelope else { throw .status(6) }
    var answer = try take(data, offset, &transfer, command: 2, &faults)
    envelope = transfer
    guard answer.effect == .none, state == .receiving, transfer.isComplete else { return answer }
    if isDeferred { changeState(.stored) } else { answer.timers = [processSoon()] }
    return answer
  }

  /// One piece, and the answer to it; what a fault does to the link is in the answer's effect.
  mutating func take(
    _ data: [UInt8], _ offset: Int, _ transfer: inout SUITTransfer, group: UInt16 = SUITGroup.number, command: UInt8, _ faults: inout FaultScript
  ) throws(Refusal) -> ServerAnswer {
    let (reached, overflows) = offset.addingReportingOverflow(data.count)
    guard !overflows else { throw .status(2) }
    var effect = ServerAnswer.Effect.none
    for fault in faults.at(.data, FaultScript.Event(group: group, command: command, reached: reached)) {
      effect = fault.do == .reboot || fault.do == .powerCut ? .crash : .endLink(fault.do == .closeLink ? .closed : .lost)
      if fault.stored != true { return ServerAnswer([], effect: effect) }
    }
    do throws(SUITTransfer.Complaint) {
      try transfer.take(data, at: offset)
    } catch .outOfStep(let expected) {
      return ServerAnswer([ReplyField("rc", .unsigned(1)), ReplyField("off", .unsigned(UInt64(expected)))])
    } catch {
      throw .status(2)
    }
    count(bytes: data.count)
    return ServerAnswer([ReplyField("off", .unsigned(UInt64(transfer.bytes.count)))], effect: effect)
  }

  // MARK: Resources

  private func missing() -> ServerAnswer {
    guard case .waiting(let uri) = state else { return ServerAnswer([]) }
    return ServerAnswer([ReplyField("stream_session_id", .unsigned(UInt64(session))), ReplyField("resource_id", .bytes(Array(uri.utf8)))])
  }

  private mutating func resource(_ body: RequestMap, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let offset = try body.unsigned("off"), let data = try body.bytes("data"), !data.isEmpty else { throw .status(3) }
    guard case .waiting(let uri) = state, try body.unsigned("stream_session_id") == session else { throw .status(6) }
    if offset == 0 {
      guard let length = try body.unsigned("len") else { throw .status(3) }
      guard length <= ScriptLimits.slotSize.upperBound else { throw .status(2) }
      resource = SUITTransfer(length: length)
      count(uploads: 1)
    }
    guard var transfer = resource else { throw .status(6) }
    var answer = try take(data, offset, &transfer, command: 4, &faults)
    resource = transfer
    answer.timers = [transfer.isComplete ? received(uri, transfer.length) : giveUpLater()]
    return answer
  }

  // MARK: Caches

  private mutating func cache(_ body: RequestMap, _ faults: inout FaultScript) throws(Refusal) -> ServerAnswer {
    guard let target = try body.unsigned("target_id"), let offset = try body.unsigned("off"), let data = try body.bytes("data"), !data.isEmpty else {
      throw .status(3)
    }
    guard settings.caches.indices.contains(target) else { throw .status(5) }
    if offset == 0 {
      guard let length = try body.unsigned("len") else { throw .status(3) }
      guard length <= settings.caches[target] else { throw .status(2) }
      caches[target] = SUITTransfer(length: length)
      count(uploads: 1)
    }
    guard var transfer = caches[target] else { throw .status(6) }
    let answer = try take(data, offset, &transfer, command: 5, &faults)
    caches[target] = transfer
    if transfer.isComplete { note(cache: target, transfer.bytes) }
    return answer
  }
}
