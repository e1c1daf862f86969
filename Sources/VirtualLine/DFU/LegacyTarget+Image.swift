import NordicDFU

/// From the sizes to the reset (nordic-dfu.md §2.5, §2.6).
extension LegacyTarget {
  mutating func packet(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    guard value.count <= Self.packetLimit else { return answer(.receiveImage, .operationFailed, &faults) }
    switch meaning {
    case .nothing: return []
    case .start:
      meaning = .nothing
      return start(value, &faults)
    case .initPacket: return addInit(value, &faults)
    case .data: return addData(value, &faults)
    }
  }

  mutating func alarm(_ alarm: DFUAlarm, _ faults: inout FaultScript) -> [DFUAction] {
    switch alarm {
    case .erased:
      guard state == .preparing else { return [] }
      state = .ready
      return answer(.start, .success, &faults)
    case .drained:
      pool = max(0, pool - 1)
      return []
    case .written: return answer(.receiveImage, .success, &faults)
    case .leave: return [leaving()]
    case .late(let bytes): return [.notify(bytes)]
    case .inactive: return []
    }
  }

  // MARK: Start and erase

  private mutating func start(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    guard value.count == (settings.oldStart ? 4 : 12) else { return answer(.start, .notSupported, &faults) }
    let numbers = stride(from: 0, to: value.count, by: 4).compactMap { LittleEndian.read(value, at: $0, 4) }
    let sizes = settings.oldStart ? [0, 0] + numbers : numbers
    var status = check(sizes)
    for fault in faults.at(.start) where fault.do == .refuseStart { status = UInt8(clamping: fault.code ?? Int(LegacyStatus.invalidState.rawValue)) }
    guard status == LegacyStatus.success.rawValue, let part = DFUPart(rawValue: type) else {
      return answer(LegacyOpCode.start.rawValue, status, &faults)
    }
    self.part = part
    size = sizes.reduce(0) { $0 + Int($1) }
    (state, image, initBytes, checksum) = (.preparing, [], [], nil)
    let region = settings.isDualBank && !part.hasSoftDevice ? Int(settings.flash) / 2 : size
    let pages = (region + Int(Self.page) - 1) / Int(Self.page)
    let slow = faults.at(.erase).reduce(Duration.zero) { $0 + $1.duration }
    let erase = DFUAction.wake(settings.pageErase * pages + slow, .erased)
    // Two banks: only a SoftDevice costs the running application; one bank: everything does.
    return settings.isDualBank && !part.hasSoftDevice ? [erase] : [.applicationErased, erase]
  }

  /// The bootloader's own order of checks. The sizes are not compared with the type byte.
  private func check(_ sizes: [UInt32]) -> UInt8 {
    let status: LegacyStatus
    let total = sizes.reduce(UInt64(0)) { $0 + UInt64($1) }
    let full = DFUPart(rawValue: type)?.hasSoftDevice ?? false || !settings.isDualBank
    if DFUPart(rawValue: type) == nil || sizes.contains(where: { $0 % 4 != 0 }) {
      status = .notSupported
    } else if sizes[1] > Self.bootloaderRegion || total > UInt64(full ? settings.flash : settings.flash / 2) {
      status = .sizeExceedsLimit
    } else {
      status = state == .idle ? .success : .invalidState
    }
    return status.rawValue
  }

  // MARK: Init packet

  private mutating func addInit(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    guard state == .ready || state == .receivingInit else { return answer(.initPacket, .invalidState, &faults) }
    state = .receivingInit
    let padded = value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    guard initBytes.count + padded.count <= Self.initLimit else { return answer(.initPacket, .operationFailed, &faults) }
    initBytes += padded
    guard settings.oldStart else { return [] }
    checksum = LittleEndian.read(initBytes, at: 0, 2).map { UInt16($0) }
    state = .receivingData
    return answer(.initPacket, .success, &faults)
  }

  mutating func finishInit(_ faults: inout FaultScript) -> [DFUAction] {
    guard state == .receivingInit else { return answer(.initPacket, .invalidState, &faults) }
    let scripted = faults.at(.initPacket).first { $0.do == .refuseInit }
    guard scripted == nil, let checksum = checkedInit() else {
      // The only way to drop a half-sent init packet.
      initBytes = []
      return answer(LegacyOpCode.initPacket.rawValue, UInt8(clamping: scripted?.code ?? 6), &faults)
    }
    self.checksum = checksum
    state = .receivingData
    return answer(.initPacket, .success, &faults)
  }

  /// Device type, revision and SoftDevice list; what follows is the CRC template's (§2.6). Nil: not for this board.
  private func checkedInit() -> UInt16? {
    guard let type = LittleEndian.read(initBytes, at: 0, 2), let revision = LittleEndian.read(initBytes, at: 2, 2),
      let count = LittleEndian.read(initBytes, at: 8, 2)
    else { return nil }
    let any: UInt32 = 0xFFFF
    for (mine, asked) in [(UInt32(deviceType), type), (UInt32(deviceRevision), revision)] where mine != asked && mine != any && asked != any {
      return nil
    }
    var accepted = false
    for index in 0..<Int(count) {
      guard let softDevice = LittleEndian.read(initBytes, at: 10 + 2 * index, 2) else { return nil }
      if softDevice == 0xFFFE || softDevice == UInt32(self.softDevice) { accepted = true }
    }
    guard accepted else { return nil }
    return LittleEndian.read(initBytes, at: 10 + 2 * Int(count), 2).map { UInt16($0) }
  }

  // MARK: Data

  private mutating func addData(_ value: [UInt8], _ faults: inout FaultScript) -> [DFUAction] {
    for fault in faults.at(.data, FaultScript.Event(reached: image.count + value.count)) {
      switch fault.do {
      case .dropLink: return [.dropLink(.lost)]
      case .closeLink: return [.dropLink(.closed)]
      case .reboot: return [.powerCut(.zero)]
      case .powerCut: return [.powerCut(fault.duration)]
      case .loseState: state = .ready
      case .failData:
        state = .dead
        return answer(LegacyOpCode.receiveImage.rawValue, UInt8(clamping: fault.code ?? 6), &faults)
      default: break
      }
    }
    // Once for every packet: a client must act on the first one only.
    guard state == .receivingData else { return answer(.receiveImage, .invalidState, &faults) }
    guard value.count % 4 == 0 else { return fail(.notSupported, &faults) }
    guard pool < settings.receiveBuffers + Self.radioBuffers else { return fail(.operationFailed, &faults) }
    guard !poisoned, image.count + value.count <= size else {
      poisoned = true
      return answer(.receiveImage, .sizeExceedsLimit, &faults)
    }
    image += value
    stored(value.count)
    pool += 1
    let drain = DFUAction.wake(settings.drain, .drained)
    // No receipt for the packet that completes the image, only `10 03 01` when all is in flash.
    guard image.count < size else { return [drain, .wake(settings.drain * pool, .written)] }
    guard interval > 0 else { return [drain] }
    sinceReceipt += 1
    return sinceReceipt == interval ? [drain] + receipt(&faults) : [drain]
  }

  private mutating func fail(_ status: LegacyStatus, _ faults: inout FaultScript) -> [DFUAction] {
    state = .dead
    return answer(.receiveImage, status, &faults)
  }

  // MARK: The end

  mutating func validate(_ faults: inout FaultScript) -> [DFUAction] {
    guard state == .receivingData, image.count == size else { return answer(.validate, .invalidState, &faults) }
    let spoilt = faults.at(.validate).contains { $0.do == .checksumError }
    // An old Start may come without any init packet, and so without a checksum.
    let fits = checksum.map { $0 == Checksums.crc16(image) } ?? settings.oldStart
    guard fits, !spoilt else { return answer(.validate, .checksumError, &faults) }
    state = .validated
    return answer(.validate, .success, &faults)
  }

  /// No notification: the link drops, and the response may go with it.
  mutating func activate(_ faults: inout FaultScript) -> [DFUAction] {
    let hurries = !faults.at(.leave).isEmpty
    return hurries ? [leaving()] : [.respond(nil), .wake(settings.leave, .leave)]
  }

  private func leaving() -> DFUAction {
    state == .validated ? .apply(DFUUpdate(part: part, image: image, firmwareVersion: nil)) : .reset
  }
}
