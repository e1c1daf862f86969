/// The transfer of one part to a Legacy bootloader (nordic-dfu.md §2).
///
/// Each control request is written, then what belongs to it goes to the packet characteristic, then the board answers; the answer may
/// overtake the response of the write. The image goes in rounds of as many packets as lie between two receipts; the next round waits until the
/// board has counted the last one. After the packet that completes the image there is no receipt, only the answer to `03`.
/// Legacy DFU cannot resume: whatever goes wrong ends with a reset of the board, and a restart from the first byte.
public struct LegacyTransfer: DFUTransfer {
  public typealias Settings = LegacySettings

  private struct Exchange {
    /// What belongs to the request was handed over, or is being.
    var isPayloadSent: Bool
    /// An answer that came before the write's response, or before the packets were reported.
    var status: UInt8?
  }

  private struct Round {
    /// Bytes handed over, this round included.
    var sent = 0
    /// The board has counted them, or has the whole image.
    var isAcknowledged = false
  }

  private enum State {
    case idle
    case pausing(before: LegacyStage?)
    case asking(LegacyStage, Exchange)
    case streaming(Round)
    case activating
    /// The board is reset, or will be once an older write is answered; then this is the end.
    case resetting(DFUAction, isAsked: Bool)
    case ended
  }

  private let part: LegacyPart
  private let settings: LegacySettings
  private let version: DFUVersion?
  private var state = State.idle
  private var isWriting = false
  private var isHandingOver = false
  private var usesOldForm = false

  public private(set) var acknowledged = 0
  public var length: Int { part.image.count }
  /// Always nil.
  public var resumedFrom: Int? { nil }

  /// - Parameter version: what the version characteristic says; nil when the board has none.
  public init(_ part: LegacyPart, version: DFUVersion?, settings: LegacySettings = LegacySettings()) {
    self.part = part
    self.version = version
    self.settings = settings
  }

  private var initPacketForm: DFUVersion.InitPacketForm { version?.initPacketForm ?? .checksum }
  private var receiptInterval: Int { usesOldForm ? LegacySettings.oldReceiptInterval : settings.receiptInterval }

  // MARK: - Inputs

  public mutating func start() -> [DFUAction] {
    guard case .idle = state else { return [] }
    if version?.mode == .application { return end(ending(for: .stillApplication)) }
    if let complaint = part.complaint(for: initPacketForm) { return end(.failed(.partInvalid(complaint))) }
    return version == nil ? pause(settings.limits.beforeStart, before: .start) : ask(.start)
  }

  public mutating func paused() -> [DFUAction] {
    guard case .pausing(let stage) = state else { return [] }
    return stage.map { ask($0) } ?? sendRound(after: 0)
  }

  public mutating func controlWritten() -> [DFUAction] {
    guard isWriting else { return [] }
    isWriting = false
    switch state {
    case .asking(let stage, let exchange): return written(stage, exchange)
    case .resetting(let ending, isAsked: false): return reset(then: ending)
    case .idle, .pausing, .streaming, .activating, .resetting, .ended: return []
    }
  }

  public mutating func controlFailed() -> [DFUAction] {
    guard isWriting else { return [] }
    isWriting = false
    switch state {
    case .asking(let stage, _): return fail(.writeRefused(stage.op.rawValue))
    case .resetting(let ending, isAsked: false): return reset(then: ending)
    // A board that activates its image may go before it has answered.
    case .idle, .pausing, .streaming, .activating, .resetting, .ended: return []
    }
  }

  public mutating func packetsHandedOver() -> [DFUAction] {
    guard isHandingOver else { return [] }
    isHandingOver = false
    switch state {
    case .asking(.beginInit, _): return ask(.completeInit)
    case .asking(let stage, let exchange): return exchange.status.map { answered(stage, $0) } ?? []
    case .streaming(let round): return round.isAcknowledged ? sendRound(after: round.sent) : []
    case .idle, .pausing, .activating, .resetting, .ended: return []
    }
  }

  public mutating func received(_ notification: [UInt8]) -> [DFUAction] {
    switch (state, LegacyNotification(notification)) {
    case (.asking(let stage, let exchange), .response(let op, let status)) where op == stage.op:
      return noted(stage, exchange, status)
    case (.streaming(let round), .response(.receiveImage, let status)):
      return completed(round, status)
    case (.streaming(let round), .receipt(let bytes)):
      return counted(round, Int(bytes))
    case (.activating, .response(.activateAndReset, let status)) where status != LegacyStatus.success.rawValue:
      return fail(.legacyRefused(.activateAndReset, status: status))
    default:
      return []
    }
  }

  /// Legacy DFU needs none from its owner.
  public mutating func checksum(_ value: UInt32) -> [DFUAction] { [] }

  public mutating func silent() -> [DFUAction] {
    switch state {
    case .asking(let stage, _): return fail(.silent(isWriting ? .write : stage.answer ?? .write, offset: acknowledged))
    case .streaming(let round): return fail(.silent(wait(for: round), offset: acknowledged))
    case .activating: return end(.finished)
    case .resetting(let ending, _): return end(ending)
    case .idle, .pausing, .ended: return []
    }
  }

  public mutating func linkLost() -> [DFUAction] {
    switch state {
    case .ended: return []
    case .activating: return end(.finished)
    case .resetting(let ending, _): return end(ending)
    case .idle, .pausing, .asking, .streaming: return end(ending(for: .linkLost(offset: acknowledged)))
    }
  }

  public mutating func cancel() -> [DFUAction] {
    switch state {
    case .activating, .ended:
      return []
    case .idle:
      return end(.failed(.cancelled))
    case .resetting(_, let isAsked):
      state = .resetting(.failed(.cancelled), isAsked: isAsked)
      return []
    case .asking, .streaming, .pausing:
      guard isWriting else { return reset(then: .failed(.cancelled)) }
      state = .resetting(.failed(.cancelled), isAsked: false)
      return [.expect(.write, within: settings.limits.write)]
    }
  }

  // MARK: - Requests

  private mutating func ask(_ stage: LegacyStage) -> [DFUAction] {
    state = .asking(stage, Exchange(isPayloadSent: false))
    return write(request(stage), then: .write)
  }

  private func request(_ stage: LegacyStage) -> LegacyRequest {
    switch stage {
    case .start: .start(part.type)
    case .oldStart: .oldStart
    case .beginInit: .beginInitPacket
    case .completeInit: .completeInitPacket
    case .initChecksum: .initChecksum
    case .receipts: .requestReceipts(every: UInt16(clamping: receiptInterval))
    case .image: .receiveImage
    case .validate: .validate
    }
  }

  private mutating func write(_ request: LegacyRequest, then wait: DFUWait) -> [DFUAction] {
    isWriting = true
    return [.writeControl(request.bytes), .expect(wait, within: settings.limits[wait])]
  }

  private func payload(_ stage: LegacyStage) -> [UInt8] {
    switch stage {
    case .start: part.startPacket(oldForm: false)
    case .oldStart: part.startPacket(oldForm: true)
    case .beginInit, .initChecksum: part.initPacket
    case .completeInit, .receipts, .image, .validate: []
    }
  }

  /// The write of a request is answered.
  private mutating func written(_ stage: LegacyStage, _ exchange: Exchange) -> [DFUAction] {
    if let status = exchange.status { return answered(stage, status) }
    let payload = payload(stage)
    state = .asking(stage, Exchange(isPayloadSent: true))
    guard payload.isEmpty else {
      isHandingOver = true
      let wait = stage.answer ?? .write
      return [.writePackets(payload[...], size: LegacySettings.usualPacketSize), .expect(wait, within: settings.limits[wait])]
    }
    guard let wait = stage.answer else { return next(after: stage) }
    return [.expect(wait, within: settings.limits[wait])]
  }

  /// An answer came: it counts when the request was written, and a refusal at any time after that.
  private mutating func noted(_ stage: LegacyStage, _ exchange: Exchange, _ status: UInt8) -> [DFUAction] {
    let isRefusal = status != LegacyStatus.success.rawValue
    // A success before the board could know what is asked belongs to something else.
    guard isRefusal || stage.answer != nil && (exchange.isPayloadSent || payload(stage).isEmpty) else { return [] }
    guard isWriting || isHandingOver && !isRefusal else { return answered(stage, status) }
    guard exchange.status == nil else { return [] }
    state = .asking(stage, Exchange(isPayloadSent: exchange.isPayloadSent, status: status))
    return []
  }

  private mutating func answered(_ stage: LegacyStage, _ status: UInt8) -> [DFUAction] {
    switch (stage, LegacyStatus(rawValue: status)) {
    case (_, .success):
      return next(after: stage)
    case (.start, .notSupported) where part.type == .application && initPacketForm == .checksum:
      // nRF5 SDK 4.3 knows only the old form.
      usesOldForm = true
      return pause(settings.limits.beforeStart, before: .oldStart)
    case (.completeInit, .operationFailed), (.beginInit, .operationFailed):
      return fail(.initPacketRefused(length: part.initPacket.count))
    default:
      return fail(.legacyRefused(stage.op, status: status))
    }
  }

  private mutating func next(after stage: LegacyStage) -> [DFUAction] {
    switch stage {
    case .start, .oldStart:
      guard initPacketForm == .checksum else { return ask(.beginInit) }
      return ask(part.initPacket.isEmpty ? .receipts : .initChecksum)
    case .beginInit: return ask(.completeInit)
    case .completeInit, .initChecksum: return ask(.receipts)
    case .receipts: return ask(.image)
    case .image: return usesOldForm ? pause(settings.limits.beforeOldImage, before: nil) : sendRound(after: 0)
    case .validate:
      state = .activating
      return write(.activateAndReset, then: .activation)
    }
  }

  private mutating func pause(_ duration: Duration, before stage: LegacyStage?) -> [DFUAction] {
    state = .pausing(before: stage)
    return [.pause(duration)]
  }

  // MARK: - The image

  private func wait(for round: Round) -> DFUWait { round.sent == length ? .complete : .receipt }

  private mutating func sendRound(after offset: Int) -> [DFUAction] {
    guard offset < length else { return ask(.validate) }
    let round = Round(sent: min(offset + receiptInterval * settings.packetSize, length))
    state = .streaming(round)
    isHandingOver = true
    let wait = wait(for: round)
    return [.writePackets(part.image[offset..<round.sent], size: settings.packetSize), .expect(wait, within: settings.limits[wait])]
  }

  /// A receipt. Bootloaders without a version count in 16 bits.
  private mutating func counted(_ round: Round, _ bytes: Int) -> [DFUAction] {
    // Of the last round, and of the image's end, nothing but the answer tells.
    guard round.sent < length, !round.isAcknowledged else { return [] }
    let mask = version == nil ? 0xFFFF : 0xFFFF_FFFF
    guard bytes & mask == round.sent & mask else {
      let isRepeat = acknowledged > 0 && bytes & mask == acknowledged & mask
      return isRepeat ? [] : fail(.bytesLost(expected: round.sent, received: bytes))
    }
    return acknowledge(round)
  }

  /// The answer to `03`: the image is complete, or something went wrong.
  private mutating func completed(_ round: Round, _ status: UInt8) -> [DFUAction] {
    guard status == LegacyStatus.success.rawValue else { return fail(.legacyRefused(.receiveImage, status: status)) }
    guard round.sent == length, !round.isAcknowledged else { return [] }
    return acknowledge(round)
  }

  private mutating func acknowledge(_ round: Round) -> [DFUAction] {
    acknowledged = round.sent
    let progress = DFUAction.progress(round.sent)
    guard isHandingOver else { return [progress] + sendRound(after: round.sent) }
    state = .streaming(Round(sent: round.sent, isAcknowledged: true))
    return [progress]
  }

  // MARK: - Ends

  private func ending(for failure: DFUFailure) -> DFUAction {
    failure.recovery.isRetry ? .restart(failure) : .failed(failure)
  }

  /// The board keeps the state of a transfer until it is reset (nordic-dfu.md §2.5).
  private mutating func fail(_ failure: DFUFailure) -> [DFUAction] {
    let ending = ending(for: failure)
    // A request that was never answered is in the way of another one.
    return isWriting ? end(ending) : reset(then: ending)
  }

  private mutating func reset(then ending: DFUAction) -> [DFUAction] {
    state = .resetting(ending, isAsked: true)
    return write(.reset, then: .reset)
  }

  private mutating func end(_ action: DFUAction) -> [DFUAction] {
    state = .ended
    return [action]
  }
}
