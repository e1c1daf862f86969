import Testing

@testable import SMP

/// Refusals in both shapes, and the names of their numbers (smp.md §1.3, §1.5).
struct ResponseErrorTests {
  @Test("Golden refusals (smp.md §1.1, device-manager.md §9)")
  func golden() throws {
    #expect(throws: SMPAnswerError.refused(.group(SMPGroupError(group: .image, code: 20)))) {
      try ImageUploadRequest.response(in: SMPFrame(decoding: Golden.groupError))
    }
    #expect(throws: SMPAnswerError.refused(.status(.invalidValue))) { try ImageUploadRequest.response(in: SMPFrame(decoding: Golden.legacyError)) }
    #expect(throws: SMPAnswerError.refused(.status(.notSupported))) {
      try ParametersRequest.response(in: SMPFrame(decoding: Golden.parametersUnsupported))
    }
  }

  @Test(
    "Shapes of a refusal",
    arguments: [
      (CBORValue.map([]), SMPResponseError?.none), (.object(["rc": .unsigned(0)]), nil), (.object(["off": .unsigned(3), "rc": .unsigned(0)]), nil),
      (.object(["err": .object(["group": .unsigned(1), "rc": .unsigned(0)])]), nil), (.object(["rc": .unsigned(10)]), .status(.busy)),
      (.object(["rc": .unsigned(8), "rsn": .text("no handler")]), .status(.notSupported, reason: "no handler")),
      (.object(["rc": .unsigned(10), "off": .unsigned(512)]), .status(.busy)), (.object(["rc": .integer(-5)]), .status(.other(-5))),
      (.object(["rc": .unsigned(300)]), .status(.other(300))), (.object(["rc": .unsigned(14)]), .status(.other(14))),
      (.object(["err": .object(["group": .unsigned(1), "rc": .unsigned(9)])]), .group(SMPGroupError(.noFreeSlot))),
      (.object(["err": .object(["group": .unsigned(3), "rc": .unsigned(8)])]), .group(SMPGroupError(group: .settings, code: 8))),
      (.object(["err": .object(["group": .unsigned(9), "rc": .unsigned(2)]), "len": .unsigned(1)]), .group(SMPGroupError(group: .shell, code: 2))),
    ])
  func shapes(body: CBORValue, expected: SMPResponseError?) {
    #expect(SMPResponseError(body: body) == expected)
  }

  @Test("All documented numbers of rc have a name and go both ways")
  func statuses() {
    let names: [SMPStatus] = [
      .unknown, .noMemory, .invalidValue, .timeout, .noEntry, .badState, .messageTooLong, .notSupported, .corrupt, .busy, .accessDenied, .protocolTooOld,
      .protocolTooNew,
    ]
    for (index, name) in names.enumerated() {
      #expect(SMPStatus(code: index + 1) == name)
      #expect(name.code == index + 1)
    }
    #expect(SMPStatus(code: 14) == .other(14))
    #expect(SMPStatus(code: 256).code == 256)
    #expect(Set(names.map(\.sentence)).count == names.count)
  }

  @Test(
    "Each group has as many documented numbers as smp.md §1.5 lists, all with their own sentence",
    arguments: [
      (SMPGroup.os, 1...6), (.image, 1...34), (.statistics, 1...5), (.settings, 1...7), (.fileSystem, 1...16), (.shell, 1...3), (.enumeration, 1...4),
      (.zephyrBasic, 1...4), (.memfault, 1...2),
    ])
  func groups(group: SMPGroup, numbers: ClosedRange<Int>) {
    let errors = numbers.map { SMPGroupError(group: group, code: $0) }
    #expect(errors.allSatisfy { $0.documented != nil })
    #expect(Set(errors.map(\.sentence)).count == errors.count)
    let next = SMPGroupError(group: group, code: numbers.upperBound + 1)
    #expect(next.documented == nil)
    #expect(next.description.contains("rc \(numbers.upperBound + 1)"))
  }

  @Test(
    "Numbers of the image group mean what smp.md §1.5 says",
    arguments: [
      (ImageError.noImage, 3), (.hashNotFound, 8), (.noFreeSlot, 9), (.flashErase, 13), (.invalidSlot, 14), (.outOfMemory, 15), (.invalidPageOffset, 19),
      (.offsetMissing, 20), (.firstChunkTooShort, 22), (.headerMagicWrong, 23), (.addressMismatch, 25), (.runningVersionNewer, 27), (.alreadyPending, 28),
      (.imageTooLarge, 30), (.dataOverrun, 31), (.confirmationDenied, 32), (.testOfActiveDenied, 33), (.activeSlotUnknown, 34),
    ])
  func imageNumbers(error: ImageError, code: Int) {
    #expect(error.rawValue == code)
    #expect(SMPGroupError(group: .image, code: code).image == error)
    #expect(SMPGroupError(group: .os, code: code).image == nil)
  }

  @Test(
    "Transport numbers that are documented",
    arguments: [(5, true), (6, true), (7, false), (8, true), (13, false), (14, true), (16, true), (17, true), (18, false)])
  func transport(code: Int, documented: Bool) {
    #expect((SMPGroupError(group: .transport, code: code).documented != nil) == documented)
  }

  @Test(
    "A refusal has a word for programs, also one without a documented meaning",
    arguments: [
      (SMPGroup.os, 4, "clockNotSet"), (.image, 9, "noFreeSlot"), (.statistics, 3, "nameNotFound"), (.settings, 3, "keyNotFound"),
      (.settings, 8, "error 8"), (.fileSystem, 11, "offsetInvalid"), (.shell, 3, "empty"), (.enumeration, 4, "indexTooLarge"),
      (.transport, 17, "connectFailed"), (.zephyrBasic, 4, "eraseFailed"), (.memfault, 2, "noProjectKey"), (.logs, 1, "error 1"),
      (SMPGroup(rawValue: 77), 5, "error 5"),
    ])
  func names(group: SMPGroup, code: Int, name: String) {
    let error = SMPResponseError.group(SMPGroupError(group: group, code: code))
    #expect(error.name == name && error.group == group && error.code == code)
    #expect(error.description.hasSuffix("(\(group) \(name), rc \(code))"))
    #expect(SMPResponseError.status(.notSupported).name == "notSupported" && SMPResponseError.status(.other(300)).name == "error 300")
  }

  @Test("[R] device-manager.md §5.2: a number without a documented meaning is an error, never success", arguments: [14, 255, 256, -1])
  func unknownNumbers(code: Int) throws {
    let header = SMPHeader(operation: .writeResponse, group: .fileSystem, sequence: 0, command: 4)
    let frame = try SMPFrame(header, payload: CBORValue.object(["rc": .integer(code)]).encoded())
    #expect(throws: SMPAnswerError.refused(.status(SMPStatus(code: code)))) { try FileCloseRequest.response(in: frame) }
  }

  @Test("Kinds of refusals")
  func kinds() {
    #expect(SMPResponseError.status(.busy).isBusy)
    #expect(SMPResponseError.status(.noMemory).isNoMemory)
    #expect(SMPResponseError.group(SMPGroupError(.outOfMemory)).isNoMemory)
    #expect(!SMPResponseError.group(SMPGroupError(group: .os, code: 15)).isNoMemory)
    #expect(SMPResponseError.status(.notSupported).isUnsupported)
    #expect(SMPResponseError.status(.protocolTooNew).isUnsupported)
    #expect(!SMPResponseError.status(.unknown).isUnsupported)
  }

  @Test(
    "An answer that is no map, or no CBOR, is unreadable",
    arguments: [
      ("0B00000100010001 80", SMPDecodeError.notAMap), ("0B00000000010001", .cbor(.truncated)), ("0B00000100010001 A1", .cbor(.truncated)),
      ("0B00000100010001 FF", .cbor(.malformed(offset: 0))), ("0B00000100010001 A0", .missing("off")),
    ])
  func unreadable(bytes: String, expected: SMPDecodeError) {
    #expect(throws: SMPAnswerError.unreadable(expected)) { try ImageUploadRequest.response(in: SMPFrame(decoding: hex(bytes))) }
  }

  @Test("Every golden answer with its payload cut anywhere is an error, never a trap", arguments: Golden.answers)
  func cutPayload(frame: [UInt8]) throws {
    let whole = try SMPFrame(decoding: frame)
    for count in 0..<whole.payload.count {
      let cut = try SMPFrame(whole.header, payload: Array(whole.payload.prefix(count)))
      #expect(throws: SMPAnswerError.self) { try ImageStateReadRequest.response(in: cut) }
    }
  }
}
