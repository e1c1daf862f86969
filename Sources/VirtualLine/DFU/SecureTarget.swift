import Firmware
import NordicDFU

/// A Secure DFU bootloader of SDK 15 as a machine (nordic-dfu.md §3.3 to §3.5): objects, cumulative CRCs, resume, extended errors.
struct SecureTarget: Sendable {
  /// Why a request is refused.
  struct Refusal: Error, Hashable, Sendable {
    var code: [UInt8]

    init(_ result: SecureResult) { code = [result.rawValue] }
    init(_ extended: SecureExtendedError) { code = [SecureResult.extendedError.rawValue, extended.rawValue] }
  }

  let settings: DFUSettings
  var softDevice: UInt16
  var firmwareVersion: UInt32
  var bootloaderNumber: UInt32
  private var selected: SecureObjectType?
  private var command: [UInt8] = []
  private var commandSize = 0
  private(set) var accepted: SecureInit?
  private(set) var image: [UInt8] = []
  private(set) var executed = 0
  /// 0: nothing was created since the last execute.
  private var objectSize = 0
  private var spoilsNext = false
  private var interval = 0
  private var sinceReceipt = 0
  private var isComplete = false
  private(set) var objects = 0
  private(set) var bytesReceived = 0
  private(set) var errors: [String] = []

  init(_ settings: DFUSettings) {
    self.settings = settings
    softDevice = settings.softDevice
    firmwareVersion = settings.firmwareVersion
    bootloaderNumber = settings.bootloaderNumber
  }

  /// Power on or reset: progress is in RAM only, unless the bootloader was built otherwise.
  mutating func boot() {
    if !settings.keepsProgress || isComplete { wipe() }
    (selected, interval, sinceReceipt, isComplete) = (nil, 0, 0, false)
  }

  private mutating func wipe() {
    (command, commandSize, accepted, image, executed, objectSize) = ([], 0, nil, [], 0, 0)
  }

  // MARK: Control point

  mutating func control(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    guard let code = value.first else { return [.respond(LegacyTarget.badLength)] }
    for fault in faults.at(.request, FaultScript.Event(command: code)) {
      switch fault.do {
      case .silent: return [.fallSilent]
      case .powerCut: return [.powerCut(fault.duration)]
      case .refuse, .busy, .noMemory: return [.respond(nil)] + refuse(code, Self.scripted(fault.code ?? 0x0A), &faults)
      default: break
      }
    }
    var answers: [DFUAction]
    do throws(Refusal) {
      answers = try perform(code, Array(value.dropFirst()), &faults)
    } catch {
      answers = refuse(code, error.code, &faults)
    }
    if isComplete, code == SecureOpCode.execute.rawValue, !faults.at(.leave).isEmpty { return [leaving()] }
    let early = !answers.isEmpty && faults.at(.response, FaultScript.Event(command: code)).contains { $0.do == .notifyFirst }
    return early ? answers + [.respond(nil)] : [.respond(nil)] + answers
  }

  /// A result code, or above 255 an extended one: 0x0B07 is `0B 07`.
  private static func scripted(_ code: Int) -> [UInt8] {
    code > 0xFF ? [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] : [UInt8(clamping: code)]
  }

  private mutating func perform(_ code: UInt8, _ rest: [UInt8], _ faults: inout FaultScript) throws(Refusal) -> [DFUAction] {
    switch SecureOpCode(rawValue: code) {
    case .create:
      guard rest.count == 5, let size = LittleEndian.read(rest, at: 1, 4) else { throw Refusal(.invalidParameter) }
      return try create(rest[0], Int(size), &faults)
    case .setReceipts:
      guard rest.count >= 2 else { throw Refusal(.invalidParameter) }
      (interval, sinceReceipt) = (Int(rest[0]) | Int(rest[1]) << 8, 0)
      return succeed(code, [], &faults)
    case .checksum: return succeed(code, progress(), &faults)
    case .execute: return try execute(&faults)
    case .select: return try select(rest, &faults)
    case .abort: return [.reset]
    case .protocolVersion: return succeed(code, [], &faults)
    default: throw Refusal(.opCodeNotSupported)
    }
  }

  private mutating func select(_ rest: [UInt8], _ faults: inout FaultScript) throws(Refusal) -> [DFUAction] {
    guard let type = rest.first else { throw Refusal(.invalidParameter) }
    guard let object = SecureObjectType(rawValue: type) else { throw Refusal(.unsupportedType) }
    selected = object
    var state = progress()
    if progressBytes.isEmpty == false, !faults.at(.select).isEmpty { state[4] ^= 0xFF }
    let limit = object == .command ? settings.commandLimit : settings.objectLimit
    return succeed(SecureOpCode.select.rawValue, LittleEndian.bytes(UInt32(clamping: limit)) + state, &faults)
  }

  private var progressBytes: [UInt8] { selected == .command ? command : image }

  /// Offset and CRC-32, cumulative from byte 0.
  private func progress() -> [UInt8] {
    let bytes = progressBytes
    return LittleEndian.bytes(UInt32(clamping: bytes.count)) + LittleEndian.bytes(Checksums.crc32(bytes))
  }

  // MARK: Objects

  private mutating func create(_ type: UInt8, _ size: Int, _ faults: inout FaultScript) throws(Refusal) -> [DFUAction] {
    sinceReceipt = 0
    let code = SecureOpCode.create.rawValue
    switch SecureObjectType(rawValue: type) {
    case .command:
      guard size > 0 else { throw Refusal(.invalidParameter) }
      guard size <= settings.commandLimit else { throw Refusal(.insufficientResources) }
      // A new command object wipes all progress (§3.5).
      wipe()
      (selected, commandSize) = (.command, size)
      return succeed(code, [], &faults)
    case .data:
      try check(object: size)
      (selected, objectSize) = (.data, size)
      image.removeLast(image.count - executed)
      objects += 1
      spoilsNext = !faults.at(.object).isEmpty
      let slow = faults.at(.erase).reduce(Duration.zero) { $0 + $1.duration }
      // The erase of a page runs beside the answer, unless the script makes it slow.
      let answer = succeed(code, [], &faults)
      return slow > .zero ? answer.map { if case .notify(let bytes) = $0 { .wake(slow, .late(bytes)) } else { $0 } } : answer
    case nil: throw Refusal(.unsupportedType)
    }
  }

  private func check(object size: Int) throws(Refusal) {
    guard let accepted else { throw Refusal(.operationNotPermitted) }
    guard size > 0 else { throw Refusal(.invalidParameter) }
    guard size <= settings.objectLimit else { throw Refusal(.insufficientResources) }
    guard executed + size <= accepted.size else { throw Refusal(.operationNotPermitted) }
    guard size % settings.objectLimit == 0 || executed + size == accepted.size else { throw Refusal(.invalidParameter) }
  }

  mutating func packet(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    switch selected {
    case .command: command += value.prefix(max(0, commandSize - command.count))
    case .data:
      var value = value
      for fault in faults.at(.data, FaultScript.Event(reached: image.count + value.count)) {
        switch fault.do {
        case .dropLink: return [.dropLink(.lost)]
        case .closeLink: return [.dropLink(.closed)]
        case .reboot: return [.powerCut(.zero)]
        case .powerCut: return [.powerCut(fault.duration)]
        case .failData: spoilsNext = true
        default: break
        }
      }
      if spoilsNext, !value.isEmpty {
        value[0] ^= 0xFF
        spoilsNext = false
      }
      let taken = value.prefix(max(0, executed + objectSize - image.count))
      image += taken
      bytesReceived += taken.count
    case nil: return []
    }
    guard interval > 0 else { return [] }
    sinceReceipt += 1
    guard sinceReceipt == interval else { return [] }
    sinceReceipt = 0
    return receipt(&faults)
  }

  private mutating func receipt(_ faults: inout FaultScript) -> [DFUAction] {
    var state = progress()
    var delay: Duration?
    for fault in faults.at(.receipt, FaultScript.Event(reached: image.count)) {
      switch fault.do {
      case .loseReceipt: return []
      case .wrongReceipt: state = LittleEndian.bytes(UInt32(clamping: max(0, progressBytes.count - 20))) + state.suffix(4)
      case .delayReceipt: delay = fault.duration
      default: break
      }
    }
    let bytes = [SecureOpCode.response.rawValue, SecureOpCode.checksum.rawValue, SecureResult.success.rawValue] + state
    return delay.map { [.wake($0, .late(bytes))] } ?? [.notify(bytes)]
  }

  // MARK: Execute

  private mutating func execute(_ faults: inout FaultScript) throws(Refusal) -> [DFUAction] {
    let code = SecureOpCode.execute.rawValue
    if selected == .command {
      guard !command.isEmpty, command.count == commandSize else { throw Refusal(.operationNotPermitted) }
      accepted = try checkedInit(&faults)
      return succeed(code, [], &faults)
    }
    guard selected == .data, let accepted else { throw Refusal(.operationNotPermitted) }
    guard objectSize > 0 else {
      if settings.refusesSecondExecute { throw Refusal(.operationNotPermitted) }
      return succeed(code, [], &faults)
    }
    guard image.count == executed + objectSize else { throw Refusal(.operationNotPermitted) }
    (executed, objectSize) = (image.count, 0)
    guard executed == accepted.size else { return succeed(code, [], &faults) }
    let digest = ImageDigest.sha256.digest(image[...]).reversed()
    guard faults.at(.validate).isEmpty, Array(digest) == accepted.hash else {
      wipe()
      throw Refusal(.verificationFailed)
    }
    isComplete = true
    return succeed(code, [], &faults) + [.wake(settings.leave, .leave)]
  }

  /// The bootloader's checks in their order, each with the extended error that it gives (§3.3).
  private func checkedInit(_ faults: inout FaultScript) throws(Refusal) -> SecureInit {
    if let fault = faults.at(.initPacket).first {
      throw Refusal(SecureExtendedError(rawValue: UInt8(clamping: fault.code ?? 7)) ?? .invalidErrorCode)
    }
    guard let packet = SecureInit(command) else { throw Refusal(.invalidObject) }
    if settings.requiresSignature {
      guard packet.isSigned else { throw Refusal(.signatureMissing) }
      guard packet.signatureType == 0 else { throw Refusal(.wrongSignatureType) }
    }
    guard let part = packet.part, let hardware = packet.hardwareVersion, !packet.hash.isEmpty, packet.size > 0 else { throw Refusal(.initCommandInvalid) }
    guard packet.hashType == SecureInit.sha256 else { throw Refusal(.wrongHashType) }
    guard hardware == settings.hardwareVersion else { throw Refusal(.hardwareVersionMismatch) }
    guard packet.softDevices.contains(UInt64(softDevice)) || packet.softDevices.contains(0xFFFE) else { throw Refusal(.softDeviceMismatch) }
    if part != .softDevice {
      guard let version = packet.firmwareVersion else { throw Refusal(.initCommandInvalid) }
      // An application may not be older, a bootloader must be newer.
      guard part == .application ? version >= firmwareVersion : version > bootloaderNumber else { throw Refusal(.firmwareVersionTooLow) }
    }
    guard packet.size <= Int(settings.flash) else { throw Refusal(.insufficientSpace) }
    return packet
  }

  // MARK: Answers

  private mutating func succeed(_ code: UInt8, _ more: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    leave([SecureOpCode.response.rawValue, code, SecureResult.success.rawValue] + more, code, &faults)
  }

  private mutating func refuse(_ code: UInt8, _ result: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    let bytes = [SecureOpCode.response.rawValue, code] + result
    if errors.count < DFUSettings.keptErrors { errors.append(Hexadecimal.text(bytes)) }
    return leave(bytes, code, &faults)
  }

  private func leave(_ bytes: [UInt8], _ code: UInt8, _ faults: inout FaultScript) -> [DFUAction] {
    let stray = [SecureOpCode.response.rawValue, SecureOpCode.checksum.rawValue, SecureResult.success.rawValue] + progress()
    return DFUAnswer.leave(bytes, code, stray: stray, &faults)
  }

  mutating func alarm(_ alarm: DFUAlarm) -> [DFUAction] {
    switch alarm {
    case .late(let bytes): [.notify(bytes)]
    case .leave: [leaving()]
    case .erased, .drained, .written, .inactive: []
    }
  }

  private func leaving() -> DFUAction {
    guard isComplete, let accepted, let part = accepted.part else { return .reset }
    return .apply(DFUUpdate(part: part, image: image, firmwareVersion: accepted.firmwareVersion))
  }
}
