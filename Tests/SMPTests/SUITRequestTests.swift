import Testing

@testable import SMP

/// Group 66 byte for byte, and what its answers mean (device-manager.md §4.2 and §9, smp.md §7).
struct SUITRequestTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: @Sendable () throws -> [UInt8]
    var expected: String
    var testDescription: String { name }
  }

  static let data: ArraySlice<UInt8> = [0xD8, 0x6B]

  static let requests: [Golden] = [
    // device-manager.md §9, "Request frames".
    Golden(name: "list", bytes: { try SUITManifestListRequest().frame(sequence: 0) }, expected: "08 00 00 01 00 42 00 00 A0"),
    Golden(name: "poll", bytes: { try SUITMissingRequest().frame(sequence: 0) }, expected: "08 00 00 01 00 42 00 03 A0"),
    Golden(name: "begin", bytes: { try SUITInstallRequest().frame(sequence: 0) }, expected: "0A 00 00 0B 00 42 00 02 A2 63 6F6666 00 63 6C656E 00"),
    Golden(name: "clean up", bytes: { try SUITCleanUpRequest().frame(sequence: 0) }, expected: "0A 00 00 01 00 42 00 06 A0"),
    Golden(name: "confirm", bytes: { try SUITConfirmRequest().frame(sequence: 5) }, expected: "0A 00 00 0A 00 01 05 00 A1 67 636F6E6669726D F5"),
    // By hand from device-manager.md §4.2, keys in canonical order.
    Golden(
      name: "state", bytes: { try SUITManifestStateRequest(role: .applicationRoot).frame(sequence: 1) },
      expected: "08 00 00 08 00 42 01 01 A1 64 726F6C65 18 20"),
    Golden(
      name: "first piece of an envelope", bytes: { try SUITEnvelopeRequest(offset: 0, data: data, length: 300).frame(sequence: 2) },
      expected: "0A 00 00 15 00 42 02 02 A3 63 6C656E 19 012C 63 6F6666 00 64 64617461 42 D86B"),
    Golden(
      name: "the same with the installation put off",
      bytes: { try SUITEnvelopeRequest(offset: 0, data: data, length: 300, defersInstall: true).frame(sequence: 2) },
      expected: "0A 00 00 24 00 42 02 02 A4 63 6C656E 19 012C 63 6F6666 00 64 64617461 42 D86B 6D 64656665725F696E7374616C6C F5"),
    Golden(
      name: "later piece of an envelope", bytes: { try SUITEnvelopeRequest(offset: 2, data: data, defersInstall: true).frame(sequence: 3) },
      expected: "0A 00 00 0E 00 42 03 02 A2 63 6F6666 02 64 64617461 42 D86B"),
    // Not deferred: device-manager.md §4.3 marks the known client's flag in cache packets as wrong.
    Golden(
      name: "first piece of a cache", bytes: { try SUITCacheRequest(target: 1, offset: 0, data: data, length: 2).frame(sequence: 4) },
      expected: "0A 00 00 1E 00 42 04 05 A4 63 6C656E 02 63 6F6666 00 64 64617461 42 D86B 69 7461726765745F6964 01"),
    Golden(
      name: "later piece of a resource", bytes: { try SUITResourceRequest(session: 7, offset: 512, data: data).frame(sequence: 5) },
      expected: "0A 00 00 23 00 42 05 04 A3 63 6F6666 19 0200 64 64617461 42 D86B 71 73747265616D5F73657373696F6E5F6964 07"),
  ]

  @Test("Requests come out byte for byte", arguments: requests)
  func golden(golden: Golden) throws {
    #expect(hex(try golden.bytes()) == hex(hex(golden.expected)))
    #expect(!hex(golden.expected).isEmpty)
  }

  @Test("A request written in one go is the same bytes as through a value", arguments: [0, 23, 24, 255, 256, 3000])
  func fastPath(count: Int) throws {
    let bytes = [UInt8](repeating: 7, count: count)[...]
    for length in [nil, 70_000] {
      #expect(
        Array(try SUITEnvelopeRequest(offset: 0, data: bytes, length: length, defersInstall: true).frame(sequence: 0).dropFirst(8))
          == SUITEnvelopeRequest(offset: 0, data: bytes, length: length, defersInstall: true).payload.encoded())
      #expect(
        Array(try SUITCacheRequest(target: 3, offset: 9, data: bytes, length: length).frame(sequence: 0).dropFirst(8))
          == SUITCacheRequest(target: 3, offset: 9, data: bytes, length: length).payload.encoded())
      #expect(
        Array(try SUITResourceRequest(session: 300, offset: 9, data: bytes, length: length).frame(sequence: 0).dropFirst(8))
          == SUITResourceRequest(session: 300, offset: 9, data: bytes, length: length).payload.encoded())
    }
  }

  // MARK: sizes

  /// What a piece costs, exactly: a request as long as the link allows, and not a byte longer (device-manager.md §5.5: session and target counted).
  @Test("Pieces fill a request to the last byte", arguments: [64, 128, 244, 300, 495, 2475])
  func sizes(requestSize: Int) throws {
    let total = 100_000
    let bytes = [UInt8](repeating: 1, count: total)
    for (costs, make) in Self.kinds(bytes) {
      let sizer = ChunkSizer(length: total, costs: costs, requestSize: requestSize)
      for offset in [0, 20, 200, 60_000, 70_000] {
        let length = offset == 0 ? sizer.first : sizer.length(at: offset)
        #expect(length > 0)
        #expect(try make(offset, length) <= requestSize)
        // Where one byte more makes the head of the string longer, room for one may be left.
        #expect(try make(offset, length + 1) > requestSize)
      }
    }
  }

  private static func kinds(_ bytes: [UInt8]) -> [(ChunkCosts, (Int, Int) throws -> Int)] {
    func length(_ offset: Int) -> Int? { offset == 0 ? bytes.count : nil }
    return [
      (
        SUITEnvelopeRequest.costs(length: bytes.count, defersInstall: true),
        { try SUITEnvelopeRequest(offset: $0, data: bytes[$0..<($0 + $1)], length: length($0), defersInstall: true).frame(sequence: 0).count }
      ),
      (
        SUITCacheRequest.costs(length: bytes.count, target: 24),
        { try SUITCacheRequest(target: 24, offset: $0, data: bytes[$0..<($0 + $1)], length: length($0)).frame(sequence: 0).count }
      ),
      (
        SUITResourceRequest.costs(length: bytes.count, session: 70_000),
        { try SUITResourceRequest(session: 70_000, offset: $0, data: bytes[$0..<($0 + $1)], length: length($0)).frame(sequence: 0).count }
      ),
    ]
  }

  // MARK: answers

  private static func frame(_ command: UInt8, _ body: CBORValue) throws -> SMPFrame {
    try SMPFrame(SMPHeader(operation: .writeResponse, group: .suit, sequence: 0, command: command), payload: body.encoded())
  }

  @Test("rc 1 with an offset tells where to go on, and is no refusal; every other rc is one (smp.md §7)")
  func outOfStep() throws {
    let told = try SUITCacheRequest.response(in: Self.frame(5, .object(["rc": .unsigned(1), "off": .unsigned(40)])))
    #expect(told == SUITPieceResponse(offset: 40, isOutOfStep: true))
    #expect(try SUITEnvelopeRequest.response(in: Self.frame(2, .object(["rc": .unsigned(0), "off": .unsigned(9)]))) == SUITPieceResponse(offset: 9))
    #expect(throws: SMPAnswerError.refused(.status(.unknown))) { try SUITEnvelopeRequest.response(in: Self.frame(2, .object(["rc": .unsigned(1)]))) }
    #expect(throws: SMPAnswerError.refused(.status(.badState))) {
      try SUITResourceRequest.response(in: Self.frame(4, .object(["rc": .unsigned(6), "off": .unsigned(0)])))
    }
    #expect(throws: SMPAnswerError.unreadable(.outOfRange("off"))) { try SUITCacheRequest.response(in: Self.frame(5, .object(["off": .integer(-1)]))) }
    #expect(throws: SMPAnswerError.unreadable(.missing("off"))) { try SUITCacheRequest.response(in: Self.frame(5, .object(["rc": .unsigned(0)]))) }
  }

  @Test("What a board lacks: nothing, a file, or nonsense")
  func missing() throws {
    #expect(try SUITMissingRequest.decode(.map([])) == nil)
    #expect(try SUITMissingRequest.decode(.object(["rc": .unsigned(0)])) == nil)
    let question = try SUITMissingRequest.decode(.object(["stream_session_id": .unsigned(3), "resource_id": .bytes(Array("file://a.bin".utf8))]))
    #expect(question == SUITResourceQuestion(session: 3, resource: SUITResourceID("file://a.bin")))
    #expect(try SUITMissingRequest.decode(.object(["stream_session_id": .unsigned(3), "resource_id": .text("file://a.bin")])) == question)
    let odd: [(CBORValue, SMPDecodeError)] = [
      (.object(["resource_id": .bytes([65])]), .missing("stream_session_id")), (.object(["stream_session_id": .unsigned(1)]), .missing("resource_id")),
      (.object(["stream_session_id": .integer(-1), "resource_id": .bytes([65])]), .outOfRange("stream_session_id")),
      (.object(["stream_session_id": .unsigned(1), "resource_id": .bytes([])]), .outOfRange("resource_id")),
      (.object(["stream_session_id": .unsigned(1), "resource_id": .unsigned(1)]), .wrongType("resource_id")),
      (.object(["stream_session_id": .unsigned(1), "resource_id": .bytes([UInt8](repeating: 65, count: 513))]), .outOfRange("resource_id")),
    ]
    for (body, error) in odd { #expect(throws: error) { try SUITMissingRequest.decode(body) } }
  }

  @Test(
    "Names of resources",
    arguments: [
      ("file://a.bin", "file", "a.bin"), ("FILE://Radio Core.bin", "file", "Radio Core.bin"), ("cache://x", "cache", nil), ("a.bin", nil, nil),
      ("file://", "file", nil), ("://a", nil, nil), ("#a", nil, nil),
    ] as [(String, String?, String?)])
  func names(uri: String, scheme: String?, file: String?) {
    #expect(SUITResourceID(uri).scheme == scheme)
    #expect(SUITResourceID(uri).fileName == file)
  }

  @Test func aNameFromABoardIsShownWithoutControlCharacters() {
    #expect(SUITResourceID("file://a\u{1B}[2J\n").description == "file://a?[2J?")
  }

  @Test("Manifests: roles, and a state with and without a manifest")
  func manifests() throws {
    let list = CBORValue.object(["rc": .unsigned(0), "manifests": .array([.object(["role": .unsigned(0x20)]), .object(["role": .unsigned(0x31)])])])
    #expect(try SUITManifestListRequest.decode(list) == [.applicationRoot, .radioLocal1])
    let digest = [UInt8](repeating: 9, count: 32)
    let state = try SUITManifestStateRequest.decode(
      .object([
        "class_id": .bytes([UInt8](repeating: 1, count: 16)), "vendor_id": .bytes([UInt8](repeating: 2, count: 16)),
        "downgrade_prevention_policy": .unsigned(2), "independent_updateability_policy": .unsigned(2), "signature_verification_policy": .unsigned(3),
        "digest": .bytes(digest), "digest_algorithm": .integer(-16), "signature_check": .unsigned(4), "sequence_number": .unsigned(UInt64.max),
        "semantic_version": .array([.unsigned(1), .unsigned(2), .unsigned(3), .integer(-1), .unsigned(2)]),
      ]))
    #expect(state.downgradePolicy == .enabled)
    #expect(state.signaturePolicy == .onUpdateAndBoot)
    #expect(state.signatureCheck == .passed)
    #expect(state.digest == digest)
    #expect(state.digestAlgorithm == SUITManifestState.sha256)
    #expect(state.sequenceNumber == UInt64.max)
    #expect(state.versionText == "1.2.3-rc2")
    let empty = try SUITManifestStateRequest.decode(.object(["rc": .unsigned(0), "downgrade_prevention_policy": .unsigned(77)]))
    #expect(empty == SUITManifestState())
    #expect(empty.versionText == nil)
  }

  @Test(
    "A manifest state that makes no sense is named by its key",
    arguments: [
      ("class_id", CBORValue.bytes([1]), SMPDecodeError.outOfRange("class_id")), ("digest", .bytes([UInt8](repeating: 0, count: 65)), .outOfRange("digest")),
      ("digest", .text("x"), .wrongType("digest")), ("sequence_number", .integer(-1), .outOfRange("sequence_number")),
      ("sequence_number", .text("1"), .wrongType("sequence_number")), ("semantic_version", .unsigned(1), .wrongType("semantic_version")),
      ("semantic_version", .array([.text("1")]), .wrongType("semantic_version")),
      ("semantic_version", .array([CBORValue](repeating: .unsigned(1), count: 6)), .outOfRange("semantic_version")),
    ])
  func oddStates(key: String, value: CBORValue, error: SMPDecodeError) {
    #expect(throws: error) { try SUITManifestStateRequest.decode(.map([CBORValue.Entry(.text(key), value)])) }
  }

  @Test func moreRolesThanExistAreRefused() {
    let roles = CBORValue.array([CBORValue](repeating: .object(["role": .unsigned(1)]), count: 33))
    #expect(throws: SMPDecodeError.outOfRange("manifests")) { try SUITManifestListRequest.decode(.object(["manifests": roles])) }
  }

  // MARK: refusals

  @Test("EUNKNOWN and EMSGSIZE may be tried again, the rest may not (device-manager.md §4.2)", arguments: 1...13)
  func refusals(code: Int) {
    let refusal = SUITRefusal(.status(SMPStatus(code: code)))
    #expect(refusal.mayBeRetried == [1, 4, 7, 9, 10].contains(code))
    #expect(refusal.description.hasSuffix("(suit, rc \(code))"))
    #expect(refusal.sentence.hasPrefix("the") || refusal.sentence.hasPrefix("this") || refusal.sentence.hasPrefix("something"))
  }

  @Test("An upload to group 66 goes on after an offset and after EUNKNOWN, and ends with everything else")
  func window() {
    var settings = UploadSettings(depth: 1, requestSize: 64)
    settings.refusals = .suit
    func opened() -> UploadWindow {
      let sizer = ChunkSizer(length: 100, costs: SUITCacheRequest.costs(length: 100, target: 0), requestSize: 64)
      var window = UploadWindow(length: 100, sizer: sizer, settings: settings)
      _ = window.start()
      return window
    }
    var stepped = opened()
    guard case .send(let second)? = stepped.answered(0, offset: 24).last else {
      Issue.record("no second piece")
      return
    }
    #expect(second.offset == 24)
    // The board missed something: it names 10, and gets it from there.
    guard case .send(let again)? = stepped.answered(1, offset: 10).last else {
      Issue.record("no third piece")
      return
    }
    #expect(again.offset == 10)
    guard case .send? = stepped.refused(2, .status(.unknown)).last, case .send? = stepped.refused(3, .status(.messageTooLong)).last else {
      Issue.record("EUNKNOWN or EMSGSIZE ended it")
      return
    }
    for status in [SMPStatus.noMemory, .badState, .noEntry, .invalidValue, .notSupported] {
      var ending = opened()
      expect(ending.refused(0, .status(status)), [.failed(.refused(.status(status), offset: 0))])
    }
  }
}
