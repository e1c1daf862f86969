import Testing

@testable import NordicDFU

/// The Secure faults of nordic-dfu.md §9.4, and the answers of §3.3.
struct SecureFaultTests {
  private typealias Kit = SecureResumeTests

  @Test("One wrong checksum: the object is sent again with a receipt a packet, the others as before", arguments: [0, 12])
  func checksumOnce(interval: Int) {
    var performer = Kit.performer([.checksumWrong(object: 1, times: 1)], interval: interval)
    performer.run()
    let receipts = interval == 0 ? [] : ["W 02 0C 00"]
    let restored = interval == 0 ? "W 02 00 00" : "W 02 0C 00"
    #expect(
      performer.controls == ["W 06 01", "W 02 00 00", "W 01 01 64 00 00 00", "W 03", "W 04"] + receipts + [
        "W 06 02", "W 01 02 00 10 00 00", "W 03", "W 04", "W 01 02 00 10 00 00", "W 03", "W 02 01 00", "W 01 02 00 10 00 00", "W 03", "W 04", restored,
        "W 01 02 10 07 00 00", "W 03", "W 04",
      ])
    #expect(performer.end == .finished)
    #expect(performer.transfer.acknowledged == Kit.length)
  }

  @Test("Two wrong objects: from then on each packet is counted")
  func strained() {
    var performer = Kit.performer([.checksumWrong(object: 0, times: 1), .checksumWrong(object: 1, times: 1)], interval: 12)
    performer.run()
    #expect(performer.controls.filter { $0.hasPrefix("W 02") } == ["W 02 00 00", "W 02 0C 00", "W 02 01 00", "W 02 0C 00", "W 02 01 00"])
    #expect(performer.end == .finished)
  }

  @Test("An object is sent three times in all", arguments: [(2, true), (3, false), (100, false)])
  func tries(times: Int, isGood: Bool) {
    var performer = Kit.performer([.checksumWrong(object: 1, times: times)])
    performer.run()
    #expect(performer.end == (isGood ? .finished : .restart(.checksumWrong(.image, end: 8192))))
    #expect(performer.controls.filter { $0.hasPrefix("W 01 02 00 10") }.count == 1 + 3)
  }

  @Test("The init packet, too")
  func commandChecksum() {
    var performer = Kit.performer([.checksumWrong(object: -1, times: 1)])
    performer.run()
    #expect(performer.controls.filter { $0 == "W 01 01 64 00 00 00" }.count == 2)
    #expect(performer.end == .finished)
    var never = Kit.performer([.checksumWrong(object: -1, times: 9)])
    never.run()
    #expect(never.end == .restart(.checksumWrong(.initPacket, end: 100)))
  }

  @Test(
    "A lost packet, or a receipt that never comes, costs one object",
    arguments: [.packetLost(object: 1), .receiptMissing(1), .receiptMissing(2)] as [FakeSecureBoard.Fault], [false, true])
  func losses(fault: FakeSecureBoard.Fault, notificationsFirst: Bool) {
    var performer = Kit.performer([fault], interval: 8)
    performer.notificationsFirst = notificationsFirst
    performer.run()
    #expect(performer.controls.filter { $0 == "W 02 01 00" }.count == 1)
    #expect(performer.end == .finished)
    #expect(performer.board.isActivated)
  }

  @Test("Checksums that nobody asked for change nothing", arguments: [0, 5, 17], [false, true])
  func strayChecksums(interval: Int, notificationsFirst: Bool) {
    var performer = Kit.performer([.strayChecksums], interval: interval)
    performer.notificationsFirst = notificationsFirst
    performer.run()
    #expect(performer.end == .finished)
    #expect(performer.controls.filter { $0.hasPrefix("W 01") }.count == 4)
  }

  @Test(
    "The link's end",
    arguments: [(FakeSecureBoard.Fault.drop(packet: 1), Int?.some(0)), (.drop(packet: 2), 0), (.drop(packet: 20), 4096), (.dropsAtEnd, nil), (.staysUp, nil)])
  func drops(fault: FakeSecureBoard.Fault, offset: Int?) {
    var performer = Kit.performer([fault], interval: 12)
    performer.run()
    #expect(performer.end == (offset.map { .restart(.linkLost(offset: $0)) } ?? .finished))
    #expect(!performer.controls.contains("W 0C"), "what the board has is kept")
  }

  /// Every result and extended error on each request that can be refused.
  @Test("Each refusal is named, and tried again or not")
  func refusals() {
    let results = SecureResult.allCases.filter { $0 != .success && $0 != .extendedError }.map { ([$0.rawValue], SecureRefusal.result($0)) }
    let extended = SecureExtendedError.allCases.map { ([0x0B, $0.rawValue], SecureRefusal.extended($0)) }
    let unknown: [([UInt8], SecureRefusal)] = [
      ([0x0B], .unknownExtended(nil)), ([0x0B, 0x0F], .unknownExtended(0x0F)), ([0x09], .unknown(0x09)), ([0xFF], .unknown(0xFF)),
    ]
    let requests: [(SecureOpCode, SecureObjectType)] = [
      (.select, .command), (.create, .command), (.checksum, .command), (.execute, .command), (.select, .data), (.create, .data), (.checksum, .data),
      (.execute, .data),
    ]
    for (op, type) in requests {
      for (bytes, refusal) in results + extended + unknown {
        var performer = Kit.performer([.refuses(op, type, bytes)])
        performer.run()
        let failure = DFUFailure.secureRefused(op, type, refusal)
        #expect(failure.recovery == refusal.recovery)
        if refusal.recovery.isRetry {
          #expect(performer.end == .restart(failure))
          #expect(SecureSettings(mtu: 247).next(after: failure).receiptInterval == (refusal.recovery == .gentler ? 12 : 0))
          #expect(!performer.controls.contains("W 0C"))
        } else {
          #expect(performer.end == .failed(failure))
          #expect(performer.controls.last == "W 0C", "the board may go back to its application")
        }
      }
    }
  }

  @Test(
    "Which errors are final (§3.3, §10.1)",
    arguments: [
      ([0x00], DFURecovery.never), ([0x02], .never), ([0x03], .package), ([0x04], .package), ([0x05], .package), ([0x06], .package), ([0x07], .never),
      ([0x08], .gentler), ([0x0A], .gentler), ([0x0B, 0x00], .gentler), ([0x0B, 0x01], .gentler), ([0x0B, 0x02], .package), ([0x0B, 0x03], .package),
      ([0x0B, 0x04], .package), ([0x0B, 0x05], .package), ([0x0B, 0x06], .package), ([0x0B, 0x07], .package), ([0x0B, 0x08], .package),
      ([0x0B, 0x09], .package), ([0x0B, 0x0A], .verify), ([0x0B, 0x0B], .package), ([0x0B, 0x0C], .verify), ([0x0B, 0x0D], .package), ([0x0B, 0x0E], .package),
    ] as [([UInt8], DFURecovery)])
  func recoveries(answer: [UInt8], recovery: DFURecovery) {
    #expect(SecureRefusal(result: answer[0], payload: answer.dropFirst())?.recovery == recovery)
  }

  @Test(
    "Silence after each request",
    arguments: [
      (SecureOpCode.select, SecureObjectType.command, DFUWait.answer), (.create, .command, .erase), (.execute, .command, .initPacket),
      (.select, .data, .answer), (.create, .data, .erase), (.checksum, .data, .answer), (.execute, .data, .complete),
    ])
  func silences(op: SecureOpCode, type: SecureObjectType, wait: DFUWait) {
    var performer = Kit.performer([.silent(op, type)])
    performer.run()
    guard case .restart(.silent(let silent, _)) = performer.end else {
      Issue.record("\(String(describing: performer.end))")
      return
    }
    #expect(silent == wait)
  }

  @Test(
    "An answer without its numbers", arguments: [(SecureOpCode.select, SecureObjectType.command), (.select, .data), (.checksum, .command), (.checksum, .data)])
  func short(op: SecureOpCode, type: SecureObjectType) {
    var performer = Kit.performer([.short(op, type)])
    performer.run()
    #expect(performer.end == .restart(.answerTooShort(op)))
  }

  @Test("The board's sizes are bounds, not orders", arguments: [(0, false), (255, false), (1024, true), (65_536, true), (0xFFFF_FFFF, true)])
  func objectSizes(largest: Int, isGood: Bool) {
    var performer = Kit.performer { $0.largestData = largest }
    performer.run()
    #expect(performer.end == (isGood ? .finished : .failed(.objectSizeUnusable(largest))))
    if largest == 1024 { #expect(performer.controls.filter { $0.hasPrefix("W 01 02") }.count == 10) }
    var small = Kit.performer { $0.largestCommand = 99 }
    small.run()
    #expect(small.end == .failed(.partInvalid(.initPacketTooLong(length: 100, limit: 99))))
  }

  @Test(
    "What cannot work is said before anything is written",
    arguments: [(0, 100, PartComplaint.imageEmpty), (6, 100, .imageNotWords(length: 6)), (8, 0, .initPacketMissing)])
  func complaints(length: Int, commandLength: Int, complaint: PartComplaint) {
    var transfer = SecureTransfer(SecurePart(initPacket: synthetic(commandLength), image: synthetic(length)), settings: SecureSettings(mtu: 23))
    #expect(transfer.start() == [.failed(.partInvalid(complaint))])
    #expect(transfer.start() == [])
  }

  @Test(
    "Stopped: the board is asked to leave its bootloader; one that cannot is only disconnected",
    arguments: [[], [.abortUnknown]] as [Set<FakeSecureBoard.Fault>])
  func cancel(faults: Set<FakeSecureBoard.Fault>) {
    var transfer = SecureTransfer(SecurePart(initPacket: synthetic(100), image: synthetic(64)), settings: SecureSettings(mtu: 23))
    #expect(transfer.start() == [.writeControl([6, 1]), .expect(.write, within: .seconds(10))])
    #expect(transfer.cancel() == [.expect(.write, within: .seconds(10))])
    #expect(transfer.controlWritten() == [.writeControl([0x0C]), .expect(.reset, within: .seconds(5))])
    #expect(transfer.controlWritten() == [])
    #expect(transfer.received([0x60, 6, 1]) == [])
    #expect(transfer.received([0x60, 0x0C, 1]) == [])
    if faults.isEmpty {
      #expect(transfer.linkLost() == [.failed(.cancelled)])
    } else {
      #expect(transfer.received([0x60, 0x0C, 2]) == [.failed(.cancelled)])
    }
    #expect(transfer.silent() == [])
  }

  @Test("A request that the board does not accept")
  func writeRefused() {
    var transfer = SecureTransfer(SecurePart(initPacket: synthetic(100), image: synthetic(64)), settings: SecureSettings(mtu: 23))
    _ = transfer.start()
    #expect(transfer.controlFailed() == [.restart(.writeRefused(6))])
  }

  @Test("What the board found wrong as a whole is not kept for the next try")
  func nextSettings() {
    let wrong = DFUFailure.secureRefused(.execute, .data, .extended(.verificationFailed))
    let settings = SecureSettings(mtu: 247, receiptInterval: 8)
    #expect(settings.next(after: wrong).resumes == false)
    #expect(settings.next(after: wrong).receiptInterval == 8)
    #expect(settings.next(after: .linkLost(offset: 9)).resumes)
    #expect(settings.next(after: .linkLost(offset: 9)).receiptInterval == 4)
    #expect(settings.next(after: .linkLost(offset: 9)).packetSize == 244)
    #expect(LegacySettings(receiptInterval: 8).next(after: .linkLost(offset: 9)).receiptInterval == 4)
  }
}
