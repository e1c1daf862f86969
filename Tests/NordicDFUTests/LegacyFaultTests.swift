import Testing

@testable import NordicDFU

/// The fault list of nordic-dfu.md §9.4, as far as it concerns one connection, and the client rules of §2.9.
struct LegacyFaultTests {
  static let initPacket = bytes("06 00 01 00 FF FF FF FF 01 00 88 00 4D 61")

  private func performer(
    _ faults: Set<FakeLegacyBoard.Fault>, length: Int = 1000, version: DFUVersion? = .latest, initPacket: [UInt8] = initPacket, interval: Int = 10
  ) throws -> Performer<LegacyTransfer, FakeLegacyBoard> {
    let part = try #require(LegacyPart(single: .application, initPacket: initPacket, image: synthetic(length)))
    return Performer(LegacyTransfer(part, version: version, settings: LegacySettings(receiptInterval: interval)), FakeLegacyBoard(faults))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var fault: FakeLegacyBoard.Fault
    var failure: DFUFailure
    /// Nil when another try is of no use.
    var nextInterval: Int?
    /// The last lines of the log.
    var tail: [String]
    var testDescription: String { "\(fault)" }
  }

  static let rows = [
    Row(
      fault: .startInvalid, failure: .legacyRefused(.start, status: 2), nextInterval: 10, tail: ["W 01 04", "N 10 01 02", "W 06"]),
    Row(fault: .startNotSupported, failure: .legacyRefused(.start, status: 3), tail: ["W 01 04", "N 10 01 03", "W 06"]),
    Row(fault: .startTooLarge, failure: .legacyRefused(.start, status: 4), tail: ["N 10 01 04", "W 06"]),
    Row(fault: .startSilent, failure: .silent(.erase, offset: 0), nextInterval: 5, tail: ["W 01 04", "silent erase", "W 06"]),
    Row(fault: .initRejected, failure: .initPacketRefused(length: 14), tail: ["W 02 01", "N 10 02 06", "W 06"]),
    Row(fault: .initWrongState, failure: .legacyRefused(.initPacket, status: 2), nextInterval: 5, tail: ["N 10 02 02", "W 06"]),
    Row(fault: .receiptMissing(2), failure: .silent(.receipt, offset: 200), nextInterval: 5, tail: ["W 03", "silent receipt", "W 06"]),
    Row(fault: .receiptWrong(2), failure: .bytesLost(expected: 400, received: 360), nextInterval: 5, tail: ["W 03", "W 06"]),
    Row(
      fault: .overflow(packet: 25), failure: .legacyRefused(.receiveImage, status: 6), nextInterval: 5,
      tail: ["N 10 03 06", "W 06"] + Array(repeating: "N 10 03 02", count: 5)),
    Row(
      fault: .flood(packet: 21), failure: .legacyRefused(.receiveImage, status: 2), nextInterval: 5, tail: ["W 06"] + Array(repeating: "N 10 03 02", count: 9)),
    Row(fault: .badLength(packet: 3), failure: .legacyRefused(.receiveImage, status: 3), tail: []),
    Row(fault: .tooMuch(packet: 3), failure: .legacyRefused(.receiveImage, status: 4), nextInterval: 5, tail: []),
    Row(fault: .drop(packet: 1), failure: .linkLost(offset: 0), nextInterval: 5, tail: ["W 03"]),
    Row(fault: .drop(packet: 25), failure: .linkLost(offset: 400), nextInterval: 5, tail: ["W 03"]),
    Row(fault: .drop(packet: 50), failure: .linkLost(offset: 800), nextInterval: 5, tail: ["W 03"]),
    Row(fault: .neverComplete, failure: .silent(.complete, offset: 800), nextInterval: 5, tail: ["W 03", "silent complete", "W 06"]),
    Row(fault: .checksumWrong, failure: .legacyRefused(.validate, status: 5), nextInterval: 10, tail: ["W 04", "N 10 04 05", "W 06"]),
    Row(fault: .validateSilent, failure: .silent(.validate, offset: 1000), nextInterval: 5, tail: ["W 04", "silent validate", "W 06"]),
    Row(fault: .activationRefused, failure: .legacyRefused(.activateAndReset, status: 2), nextInterval: 5, tail: ["W 05", "N 10 05 02", "W 06"]),
  ]

  @Test("What ends without an image", arguments: rows, [false, true])
  func faults(row: Row, notificationsFirst: Bool) throws {
    var performer = try performer([row.fault])
    performer.notificationsFirst = notificationsFirst
    performer.run()
    if let interval = row.nextInterval {
      #expect(performer.end == .restart(row.failure))
      #expect(LegacySettings(receiptInterval: 10).next(after: row.failure).receiptInterval == interval)
      #expect(row.failure.recovery.isRetry)
    } else {
      #expect(performer.end == .failed(row.failure))
    }
    #expect(!performer.controls.contains("W 05") || row.fault == .activationRefused)
    #expect(performer.log.filter { $0 == "W 06" }.count <= 1, "an error that comes again is answered once")
    if !notificationsFirst { #expect(performer.log.suffix(row.tail.count) == row.tail[...]) }
  }

  @Test(
    "What ends well nevertheless",
    arguments: [
      [.receiptTwice], [.lastReceipt], [.lastReceipt, .receiptTwice], [.activationUnanswered], [.staysUp], [],
    ] as [Set<FakeLegacyBoard.Fault>], [false, true])
  func harmless(faults: Set<FakeLegacyBoard.Fault>, notificationsFirst: Bool) throws {
    // 1000 bytes are exactly five rounds of ten packets.
    var performer = try performer(faults)
    performer.notificationsFirst = notificationsFirst
    performer.run()
    #expect(performer.end == .finished)
    #expect(performer.board.image == synthetic(1000))
    #expect(!performer.controls.contains("W 06"))
  }

  @Test("The interval halves down to 1", arguments: [(10, 5), (3, 1), (1, 1)])
  func halves(interval: Int, next: Int) throws {
    var performer = try performer([.overflow(packet: 2)], interval: interval)
    performer.run()
    guard case .restart(let failure) = performer.end else {
      Issue.record("\(String(describing: performer.end))")
      return
    }
    #expect(failure == .legacyRefused(.receiveImage, status: 6))
    #expect(LegacySettings(receiptInterval: interval).next(after: failure).receiptInterval == next)
  }

  @Test("A reset that is not answered ends by its own limit")
  func resetUnanswered() throws {
    var performer = try performer([.initRejected, .resetUnanswered])
    performer.run()
    #expect(performer.log.suffix(2) == ["W 06", "silent reset"])
    #expect(performer.end == .failed(.initPacketRefused(length: 14)))
  }

  // MARK: - Old bootloaders

  @Test("Without a version: a pause, the new start form, the checksum in the old form")
  func withoutVersion() throws {
    var performer = try performer([.shortCounter], length: 70_000, version: nil, initPacket: [0x4D, 0x61])
    performer.run()
    #expect(performer.log.first == "pause 1.0 seconds")
    #expect(performer.controls == ["W 01 04", "W 02", "W 08 0A 00", "W 03", "W 04", "W 05"])
    #expect(performer.packets[1] == [0x4D, 0x61])
    #expect(performer.receipts.last.map { hex($0.bytes) } == "11 A8 10 00 00", "69800 in 16 bits")
    #expect(performer.end == .finished)
  }

  @Test("With a version all 32 bits of a receipt count")
  func wholeCounter() throws {
    var performer = try performer([.shortCounter], length: 70_000)
    performer.run()
    #expect(performer.end == .restart(.bytesLost(expected: 65_600, received: 64)))
  }

  @Test(
    "The start that a board of SDK 4.3 refuses is made again in its own form, without a reset", arguments: [[0x4D, 0x61], []] as [[UInt8]], [false, true])
  func oldForm(initPacket: [UInt8], notificationsFirst: Bool) throws {
    var performer = try performer([.oldForm], length: 64, version: nil, initPacket: initPacket)
    performer.notificationsFirst = notificationsFirst
    performer.run()
    let checksum = initPacket.isEmpty ? [] : ["W 02", "N 10 02 01"]
    let expected = ["pause 1.0 seconds", "W 01 04", "N 10 01 03", "pause 1.0 seconds", "W 01", "N 10 01 01"] + checksum
    #expect(performer.log == expected + ["W 08 01 00", "W 03", "pause 2.0 seconds", "N 10 03 01", "W 04", "N 10 04 01", "W 05"])
    #expect(hex(performer.packets[1]) == "40 00 00 00")
    #expect(performer.receipts.count == 3)
    #expect(performer.end == .finished)
  }

  @Test("Status 3 is final with a version, and for anything but an application")
  func noOldForm() throws {
    var newer = try performer([.oldForm])
    newer.run()
    #expect(newer.end == .failed(.legacyRefused(.start, status: 3)))
    let part = try #require(LegacyPart(single: .bootloader, initPacket: [1, 2], image: synthetic(64)))
    var bootloader = Performer(LegacyTransfer(part, version: nil), FakeLegacyBoard([.oldForm]))
    bootloader.run()
    #expect(bootloader.end == .failed(.legacyRefused(.start, status: 3)))
  }

  // MARK: - Nothing written

  @Test(
    "What cannot work is said before anything is written",
    arguments: [
      (0, [UInt8](), DFUVersion?.some(.latest), PartComplaint.imageEmpty), (63, initPacket, .latest, .imageNotWords(length: 63)),
      (LegacyPart.longestImage + 4, initPacket, .latest, .imageTooLong(length: LegacyPart.longestImage + 4, limit: LegacyPart.longestImage)),
      (64, [], .latest, .initPacketMissing), (64, [1, 2], .latest, .initPacketTooShort(length: 2)),
      (64, synthetic(129), .latest, .initPacketTooLong(length: 129, limit: 128)), (64, initPacket, nil, .initPacketTooNew(length: 14)),
      (64, [1], nil, .initPacketTooShort(length: 1)),
    ])
  func complaints(length: Int, initPacket: [UInt8], version: DFUVersion?, complaint: PartComplaint) throws {
    var performer = try performer([], length: length, version: version, initPacket: initPacket)
    performer.run()
    #expect(performer.end == .failed(.partInvalid(complaint)))
    #expect(performer.log.isEmpty)
  }

  @Test(
    "Sizes must add up and belong to the type: the board does not look (§2.5)",
    arguments: [
      (DFUImageType.application, LegacyPart.Sizes(application: 60)), (.application, LegacyPart.Sizes(softDevice: 64)),
      (.application, LegacyPart.Sizes(softDevice: 32, application: 32)), (.softDeviceAndBootloader, LegacyPart.Sizes(softDevice: 64)),
      (.softDeviceAndBootloader, LegacyPart.Sizes(softDevice: 62, bootloader: 2)), (.bootloader, LegacyPart.Sizes(bootloader: -64, application: 128)),
      (.softDeviceAndBootloader, LegacyPart.Sizes(softDevice: .max, bootloader: .max)),
    ])
  func sizes(type: DFUImageType, sizes: LegacyPart.Sizes) {
    var transfer = LegacyTransfer(LegacyPart(type, sizes: sizes, initPacket: Self.initPacket, image: synthetic(64)), version: .latest)
    #expect(transfer.start() == [.failed(.partInvalid(.sizesWrong))])
  }

  @Test("An application is no bootloader: 0.1 gets no image")
  func applicationVersion() throws {
    var performer = try performer([], version: .buttonlessApplication)
    performer.run()
    #expect(performer.end == .restart(.stillApplication))
    #expect(performer.log.isEmpty)
  }
}
