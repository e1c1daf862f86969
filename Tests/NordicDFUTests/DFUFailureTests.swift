import Testing

@testable import NordicDFU

/// What follows a failure (nordic-dfu.md §2.9, §10.1), and what an operator is told.
struct DFUFailureTests {
  @Test(
    "Each Legacy answer has its consequence",
    arguments: [
      (LegacyOpCode.start, 2, DFURecovery.again), (.start, 3, .package), (.start, 4, .package), (.start, 5, .gentler), (.start, 6, .gentler),
      (.initPacket, 2, .gentler), (.initPacket, 3, .package), (.initPacket, 4, .package), (.initPacket, 5, .package), (.initPacket, 6, .package),
      (.initPacket, 77, .gentler), (.receiveImage, 2, .gentler), (.receiveImage, 3, .package), (.receiveImage, 4, .gentler), (.receiveImage, 6, .gentler),
      (.validate, 2, .gentler), (.validate, 5, .verify), (.validate, 6, .verify), (.validate, 0, .verify), (.activateAndReset, 2, .gentler),
      (.receiptRequest, 3, .gentler), (.start, 0, .gentler),
    ] as [(LegacyOpCode, UInt8, DFURecovery)])
  func legacy(op: LegacyOpCode, status: UInt8, recovery: DFURecovery) {
    #expect(DFUFailure.legacyRefused(op, status: status).recovery == recovery)
  }

  @Test(
    "Everything else",
    arguments: [
      (DFUFailure.partInvalid(.imageEmpty), DFURecovery.package), (.initPacketRefused(length: 14), .package), (.bytesLost(expected: 2, received: 1), .gentler),
      (.checksumWrong(.image, end: 4096), .gentler), (.objectSizeUnusable(0), .never), (.answerTooShort(.select), .again),
      (.silent(.erase, offset: 0), .gentler),
      (.linkLost(offset: 0), .gentler), (.writeRefused(1), .again), (.noBootloader, .again), (.stillApplication, .again), (.cancelled, .never),
    ])
  func others(failure: DFUFailure, recovery: DFURecovery) {
    #expect(failure.recovery == recovery)
  }

  @Test("Receipts of the next try: fewer after trouble on the way, at least one, on when they were off", arguments: [(10, 5), (5, 2), (1, 1), (0, 12)])
  func intervals(interval: Int, next: Int) {
    #expect(DFUFailure.linkLost(offset: 0).receiptInterval(after: interval) == next)
    #expect(DFUFailure.legacyRefused(.start, status: 2).receiptInterval(after: interval) == interval)
    #expect(DFUFailure.legacyRefused(.validate, status: 5).receiptInterval(after: interval) == interval)
  }

  @Test("Tries are counted by reason")
  func tries() {
    let trouble = DFUFailure.linkLost(offset: 9)
    let stale = DFUFailure.legacyRefused(.start, status: 2)
    let wrong = DFUFailure.legacyRefused(.validate, status: 5)
    var tries = DFUTries()
    #expect(tries.allows(stale) == true)
    #expect(tries.allows(stale) == false, "once, when nothing happened in between")
    #expect(tries.allows(trouble) == true)
    #expect(tries.allows(stale) == true, "each lost link leaves a stale state")
    #expect(tries.allows(stale) == false)
    #expect(tries.allows(trouble) == true)
    #expect(tries.allows(trouble) == true)
    #expect(tries.allows(trouble) == false)
    #expect(tries.allows(wrong) == true)
    #expect(tries.allows(wrong) == false)
    #expect(tries.allows(.initPacketRefused(length: 14)) == false)
    #expect(tries.allows(.cancelled) == false)
    #expect(tries.restarts == 6)
  }

  @Test("A part that the board has already, or a newer one")
  func present() {
    #expect(DFUFailure.secureRefused(.execute, .command, .extended(.firmwareVersionTooLow)).suggestsPartIsPresent)
    #expect(DFUFailure.secureRefused(.execute, .command, .extended(.firmwareAlreadyPresent)).suggestsPartIsPresent)
    #expect(!DFUFailure.secureRefused(.execute, .command, .extended(.softDeviceMismatch)).suggestsPartIsPresent)
    #expect(!DFUFailure.initPacketRefused(length: 14).suggestsPartIsPresent)
  }

  private static var all: [DFUFailure] {
    let legacy = LegacyOpCode.allCases.flatMap { op in (0...7).map { DFUFailure.legacyRefused(op, status: $0) } }
    let refusals =
      SecureResult.allCases.map(SecureRefusal.result) + SecureExtendedError.allCases.map(SecureRefusal.extended)
      + [.unknown(99), .unknownExtended(99), .unknownExtended(nil)]
    let secure = SecureOpCode.allCases.flatMap { op in
      SecureObjectType.allCases.flatMap { type in refusals.map { DFUFailure.secureRefused(op, type, $0) } }
    }
    let complaints: [PartComplaint] = [
      .imageEmpty, .imageNotWords(length: 3), .imageTooLong(length: 9, limit: 8), .sizesWrong, .initPacketMissing, .initPacketTooShort(length: 2),
      .initPacketTooLong(length: 200, limit: 128), .initPacketTooNew(length: 14),
    ]
    let plain: [DFUFailure] = [
      .initPacketRefused(length: 14), .initPacketRefused(length: 139), .bytesLost(expected: 200, received: 160), .checksumWrong(.initPacket, end: 9),
      .checksumWrong(.image, end: 4096), .objectSizeUnusable(1), .answerTooShort(.select), .linkLost(offset: 0), .linkLost(offset: 9), .writeRefused(1),
      .noBootloader, .stillApplication, .cancelled,
    ]
    return legacy + secure + complaints.map(DFUFailure.partInvalid) + plain + (0...8).map { .entryRefused(status: $0) }
      + DFUWait.allCases.flatMap { [.silent($0, offset: 0), .silent($0, offset: 400)] }
  }

  @Test("Every failure is one sentence without Swift in it")
  func sentences() {
    for failure in Self.all {
      let text = failure.description
      #expect(text.count > 15 && text.count < 200)
      #expect(!text.contains("(rawValue") && !text.contains("Optional") && !text.contains("nil") && !text.contains("\n"))
      #expect(text.first?.isLowercase == true && text.last?.isPunctuation == (text.last == ")"))
    }
  }

  @Test(
    "Words that operators meet",
    arguments: [
      (DFUFailure.initPacketRefused(length: 14), "the bootloader refused the init packet: the firmware is for another board, hardware revision or SoftDevice"),
      (
        .initPacketRefused(length: 139),
        "the bootloader refused the init packet: the firmware is for another board, hardware revision or SoftDevice, or for a Secure bootloader (139 bytes)"
      ),
      (.legacyRefused(.receiveImage, status: 6), "the bootloader's buffers overflowed: fewer packets between receipts help"),
      (
        .secureRefused(.execute, .command, .extended(.softDeviceMismatch)),
        "the bootloader refused the init packet: the firmware needs another SoftDevice than the board has"
      ),
      (.silent(.receipt, offset: 400), "the board was silent in the middle of the image, at byte 400"),
      (.silent(.erase, offset: 0), "the board was silent while it should erase its flash"),
      (.linkLost(offset: 0), "the link was lost before the image was sent"),
      (.entryRefused(status: 7), "the application did not start its bootloader: the board is not bonded to this station"),
    ])
  func words(failure: DFUFailure, text: String) {
    #expect(failure.description == text)
  }

  @Test("Every wait has a limit, and the erase at least a minute")
  func limits() {
    let limits = DFULimits()
    for wait in DFUWait.allCases { #expect(limits[wait] > .zero && limits[wait] <= .seconds(60)) }
    #expect(limits[.erase] >= .seconds(60))
    #expect(limits[.receipt] == .seconds(10))
    #expect(limits[.complete] == .seconds(60))
    #expect(limits[.validate] == .seconds(30))
    #expect(limits[.handoff] == .seconds(5))
  }
}
