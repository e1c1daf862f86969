/// The transfer of one part to a Secure bootloader, with what the board has kept of an earlier one (nordic-dfu.md §3.5).
///
/// First the init packet, then the image object by object: create, packets, checksum, execute. A board answers each request with one
/// notification, which may overtake the response of the write. Checksums are cumulative, and are computed by the owner; an object whose
/// checksum is wrong is transferred again, with a receipt after each packet. The last execute makes the board check the image's hash and start it.
public struct SecureTransfer: DFUTransfer {
  public typealias Settings = SecureSettings

  private enum Comparison {
    /// What the board had before.
    case kept(SecureObjectType)
    case sent(SecureObject)
  }

  private enum State {
    case idle
    case asking(SecureStep, early: SecureResponse?)
    case comparing(Comparison, SecureResponse.Position)
    case pausing(SecureObject)
    case sending(SecureRun)
    /// The last execute was answered.
    case activating
    /// The board is asked to leave its bootloader, or will be once an older write is answered; then this is the end.
    case aborting(DFUAction, isAsked: Bool)
    case ended
  }

  private let part: SecurePart
  private let settings: SecureSettings
  private var state = State.idle
  private var isWriting = false
  private var isHandingOver = false

  /// The board's interval, once it was set; a board remembers the one of an earlier connection.
  private var boardInterval: Int?
  private var cut: SecureCut
  private var patience = SecurePatience()
  /// The image was continued behind data whose checksum was wrong.
  private var isRepairing = false
  private var hasPaused = false

  public private(set) var acknowledged = 0
  public private(set) var resumedFrom: Int?
  public var length: Int { part.image.count }

  public init(_ part: SecurePart, settings: SecureSettings) {
    self.part = part
    self.settings = settings
    cut = SecureCut(length: part.image.count)
  }

  // MARK: - Inputs

  public mutating func start() -> [DFUAction] {
    guard case .idle = state else { return [] }
    if let complaint = part.complaint { return end(.failed(.partInvalid(complaint))) }
    return ask(.select(.command))
  }

  public mutating func paused() -> [DFUAction] {
    guard case .pausing(let object) = state else { return [] }
    return send(object, from: object.start)
  }

  public mutating func controlWritten() -> [DFUAction] {
    guard isWriting else { return [] }
    isWriting = false
    switch state {
    case .asking(let step, let early):
      if let early { return answered(step, early) }
      let wait = wait(for: step)
      return [.expect(wait, within: settings.limits[wait])]
    case .aborting(let ending, isAsked: false): return abort(then: ending)
    case .idle, .comparing, .pausing, .sending, .activating, .aborting, .ended: return []
    }
  }

  public mutating func controlFailed() -> [DFUAction] {
    guard isWriting else { return [] }
    switch state {
    // A board that starts its image may go before it has answered.
    case .asking(let step, _) where isLastExecute(step): return controlWritten()
    case .asking(let step, _):
      isWriting = false
      return fail(.writeRefused(step.request.op.rawValue))
    case .aborting(let ending, isAsked: true): return end(ending)
    case .idle, .comparing, .pausing, .sending, .activating, .aborting, .ended: return controlWritten()
    }
  }

  public mutating func packetsHandedOver() -> [DFUAction] {
    guard isHandingOver else { return [] }
    isHandingOver = false
    guard case .sending(let run) = state else { return [] }
    if run.sent == run.object.end { return ask(.checksum(run.object)) }
    return run.isReceiptHere ? send(run.object, from: run.sent) : []
  }

  public mutating func received(_ notification: [UInt8]) -> [DFUAction] {
    guard let response = SecureResponse(notification) else { return [] }
    switch state {
    case .asking(let step, let early) where response.op == step.request.op:
      guard isWriting else { return answered(step, response) }
      if early == nil { state = .asking(step, early: response) }
      return []
    case .sending(let run) where response.op == .checksum: return counted(run, response)
    case .aborting(let ending, isAsked: true) where response.op == .abort && response.refusal != nil: return end(ending)
    default: return []
    }
  }

  public mutating func checksum(_ value: UInt32) -> [DFUAction] {
    guard case .comparing(let comparison, let position) = state else { return [] }
    let isRight = value == position.checksum
    switch comparison {
    case .kept(.command): return keptCommand(position.offset, isRight: isRight)
    case .kept(.data): return keptData(position.offset, isRight: isRight)
    case .sent(let object): return isRight ? arrived(object) : repeatObject(object)
    }
  }

  public mutating func silent() -> [DFUAction] {
    switch state {
    case .asking(let step, _): return fail(.silent(isWriting ? .write : wait(for: step), offset: acknowledged))
    // A packet is missing on the board: the receipt never comes, but the object can be sent again.
    case .sending(let run): return repeatObject(run.object)
    case .activating: return end(.finished)
    case .aborting(let ending, _): return end(ending)
    case .idle, .comparing, .pausing, .ended: return []
    }
  }

  public mutating func linkLost() -> [DFUAction] {
    switch state {
    case .ended: return []
    case .activating: return end(.finished)
    case .asking(let step, let early) where isLastExecute(step) && early?.refusal == nil: return end(.finished)
    case .aborting(let ending, _): return end(ending)
    case .idle, .asking, .comparing, .pausing, .sending: return fail(.linkLost(offset: acknowledged))
    }
  }

  public mutating func cancel() -> [DFUAction] {
    switch state {
    case .activating, .ended: return []
    case .idle: return end(.failed(.cancelled))
    case .aborting(_, let isAsked):
      state = .aborting(.failed(.cancelled), isAsked: isAsked)
      return []
    case .asking(let step, _) where isLastExecute(step): return []
    case .asking, .comparing, .pausing, .sending:
      guard isWriting else { return abort(then: .failed(.cancelled)) }
      state = .aborting(.failed(.cancelled), isAsked: false)
      return [.expect(.write, within: settings.limits.write)]
    }
  }

  // MARK: - Requests

  private mutating func ask(_ step: SecureStep) -> [DFUAction] {
    state = .asking(step, early: nil)
    // The request waits behind the packets that bluetoothd still holds.
    if case .checksum = step { return write(step.request, then: .complete) }
    return write(step.request, then: .write)
  }

  private mutating func write(_ request: SecureRequest, then wait: DFUWait) -> [DFUAction] {
    isWriting = true
    return [.writeControl(request.bytes), .expect(wait, within: settings.limits[wait])]
  }

  private func wait(for step: SecureStep) -> DFUWait {
    switch step {
    case .select, .setReceipts, .checksum: .answer
    case .create: .erase
    case .execute(let object, _): object.type == .command ? .initPacket : isLastExecute(step) ? .validate : .complete
    }
  }

  private func isLastExecute(_ step: SecureStep) -> Bool {
    guard case .execute(let object, _) = step else { return false }
    return object.type == .data && object.end == length
  }

  private mutating func answered(_ step: SecureStep, _ response: SecureResponse) -> [DFUAction] {
    if let refusal = response.refusal { return refused(step, refusal) }
    switch step {
    case .select(let type):
      guard let (largest, position) = response.selection else { return fail(.answerTooShort(.select)) }
      return type == .command ? selectedCommand(largest, position) : selectedData(largest, position)
    case .setReceipts(let interval, let after):
      boardInterval = interval
      return go(on: after)
    case .create(let object): return created(object)
    case .checksum(let object):
      guard let position = response.position else { return fail(.answerTooShort(.checksum)) }
      guard position.offset == object.end else { return repeatObject(object) }
      return compare(.sent(object), position)
    case .execute(let object, _): return executed(object)
    }
  }

  private mutating func refused(_ step: SecureStep, _ refusal: SecureRefusal) -> [DFUAction] {
    let isPastPermission = refusal == .result(.operationNotPermitted)
    switch step {
    // Bootloaders of SDK 15 to 17 do not execute again what was executed before the link was lost.
    case .execute(let object, isResumed: true) where isPastPermission: return executed(object)
    // They may also have kept an init packet that is no longer in force.
    case .create(let object) where isPastPermission && object.type == .data && patience.allowsFreshStart: return startFresh()
    default: return fail(.secureRefused(step.request.op, step.type, refusal))
    }
  }

  private mutating func setReceipts(_ interval: Int, then after: SecureStep.After) -> [DFUAction] {
    boardInterval == interval ? go(on: after) : ask(.setReceipts(interval, then: after))
  }

  private mutating func go(on after: SecureStep.After) -> [DFUAction] {
    switch after {
    case .create(let object): ask(.create(object))
    case .send(let object, let offset): send(object, from: offset)
    case .selectData: ask(.select(.data))
    }
  }

  private mutating func compare(_ comparison: Comparison, _ position: SecureResponse.Position) -> [DFUAction] {
    state = .comparing(comparison, position)
    let data: DFUData
    switch comparison {
    case .kept(let type): data = type == .command ? .initPacket : .image
    case .sent(let object): data = object.data
    }
    return [.checksum(of: data, upTo: position.offset)]
  }

  // MARK: - What the board has kept

  private var command: SecureObject { SecureObject(type: .command, start: 0, end: part.initPacket.count) }

  private mutating func selectedCommand(_ largest: Int, _ position: SecureResponse.Position) -> [DFUAction] {
    guard part.initPacket.count <= largest else {
      return fail(.partInvalid(.initPacketTooLong(length: part.initPacket.count, limit: largest)))
    }
    guard settings.resumes, (1...part.initPacket.count).contains(position.offset) else { return createCommand() }
    return compare(.kept(.command), position)
  }

  private mutating func keptCommand(_ offset: Int, isRight: Bool) -> [DFUAction] {
    guard isRight else { return createCommand() }
    if offset == command.end { return ask(.execute(command, isResumed: true)) }
    return setReceipts(0, then: .send(command, from: offset))
  }

  /// Wipes whatever the board has of the image.
  private mutating func createCommand() -> [DFUAction] {
    setReceipts(0, then: .create(command))
  }

  private mutating func selectedData(_ largest: Int, _ position: SecureResponse.Position) -> [DFUAction] {
    guard cut.use(largest) else { return fail(.objectSizeUnusable(largest)) }
    if position.offset == 0 { return ask(.create(cut.object(at: 0))) }
    guard settings.resumes, position.offset <= length else { return startFresh() }
    return compare(.kept(.data), position)
  }

  private mutating func keptData(_ offset: Int, isRight: Bool) -> [DFUAction] {
    let object = cut.object(before: offset)
    guard isRight else {
      isRepairing = true
      return ask(.create(object))
    }
    resumedFrom = offset
    acknowledged = offset
    let next = offset == object.end ? ask(.execute(object, isResumed: true)) : send(object, from: offset)
    return [.progress(offset)] + next
  }

  /// Nothing that the board has kept is of use: a new init packet makes it forget.
  private mutating func startFresh() -> [DFUAction] {
    guard patience.startFresh() else { return fail(.checksumWrong(.image, end: acknowledged)) }
    isRepairing = false
    resumedFrom = nil
    return goBack(to: 0) + createCommand()
  }

  private mutating func goBack(to offset: Int) -> [DFUAction] {
    guard acknowledged != offset else { return [] }
    acknowledged = offset
    return [.progress(offset)]
  }

  // MARK: - An object

  private mutating func created(_ object: SecureObject) -> [DFUAction] {
    guard object.type == .data, !hasPaused, settings.limits.beforeFirstObject > .zero else { return send(object, from: object.start) }
    hasPaused = true
    state = .pausing(object)
    return [.pause(settings.limits.beforeFirstObject)]
  }

  private mutating func send(_ object: SecureObject, from offset: Int) -> [DFUAction] {
    let bytes = object.type == .command ? part.initPacket : part.image
    let interval = boardInterval ?? 0
    let end = interval == 0 ? object.end : min(offset + interval * settings.packetSize, object.end)
    state = .sending(SecureRun(object: object, sent: end, counted: offset))
    isHandingOver = true
    let wait = end == object.end ? DFUWait.complete : .receipt
    return [.writePackets(bytes[offset..<end], size: settings.packetSize), .expect(wait, within: settings.limits[wait])]
  }

  /// A receipt. The one of the object's last packets is not awaited: the checksum says the same.
  private mutating func counted(_ run: SecureRun, _ response: SecureResponse) -> [DFUAction] {
    guard run.sent < run.object.end, !run.isReceiptHere, let offset = response.position?.offset else { return [] }
    guard offset == run.sent else { return offset == run.counted ? [] : repeatObject(run.object) }
    let progress: [DFUAction] = run.object.type == .data ? [.progress(offset)] : []
    if run.object.type == .data { acknowledged = offset }
    guard isHandingOver else { return progress + send(run.object, from: offset) }
    var run = run
    run.isReceiptHere = true
    state = .sending(run)
    return progress
  }

  /// The object arrived wrong or not at all.
  private mutating func repeatObject(_ object: SecureObject) -> [DFUAction] {
    if isRepairing, patience.allowsFreshStart { return startFresh() }
    guard patience.repeatObject() else { return fail(.checksumWrong(object.data, end: object.end)) }
    let back = object.type == .data && acknowledged > object.start ? goBack(to: object.start) : []
    return back + setReceipts(1, then: .create(object))
  }

  private mutating func arrived(_ object: SecureObject) -> [DFUAction] {
    var progress: [DFUAction] = []
    if object.type == .data, acknowledged != object.end {
      acknowledged = object.end
      progress = [.progress(object.end)]
    }
    return progress + ask(.execute(object, isResumed: false))
  }

  private mutating func executed(_ object: SecureObject) -> [DFUAction] {
    patience.objectIsDone()
    isRepairing = false
    if object.type == .command { return setReceipts(settings.receiptInterval, then: .selectData) }
    guard object.end < length else {
      state = .activating
      return [.expect(.activation, within: settings.limits.activation)]
    }
    return setReceipts(patience.isStrained ? 1 : settings.receiptInterval, then: .create(cut.object(at: object.end)))
  }

  // MARK: - Ends

  /// A board that is only disconnected keeps what it has, and the next transfer resumes.
  private mutating func fail(_ failure: DFUFailure) -> [DFUAction] {
    if failure.recovery.isRetry { return end(.restart(failure)) }
    return isWriting ? end(.failed(failure)) : abort(then: .failed(failure))
  }

  private mutating func abort(then ending: DFUAction) -> [DFUAction] {
    state = .aborting(ending, isAsked: true)
    return write(.abort, then: .reset)
  }

  private mutating func end(_ action: DFUAction) -> [DFUAction] {
    state = .ended
    return [action]
  }
}
