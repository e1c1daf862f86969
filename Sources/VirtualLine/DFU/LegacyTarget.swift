import NordicDFU

/// A Legacy DFU bootloader of SDK 11 as a machine (nordic-dfu.md §2.3, §2.5): control writes and packets in, answers out.
///
/// It knows nothing of modes or of what images mean; it asks its board by `DFUAction`. Its state outlives a link, as in the real one.
struct LegacyTarget: Sendable {
  enum State: Hashable, Sendable {
    case idle
    case preparing
    case ready
    case receivingInit
    case receivingData
    /// The transfer is dead until a reset.
    case dead
    case validated
  }

  /// What the packet characteristic means now.
  enum Meaning: Sendable {
    case nothing
    case start
    case initPacket
    case data
  }

  /// Buffers and limits of SDK 11.
  static let initLimit = 128
  static let packetLimit = 20
  static let bootloaderRegion: UInt32 = 0x8000
  static let page: UInt32 = 4096
  /// Packets that wait in the radio beside the buffers.
  static let radioBuffers = 2
  static let unsubscribed: UInt8 = 0xFD
  static let badLength: UInt8 = 0x0D

  let settings: DFUSettings
  let deviceType: UInt16
  let deviceRevision: UInt16
  /// The identifier of the SoftDevice in flash.
  var softDevice: UInt16
  var state = State.idle
  var meaning = Meaning.nothing
  var part = DFUPart.application
  /// The type byte of Start, when it is no part.
  var type: UInt8 = 0
  var size = 0
  var initBytes: [UInt8] = []
  var checksum: UInt16?
  var image: [UInt8] = []
  var interval = 0
  var sinceReceipt = 0
  /// Counts since the bootloader's boot, not since Start.
  var total: UInt32 = 0
  var poisoned = false
  var pool = 0
  /// Each answer that was no success, in hexadecimal.
  private(set) var errors: [String] = []
  private(set) var receipts = 0
  private(set) var bytesReceived = 0

  init(_ settings: DFUSettings, deviceType: UInt16, deviceRevision: UInt16) {
    self.settings = settings
    self.deviceType = deviceType
    self.deviceRevision = deviceRevision
    softDevice = settings.softDevice
  }

  /// Power on or reset: RAM is empty.
  mutating func boot() {
    state = .idle
    meaning = .nothing
    (size, initBytes, checksum, image) = (0, [], nil, [])
    (interval, sinceReceipt, total, poisoned, pool) = (0, 0, 0, false, 0)
  }

  // MARK: Control point

  mutating func control(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    guard let code = value.first, value.count <= Self.packetLimit else { return [.respond(Self.badLength)] }
    for fault in faults.at(.request, FaultScript.Event(command: code)) {
      switch fault.do {
      case .silent: return [.fallSilent]
      case .powerCut: return [.powerCut(fault.duration)]
      case .refuse, .busy, .noMemory: return [.respond(nil)] + answer(code, UInt8(clamping: fault.code ?? 6), &faults)
      default: break
      }
    }
    guard let operation = LegacyOpCode(rawValue: code) else { return [.respond(nil)] + answer(code, .notSupported, &faults) }
    let rest = Array(value.dropFirst())
    switch operation {
    case .activateAndReset: return activate(&faults)
    case .reset:
      state = .dead
      return [.respond(nil), .wake(settings.leave, .leave)]
    default: break
    }
    let answers = perform(operation, rest, &faults)
    let early = !answers.isEmpty && faults.at(.response, FaultScript.Event(command: code)).contains { $0.do == .notifyFirst }
    return early ? answers + [.respond(nil)] : [.respond(nil)] + answers
  }

  private mutating func perform(_ operation: LegacyOpCode, _ rest: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    switch operation {
    case .start:
      if settings.oldStart, !rest.isEmpty { return answer(.start, .notSupported, &faults) }
      guard let type = rest.first ?? (settings.oldStart ? DFUPart.application.rawValue : nil) else { return answer(.start, .operationFailed, &faults) }
      self.type = type
      meaning = .start
    case .initPacket where settings.oldStart: meaning = .initPacket
    case .initPacket:
      guard let step = rest.first else { return answer(.initPacket, .operationFailed, &faults) }
      // `02 00` does not clear what is there already (§2.5).
      if step == 0 { meaning = .initPacket } else { return finishInit(&faults) }
    case .receiveImage: meaning = .data
    case .validate: return validate(&faults)
    case .reportReceivedSize: return answer(.reportReceivedSize, .success, &faults, more: LittleEndian.bytes(total))
    case .receiptRequest:
      guard rest.count >= 2 else { return answer(.receiptRequest, .notSupported, &faults) }
      (interval, sinceReceipt) = (Int(rest[0]) | Int(rest[1]) << 8, 0)
    case .activateAndReset, .reset: break
    case .response, .receipt: return answer(operation, .notSupported, &faults)
    }
    return []
  }

  // MARK: Answers

  func answerBytes(_ code: UInt8, _ status: UInt8, _ more: [UInt8] = []) -> [UInt8] { [LegacyOpCode.response.rawValue, code, status] + more }

  mutating func answer(_ operation: LegacyOpCode, _ status: LegacyStatus, _ faults: inout FaultScript, more: [UInt8] = []) -> [DFUAction] {
    answer(operation.rawValue, status.rawValue, &faults, more: more)
  }

  private mutating func answer(_ code: UInt8, _ status: LegacyStatus, _ faults: inout FaultScript) -> [DFUAction] {
    answer(code, status.rawValue, &faults)
  }

  mutating func answer(_ code: UInt8, _ status: UInt8, _ faults: inout FaultScript, more: [UInt8] = []) -> [DFUAction] {
    if status != LegacyStatus.success.rawValue, errors.count < DFUSettings.keptErrors { errors.append(Hexadecimal.text(answerBytes(code, status))) }
    let stray = [LegacyOpCode.receipt.rawValue] + LittleEndian.bytes(total)
    return DFUAnswer.leave(answerBytes(code, status, more), code, stray: stray, &faults)
  }

  /// The n-th packet is queued. The client waits for this, so the pool is empty when it goes on.
  mutating func receipt(_ faults: inout FaultScript) -> [DFUAction] {
    (sinceReceipt, pool) = (0, 0)
    receipts += 1
    var count = total
    var delay: Duration?
    for fault in faults.at(.receipt, FaultScript.Event(reached: image.count)) {
      switch fault.do {
      case .loseReceipt: return []
      case .wrongReceipt: count &-= 20
      case .delayReceipt: delay = fault.duration
      default: break
      }
    }
    let bytes = [LegacyOpCode.receipt.rawValue] + LittleEndian.bytes(count)
    return delay.map { [.wake($0, .late(bytes))] } ?? [.notify(bytes)]
  }

  mutating func stored(_ count: Int) {
    total &+= UInt32(truncatingIfNeeded: count)
    bytesReceived += count
  }
}
