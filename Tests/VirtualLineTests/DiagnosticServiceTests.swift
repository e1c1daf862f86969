import Bluetooth
import Firmware
import FoundationEssentials
import Testing

@testable import VirtualLine

/// Memfault's Diagnostic Service of a virtual board, byte for byte (smp.md §8, device-manager.md §7.3).
@Suite struct DiagnosticServiceTests {
  private func uuid(_ number: Int) throws -> BluetoothUUID { try #require(BluetoothUUID("5422000\(number)-f6a5-4007-a371-722f4ebd8436")) }

  @Test func fiveCharacteristicsWithTheirFlagsAndValues() throws {
    let bench = DiagnosticBench()
    let service = try #require(bench.board.services.first { $0.uuid.description == "54220000-f6a5-4007-a371-722f4ebd8436" })
    #expect(service.characteristics.map(\.uuid) == (try (1...5).map(uuid)))
    #expect(service.characteristics.map(\.flags) == [["read"], ["read"], ["read"], ["read"], ["write", "notify"]])
    let values = try (1...4).map { try #require(bench.board.read(try uuid($0))) }
    #expect(values[0] == [0])
    #expect(values[1] == Array("S1".utf8))
    #expect(values[2] == Array("https://chunks.memfault.com/api/v0/chunks/S1".utf8))
    #expect(values[3] == Array("Memfault-Project-Key:0123456789abcdef0123456789abcdef".utf8))
    #expect(bench.board.read(try uuid(5)) == nil)
    #expect(bench.board.face.services.contains(service.uuid))
  }

  @Test func valuesAreWhatTheSettingsSay() throws {
    let bench = DiagnosticBench {
      ($0.features, $0.deviceID, $0.uri, $0.authorization) = (3, "unit {serial}/{serial}", "http://127.0.0.1:8080/{serial}", "no colon")
      $0.isAdvertised = false
    }
    #expect(
      try (1...4).map { hex(try #require(bench.board.read(try uuid($0)))) } == [
        "03", hex(Array("unit S1/S1".utf8)), hex(Array("http://127.0.0.1:8080/S1".utf8)), hex(Array("no colon".utf8)),
      ])
    #expect(bench.board.face.services == [.simpleManagement])
  }

  @Test func withoutSettingsThereIsNone() {
    let board = BoardBench().board
    #expect(!board.services.contains { $0.uuid == DiagnosticAttributes.service } && board.truth(number: 0).mds == nil)
    #expect(board.read(.softwareRevision) == nil)
  }

  @Test func twoAreInFlightAndTheCounterIsInFrontOfEachChunk() {
    var bench = DiagnosticBench { $0.chunks = ["a1", "b2b2", "c3c3c3", "D4"] }
    bench.connect(streaming: true)
    #expect(bench.air == [[0x00, 0xA1], [0x01, 0xB2, 0xB2]])
    bench.carry(1)
    #expect(bench.air == [[0x01, 0xB2, 0xB2], [0x02, 0xC3, 0xC3, 0xC3]])
    bench.carry(9)
    #expect(bench.got == ["00a1", "01b2b2", "02c3c3c3", "03d4"])
    #expect(bench.truth?.sent == 4 && bench.truth?.delivered == 4 && bench.truth?.waiting == 0 && bench.truth?.streaming == true)
  }

  @Test func theCounterIsModulo32AndBeginsAgainWithTheLink() {
    var bench = DiagnosticBench { $0.generated = .init(count: 80, size: 8) }
    bench.connect(streaming: true)
    bench.carry(40)
    #expect(bench.got.map { String($0.prefix(2)) } == (0..<40).map { hex([UInt8($0 % 32)]) })
    // Address, then number; the noise would follow.
    #expect(bench.got[33] == "01" + "00000001" + "00000021")
    bench.drop()
    bench.connect(streaming: true)
    bench.carry(1)
    // 40 and 41 were in flight: sent, and lost.
    #expect(bench.got[40] == "00" + "00000001" + "0000002a")
    #expect(bench.truth?.links.map(\.first) == [0, 42] && bench.truth?.links.map(\.sent) == [42, 3] && bench.truth?.links.map(\.delivered) == [40, 1])
  }

  @Test func theCounterGoesOnWhenAClientStopsAndStarts() {
    var bench = DiagnosticBench { $0.chunks = ["a1", "b2", "c3", "d4", "e5"] }
    bench.connect(streaming: true)
    #expect(bench.write([0]) == nil)
    bench.carry(2)
    #expect(bench.air.isEmpty && bench.truth?.streaming == false)
    #expect(bench.write([1]) == nil)
    _ = bench.board.subscribe(false, to: DiagnosticBench.export)
    bench.carry(2)
    #expect(bench.got == ["00a1", "01b2", "02c3", "03d4"] && bench.truth?.subscribed == false)
  }

  @Test func aLongChunkGoesAsSeveralOfTheLinksSize() {
    var bench = DiagnosticBench([BoardFault(.smallMTU)]) {
      $0.chunks = [String(repeating: "5a", count: 40), "07"]
      $0.generated = .init(count: 1, size: 100)
    }
    bench.connect(streaming: true)
    bench.carry(9)
    // An MTU of 23 carries 19 bytes of a chunk (device-manager.md §7.3: ATT_MTU − 4).
    #expect(bench.got.map { $0.count / 2 } == [20, 20, 3, 2, 20])
  }

  @Test(
    "Requests out of order and values that are none get the service's own errors",
    arguments: [
      (false, [UInt8](), 0x0D as UInt8?), (true, [1, 1], 0x0D), (false, [1], 0x81), (true, [2], 0xFF), (true, [0], nil), (true, [1], nil),
    ])
  func writes(isSubscribed: Bool, value: [UInt8], error: UInt8?) {
    var bench = DiagnosticBench { $0.chunks = ["a1"] }
    bench.connect()
    if isSubscribed { #expect(bench.board.subscribe(true, to: DiagnosticBench.export) == nil) }
    #expect(bench.write(value) == error)
    #expect(bench.air.count == (value == [1] && isSubscribed ? 1 : 0))
    #expect(bench.truth?.refusals == error.map { [hex([$0]): 1] } ?? [:])
  }

  @Test func anotherClientHasSubscribedForAWhile() {
    var bench = DiagnosticBench([BoardFault(.refuseSubscribe, times: 2)])
    bench.connect()
    #expect((0..<3).map { _ in bench.board.subscribe(true, to: DiagnosticBench.export) } == [0x80, 0x80, nil])
  }

  @Test func anEncryptedServiceRefusesUntilTheBoardIsPaired() throws {
    var bench = DiagnosticBench {
      $0.isEncrypted = true
      $0.chunks = ["a1"]
    }
    bench.connect()
    #expect(bench.board.refusal(ofReading: try uuid(4)) == 0x0F && bench.board.refusal(ofReading: .serialNumber) == nil)
    #expect(bench.board.subscribe(true, to: DiagnosticBench.export) == 0x0F && bench.write([1]) == 0x0F)
    let isPaired = bench.board.paired()
    #expect(isPaired)
    #expect(bench.board.refusal(ofReading: try uuid(4)) == nil && bench.board.subscribe(true, to: DiagnosticBench.export) == nil && bench.write([1]) == nil)
    #expect(bench.air == [[0, 0xA1]])
    var other = DiagnosticBench { $0.pairs = false }
    other.connect()
    let isOtherPaired = other.board.paired()
    #expect(!isOtherPaired)
  }

  @Test func anApplicationMayRefuseEveryAccess() throws {
    var bench = DiagnosticBench { $0.allowsAccess = false }
    bench.connect()
    #expect(bench.board.refusal(ofReading: try uuid(1)) == 0x02)
    #expect(bench.board.subscribe(true, to: DiagnosticBench.export) == 0x03 && bench.write([1]) == 0x03)
  }

  @Test func newDataIsLookedForAtIntervals() {
    var bench = DiagnosticBench {
      $0.chunks = ["a1", "b2", "c3"]
      ($0.pollMilliseconds, $0.chunksPerPoll) = (200, 1)
    }
    bench.connect(streaming: true)
    bench.carry(9)
    #expect(bench.got == ["00a1"] && bench.polls == [.milliseconds(200)])
    // Starting again brings nothing forward.
    #expect(bench.write([1]) == nil && bench.air.isEmpty)
    bench.ring()
    bench.carry(9)
    bench.ring()
    bench.carry(9)
    bench.ring()
    #expect(bench.got == ["00a1", "01b2", "02c3"] && bench.polls.count == 2)
  }

  @Test func whatNobodyTakesIsSentAndNotDelivered() throws {
    var bench = DiagnosticBench { $0.chunks = ["a1", "b2", "c3"] }
    bench.connect(streaming: true)
    bench.carry(1)
    bench.carry(1, kept: false)
    bench.carry(1)
    #expect(bench.truth?.sent == 3 && bench.truth?.delivered == 2)
    let first = try Digest(.sha256, of: [UInt8](repeating: 0, count: 32) + [0xA1])
    #expect(bench.truth?.digest == hex(try Digest(.sha256, of: first.bytes + [0xC3]).bytes))
  }

  @Test(
    "What goes wrong with a stream",
    arguments: [
      (BoardFault(.loseChunk, count: 2), ["00a1", "02c3", "03d4"]), (BoardFault(.emptyChunk, count: 2), ["00a1", "01", "02b2", "03c3", "04d4"]),
      (BoardFault(.badChunk, count: 3), ["00a1", "01b2", "e2c3", "03d4"]),
    ])
  func faults(fault: BoardFault, got: [String]) {
    var bench = DiagnosticBench([fault]) { $0.chunks = ["a1", "b2", "c3", "d4"] }
    bench.connect(streaming: true)
    bench.carry(9)
    #expect(bench.got == got)
  }

  @Test func aLinkIsLostInTheMiddle() {
    var bench = DiagnosticBench([BoardFault(.dropStream, count: 4)]) { $0.chunks = ["a1", "b2", "c3", "d4", "e5"] }
    bench.connect(streaming: true)
    bench.carry(9)
    #expect(bench.got == ["00a1", "01b2"] && bench.ends == [.lost] && bench.board.advertises)
    bench.connect(streaming: true)
    bench.carry(9)
    // c3 was on its way.
    #expect(bench.got == ["00a1", "01b2", "00d4", "01e5"] && bench.truth?.sent == 5 && bench.truth?.delivered == 4)
  }

  @Test func aResetKeepsWhatWaits() {
    var bench = DiagnosticBench { $0.chunks = ["a1", "b2", "c3"] }
    bench.connect(streaming: true)
    bench.carry(1)
    _ = bench.board.endLink(.lost)
    #expect(bench.truth?.waiting == 0 && bench.truth?.sent == 3 && bench.truth?.streaming == false)
  }

  @Test func smpAndDiagnosticsShareALink() throws {
    var bench = DiagnosticBench { $0.chunks = ["a1"] }
    bench.connect(streaming: true)
    let smp = try #require(BluetoothUUID(VirtualBoard.characteristic))
    #expect(bench.board.subscribe(true, to: smp) == nil)
    // smp.md §1.1, echo "hello".
    let served = bench.board.receive(bytes("0a00000900000100a161646568656c6c6f"), at: smp, wantsResponse: false)
    guard case .wake(_, let alarm)? = served.first else { throw Missing() }
    #expect(bench.board.alarm(alarm) == [.notify(bytes("0b00000a00000100bf61726568656c6c6fff"), from: smp)])
    bench.carry(1)
    #expect(bench.got == ["00a1"])
  }

  private struct Missing: Error {}

  @Test func deviceInformationHasTheSoftwareRevisionAndMayLackValues() throws {
    let settings = try JSONDecoder().decode(
      BoardSettings.self, from: Data(#"{"mds": {}, "withheld": ["2A25"], "hardware": "rev 7", "groups": {"softwareType": "thing"}}"#.utf8))
    #expect(settings.complaint == nil)
    var bench = BoardBench(settings)
    #expect(bench.board.read(.serialNumber) == nil && bench.board.read(.softwareRevision) == Array("thing".utf8))
    let information = try #require(bench.board.services.first { $0.uuid == .deviceInformation })
    // Serial number (2a25) had 0x0f; software revision (2a28) is the last one.
    #expect(information.characteristics.map(\.handle) == [0x0B, 0x0D, 0x11, 0x13, 0x15] && information.characteristics.last?.uuid == .softwareRevision)
    bench.board.start()
    var plain = BoardSettings()
    plain.software = "2.0"
    #expect(BoardBench(plain).board.read(.softwareRevision) == Array("2.0".utf8))
  }

  @Test func memfaultsGroupTellsWhatTheSettingsSay() {
    var settings = BoardSettings()
    settings.canonical = true
    (settings.groups.softwareType, settings.groups.deviceSerial, settings.groups.currentVersion) = ("thing", "D9", "4.5.6+7")
    settings.groups.withheld = ["hardware_version"]
    var bench = BoardBench(settings)
    _ = bench.connect()
    let told = Hand.map([("device_serial", Hand.text("D9")), ("software_type", Hand.text("thing")), ("current_version", Hand.text("4.5.6+7"))])
    #expect(String(hex(bench.ask(request(0, group: 128, command: 0, [0xA0])).flatMap { $0 }).dropFirst(16)) == hex(told))
  }

  @Test(
    "unknown and impossible settings are refused",
    arguments: [
      ("mds: {chunks: ['a']}", "chunks[0]"), ("mds: {chunks: ['']}", "chunks[0]"), ("mds: {generated: {count: -1}}", "generated: count"),
      ("mds: {generated: {size: 7}}", "generated: size"), ("mds: {generated: {frob: 7}}", "frob"), ("mds: {inFlight: 0}", "inFlight"),
      ("mds: {pollMilliseconds: 0}", "pollMilliseconds"), ("mds: {features: 256}", "features"), ("mds: {frob: 1}", "frob"),
      ("mds: {uri: '\(String(repeating: "u", count: 513))'}", "uri"), ("kind: 'legacy', mds: {}", "SMP server"), ("withheld: ['serial']", "withheld"),
      ("groups: {withheld: ['serial']}", "withheld"), ("groups: {projectKey: '\(String(repeating: "k", count: 513))'}", "projectKey"),
    ])
  func badSettings(text: String, what: String) throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      let settings = try decoder.decode(BoardSettings.self, from: Data("{\(text)}".utf8))
      #expect(try #require(settings.complaint).contains(what))
    } catch {
      #expect("\(error)".contains(what), "\(error)")
    }
  }

  @Test func aKindOfItsOwn() throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let settings = try decoder.decode(BoardSettings.self, from: Data("{kind: 'mds', mds: {uri: 'http://localhost:1/', generated: {count: 100000}}}".utf8))
    #expect(settings.complaint == nil && settings.kind == .smp && settings.mds?.generated.count == 100_000 && !settings.groups.projectKey.isEmpty)
    #expect(SMPKind.mds.settings.complaint == nil && SMPKind.mds.settings.mds?.generated.count == 100)
  }

  @Test func aLineFaultWaitsForChunks() {
    var script = LineFaultScript([LineFault(do: .loseLinks, adapter: 0, when: .init(board: 1, chunks: 500))])
    #expect(script.due(board: 1, .init(bytes: 0, connections: 1, boots: 0, chunks: 499)).isEmpty)
    #expect(script.due(board: 1, .init(bytes: 0, connections: 1, boots: 0, chunks: 500)).count == 1)
  }
}
