import Bluetooth
import Testing

@testable import VirtualLine

/// Group 66 as the virtual board serves it, against bytes by hand (smp.md §7, device-manager.md §4.2).
@Suite struct SUITGroupTests {
  /// Made by the rig's independent tools: `package_tools.suit_envelope(4, ("app.bin",))` (cbor2, hashlib).
  static let foreign =
    "D86BA3025827815824822F58201999749065F7A514579A844BDB3ED5B8A819AFE1EB58372A3E4DDBB5B6FCF3CB0352A301010204034BA2028182414D41020441801057860C0014A1156E66696C653A2F2F6170702E62696E1502"

  static func bench(_ faults: [BoardFault] = [], _ change: (inout SUITSettings) -> Void = { _ in }) -> BoardBench {
    var settings = BoardSettings()
    settings.kind = .suit
    settings.canonical = true
    settings.suit.sequence = 3
    change(&settings.suit)
    var bench = BoardBench(settings, faults: faults)
    _ = bench.connect()
    return bench
  }

  static func write(_ command: UInt8, _ pairs: [(String, [UInt8])]) -> [UInt8] { request(2, group: 66, command: command, Hand.map(pairs)) }

  static func piece(_ command: UInt8, _ offset: Int, _ data: [UInt8], _ more: [(String, [UInt8])] = []) -> [UInt8] {
    write(command, [("off", Hand.number(offset)), ("data", Hand.data(data))] + more)
  }

  static func length(_ count: Int) -> (String, [UInt8]) { ("len", Hand.number(count)) }

  /// The body of the only answer.
  static func body(_ bench: inout BoardBench, _ packet: [UInt8], within limit: Duration = .milliseconds(20)) -> String {
    hex(Array(bench.ask(packet, within: limit).flatMap { $0 }.dropFirst(8)))
  }

  static func ok(_ offset: Int) -> String { hex([0xA2, 0x62, 0x72, 0x63, 0x00, 0x63, 0x6F, 0x66, 0x66] + Hand.number(offset)) }
  static func rc(_ code: UInt8) -> String { hex([0xA1, 0x62, 0x72, 0x63, code]) }

  @Test func whatItIs() {
    var bench = Self.bench()
    #expect(bench.ask("08 00 00 01 00 00 00 08 A0").hasSuffix(hex(Hand.map([("bootloader", Hand.text("SUIT"))]))))
    #expect(Self.body(&bench, bytes("08 00 00 01 00 42 00 00 A0")) == "a2627263006" + "96d616e69666573747383a164726f6c651820a164726f6c651822a164726f6c651831")
    let state = Self.body(&bench, bytes("08 00 00 08 00 42 01 01 A1 64 726F6C65 18 20"))
    #expect(state.contains(hex(Hand.text("sequence_number") + [3])))
    #expect(state.contains(hex(Hand.text("digest_algorithm") + [0x2F])))
    #expect(Self.body(&bench, bytes("08 00 00 08 00 42 01 01 A1 64 726F6C65 18 77")) == Self.rc(6))
    #expect(bench.ask("08 00 00 01 00 01 00 00 A0").hasSuffix(Self.rc(8)))
  }

  @Test func anEnvelopeOfOtherToolsIsRead() throws {
    let received = try #require(ReceivedEnvelope(bytes(Self.foreign)))
    #expect(received.sequence == 4)
    #expect(received.wanted == ["file://app.bin"])
    #expect(hex(received.digest) == "1999749065f7a514579a844bdb3ed5b8a819afe1eb58372a3e4ddbb5b6fcf3cb")
    #expect(ReceivedEnvelope.names(ofCache: bytes("a16c66696c653a2f2f612e62696e420102")) == ["file://a.bin"])
    var spoilt = bytes(Self.foreign)
    spoilt[20] ^= 1
    #expect(ReceivedEnvelope(spoilt) == nil)
    for length in 0..<bytes(Self.foreign).count { #expect(ReceivedEnvelope(Array(bytes(Self.foreign).prefix(length))) == nil) }
  }

  @Test func aWrongOffsetIsRefusedAndTold() {
    var bench = Self.bench()
    let envelope = bytes(Self.foreign)
    #expect(Self.body(&bench, Self.piece(2, 20, [1, 2])) == Self.rc(6))
    #expect(Self.body(&bench, Self.piece(2, 0, Array(envelope.prefix(30)), [Self.length(envelope.count)])) == Self.ok(30))
    #expect(Self.body(&bench, Self.piece(2, 29, [1, 2])) == "a262726301636f66661" + "81e")
    #expect(Self.body(&bench, Self.piece(2, 0, [1], [Self.length(0x30000)])) == Self.rc(2))
    #expect(Self.body(&bench, Self.piece(2, 0, [], [Self.length(5)])) == Self.rc(3))
    #expect(Self.body(&bench, Self.piece(5, 0, [1], [Self.length(1), ("target_id", Hand.number(9))])) == Self.rc(5))
    #expect(Self.body(&bench, Self.write(2, [("off", Hand.number(0)), Self.length(0)])) == Self.rc(6))
  }

  @Test func aResourceIsAskedForAndTheRestartForgetsIt() {
    var bench = Self.bench()
    let envelope = bytes(Self.foreign)
    let poll = bytes("08 00 00 01 00 42 00 03 A0")
    #expect(Self.body(&bench, Self.piece(2, 0, envelope, [Self.length(envelope.count)])) == Self.ok(envelope.count))
    #expect(Self.body(&bench, poll) == Self.rc(0))
    bench.run(for: .milliseconds(200))
    let asked = Self.body(&bench, poll)
    #expect(asked == hex(Hand.map([("rc", [0]), ("stream_session_id", [1]), ("resource_id", Hand.data(Array("file://app.bin".utf8)))])))
    #expect(Self.body(&bench, Self.piece(4, 0, [1, 2], [Self.length(3), ("stream_session_id", [2])])) == Self.rc(6))
    #expect(Self.body(&bench, Self.piece(4, 0, [1, 2], [Self.length(3), ("stream_session_id", [1])])) == Self.ok(2))
    #expect(Self.body(&bench, Self.piece(4, 2, [3], [("stream_session_id", [1])])) == Self.ok(3))
    bench.run(for: .seconds(5))
    #expect(bench.ended == [.lost])
    #expect(bench.board.suit?.record.installs == [4])
    #expect(bench.board.suit?.state == .idle)
    #expect(bench.board.read(.firmwareRevision) == Array("4".utf8))
    #expect(bench.board.isUpdated)
  }

  @Test func aResourceThatDoesNotComeIsGivenUpAfterFiveSeconds() {
    var bench = Self.bench()
    let envelope = bytes(Self.foreign)
    _ = Self.body(&bench, Self.piece(2, 0, envelope, [Self.length(envelope.count)]))
    bench.run(for: .milliseconds(5050))
    #expect(bench.board.suit?.state == .waiting(uri: "file://app.bin"))
    bench.run(for: .milliseconds(200))
    #expect(bench.board.suit?.state == .idle)
    #expect(bench.board.suit?.record.failures == ["resource timeout"])
  }

  @Test func nothingHappensBeforeTheOrderToBegin() {
    var bench = Self.bench()
    let envelope = bytes(Self.foreign)
    let cache = bytes("a16e66696c653a2f2f6170702e62696e420102")
    let flag = ("defer_install", [UInt8(0xF5)])
    #expect(Self.body(&bench, Self.piece(2, 0, envelope, [Self.length(envelope.count), flag])) == Self.ok(envelope.count))
    bench.run(for: .seconds(10))
    #expect(bench.board.suit?.state == .stored)
    #expect(Self.body(&bench, Self.piece(5, 0, cache, [Self.length(cache.count), ("target_id", [0])])) == Self.ok(cache.count))
    #expect(Self.body(&bench, Self.write(2, [("off", [0]), Self.length(0)])) == Self.ok(0))
    bench.run(for: .seconds(5))
    #expect(bench.board.suit?.record.installs == [4])
    #expect(bench.board.truth(number: 0).suit?.caches.count == 1)
  }

  /// Bytes from the air never trap, whatever they are.
  @Test func noiseIsAnswered() {
    var bench = Self.bench()
    var state: UInt64 = 66
    for _ in 0..<500 {
      let noise = (0..<40).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      bench.write(request(noise[0] & 2, group: 66, command: noise[1] % 8, noise))
      bench.run(for: .milliseconds(20))
      if !bench.board.isConnected { _ = bench.connect() }
    }
    #expect(bench.board.suit?.record.installs == [])
  }
}
