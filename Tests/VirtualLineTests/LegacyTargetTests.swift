import Bluetooth
import Testing

@testable import VirtualLine

/// The Legacy DFU bootloader from the board's side. Sources: nordic-dfu.md §2.3 to §2.8, the transcript of §9.1; metaboot.md §1, §2.
struct LegacyTargetTests {
  /// A board in MetaBoot without an application.
  private func stranded(_ faults: BoardFault...) -> DFUBench {
    var bench = DFUBench(.metawear, faults: faults) {
      $0.start = .bootloader
      $0.application = nil
    }
    bench.connect()
    return bench
  }

  /// 400 bytes and the init packet that fits them; device 6, revision 1, SoftDevice 0x88.
  private static let image = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private static var initPacket: [UInt8] { bytes("06000100FFFFFFFF01008800") + LittleEndian.bytes(UInt32(Checksums.crc16(image)), 2) }

  /// Start to Validate with one receipt after 10 packets; returns what was said at each step.
  private func flash(_ bench: inout DFUBench, image: [UInt8] = Self.image, interval: String = "0A00", pause: Duration = .milliseconds(15)) -> [String] {
    var said = bench.control("0104")
    said += bench.packet([UInt8](repeating: 0, count: 8) + LittleEndian.bytes(UInt32(image.count)), within: .seconds(30))
    said += bench.control("0200")
    said += bench.packet(Self.initPacket)
    said += bench.control("0201")
    said += bench.control("08" + interval)
    said += bench.control("03")
    for start in stride(from: 0, to: image.count, by: 20) {
      said += bench.packet(Array(image[start..<min(start + 20, image.count)]), within: pause)
    }
    return said
  }

  @Test func checksums() {
    #expect(Checksums.crc16(Array("123456789".utf8)) == 0x29B1)
    #expect(Checksums.crc32(Array("123456789".utf8)) == 0xCBF4_3926)
  }

  /// §9.1: sizes 118400, init packet of mmc 1.3.5, PRN 10. The image is not committed, so its CRC is not checked here; every frame before it is.
  @Test func theGoldenTranscriptOfMetaMotionC() {
    var bench = stranded()
    #expect(bench.control("0104") == ["R"])
    #expect(bench.packet(bytes("000000000000000080CE0100"), within: .seconds(60)) == ["N 100101"])
    #expect(bench.control("0200") == ["R"])
    #expect(bench.packet(bytes("06000100FFFFFFFF010088004D61")) == [])
    #expect(bench.control("0201") == ["R", "N 100201"])
    #expect(bench.control("080A00") == ["R"])
    #expect(bench.control("03") == ["R"])
    var receipts: [String] = []
    for _ in 0..<5920 { receipts += bench.packet([UInt8](repeating: 7, count: 20), within: .milliseconds(2)) }
    #expect(receipts.count == 591)
    #expect(receipts.first == "N 11c8000000")
    #expect(receipts.last == "N 11b8cd0100")
    bench.run(for: .seconds(1))
    #expect(bench.said == ["N 100301"])
    // Other bytes than the real ones: the CRC of the init packet does not fit.
    #expect(bench.control("04") == ["R", "N 100405"])
  }

  @Test func aWholeUpdateBringsTheApplicationBack() {
    var bench = stranded()
    let said = flash(&bench)
    #expect(said.filter { $0.hasPrefix("N") } == ["N 100101", "N 100201", "N 11c8000000", "N 100301"])
    #expect(bench.control("04") == ["R", "N 100401"])
    #expect(bench.control("05", within: .seconds(5)) == ["R", "X closed"])
    #expect(bench.board.mode == .application)
    #expect(bench.board.updates.map(\.part) == ["application"])
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    var type: String
    var sizes: String
    var answer: String
    var testDescription: String { "01 \(type), \(sizes)" }
  }

  /// §2.5, "Start sizes", in the order of the checks.
  @Test(arguments: [
    Refused(type: "05", sizes: "000000000000000000010000", answer: "N 100103"), Refused(type: "04", sizes: "0000000000000000", answer: "N 100103"),
    Refused(type: "04", sizes: "000000000000000002010000", answer: "N 100103"), Refused(type: "02", sizes: "000000000400010000000000", answer: "N 100104"),
    Refused(type: "04", sizes: "000000000000000000001000", answer: "N 100104"),
  ])
  func startIsRefused(_ refused: Refused) {
    var bench = stranded()
    _ = bench.control("01" + refused.type)
    #expect(bench.packet(bytes(refused.sizes), within: .seconds(60)) == [refused.answer])
  }

  /// §2.3 and §2.5: what is short, early or unknown.
  @Test(arguments: [
    ("01", ["R", "N 100106"]), ("02", ["R", "N 100206"]), ("0201", ["R", "N 100202"]), ("04", ["R", "N 100402"]), ("0801", ["R", "N 100803"]),
    ("07", ["R", "N 10070100000000"]), ("09", ["R", "N 100903"]),
  ])
  func controlAnswers(_ written: String, _ said: [String]) {
    var bench = stranded()
    #expect(bench.control(written) == said)
  }

  /// §2.6: device type, revision, SoftDevice, the empty list.
  @Test(arguments: [
    ("05000100FFFFFFFF010088004D61", "N 100206"), ("06000200FFFFFFFF010088004D61", "N 100206"), ("06000100FFFFFFFF010087004D61", "N 100206"),
    ("06000100FFFFFFFF00004D61", "N 100206"), ("FFFFFFFFFFFFFFFF0100FEFF5D1E", "N 100201"), ("06000100FFFFFFFF0200870088004D61", "N 100201"),
  ])
  func initPackets(_ packet: String, _ answer: String) {
    var bench = stranded()
    _ = bench.control("0104")
    _ = bench.packet(bytes("000000000000000090010000"), within: .seconds(30))
    _ = bench.control("0200")
    _ = bench.packet(bytes(packet))
    #expect(bench.control("0201") == ["R", answer])
  }

  @Test func theControlPointWantsASubscriberAndARequest() {
    var bench = stranded()
    bench.board.subscribe(false)
    #expect(bench.control("0104") == ["R fd"])
    bench.board.subscribe(true)
    #expect(bench.write("04", to: .legacyDFUControlPoint, request: false) == [])
  }

  /// §2.5: state is kept over a lost link, so the next Start gives 2 until `06`.
  @Test func anInterruptedUpdateStaysInTheBootloader() {
    var bench = DFUBench(.metawear, faults: [BoardFault(.dropLink, offset: 200)]) { $0.start = .bootloader }
    bench.connect()
    _ = flash(&bench)
    #expect(bench.board.link == nil)
    #expect(bench.board.application == nil, "one bank: Start has erased it")
    bench.connect()
    _ = bench.control("0104")
    #expect(bench.packet(bytes("000000000000000090010000"), within: .seconds(30)) == ["N 100102"])
    #expect(bench.control("06", within: .seconds(5)) == ["R", "X closed"])
    #expect(bench.board.mode == .bootloader)
    bench.connect()
    #expect(flash(&bench).last == "N 100301")
  }

  /// §2.5: 8 buffers and what waits in the radio.
  @Test func tooManyPacketsAtOnceOverflow() {
    var bench = stranded()
    _ = bench.control("0104")
    _ = bench.packet(bytes("000000000000000090010000"), within: .seconds(30))
    _ = bench.control("0200")
    _ = bench.packet(Self.initPacket)
    _ = bench.control("0201")
    _ = bench.control("03")
    var said: [String] = []
    for _ in 0..<11 { said += bench.packet([UInt8](repeating: 0, count: 20), within: .zero) }
    #expect(said == ["N 100306"])
  }

  /// §2.5, §5.1: a receipt empties the pool, so that up to ten packets between two of them hold however fast they come, as on the rig's boards.
  @Test(arguments: [1, 4, 8, 10, 11, 12], [0, 1, 15])
  func receiptsKeepThePoolFree(interval: Int, milliseconds: Int) {
    var bench = stranded()
    var said = flash(&bench, interval: hex(LittleEndian.bytes(UInt32(interval), 2)), pause: .milliseconds(milliseconds))
    bench.run(for: .seconds(1))
    said += bench.said
    // Slower than flash is written (11 ms), nothing is too much.
    let holds = interval <= 10 || milliseconds > 11
    #expect(said.contains("N 100306") == !holds, "\(said)")
    #expect(said.contains("N 100301") == holds)
  }

  // MARK: Modes

  @Test func metaWearGoesToItsBootloaderAndBack() {
    var bench = DFUBench(.metawear, address: 0xE8C9_8F52_7B07)
    bench.connect()
    #expect(bench.board.face.services == [.metaWear])
    // metaboot.md §1.4: the MAC, least significant byte first.
    #expect(bench.write("118B", to: .metaWearCommand, request: false) == ["N 118b01077b528fc9e8"])
    #expect(bench.write("FE02", to: .metaWearCommand, request: false, within: .seconds(3)) == ["X lost"])
    #expect(bench.board.face == BoardFace(address: BluetoothAddress(bits: 0xE8C9_8F52_7B07), name: "MetaBoot", services: [.legacyDFU]))
    #expect(bench.board.read(.legacyDFUVersion) == [8, 0])
    #expect(bench.board.read(.firmwareRevision) == Array("0.3.3".utf8))
    // The same handles hold another service now.
    #expect(bench.board.services.map(\.handle) == [0x0A, 0x20])
    #expect(bench.board.services.last?.uuid == .legacyDFU)
    bench.run(for: .seconds(50))
    #expect(bench.board.mode == .bootloader)
    bench.run(for: .seconds(20))
    #expect(bench.board.mode == .application, "after about a minute, metaboot.md §2")
  }

  @Test func inactivityResetsIntoTheBootloader() {
    var bench = stranded()
    bench.run(for: .seconds(119))
    #expect(bench.board.bootCount == 0)
    bench.run(for: .seconds(10))
    #expect(bench.board.bootCount == 1 && bench.board.mode == .bootloader)
  }

  /// nordic-dfu.md §5.4: +1 is the last octet only, and wraps.
  @Test func addresses() {
    var legacy = DFUBench(.legacy, address: 0xC0DE_8000_01FF)
    legacy.connect()
    #expect(legacy.write("0104", to: .legacyDFUControlPoint, within: .seconds(3)) == ["R", "X lost"])
    #expect(legacy.board.address.description == "C0:DE:80:00:01:FF", "the application left peer data")
    let button = DFUBench(.legacy, address: 0xC0DE_8000_01FF) { $0.start = .bootloader }
    #expect(button.board.address.description == "C0:DE:80:00:01:00")
    let secure = DFUBench(.secure) { $0.start = .bootloader }
    #expect(secure.board.address.description == "C0:DE:80:00:01:02")
  }

  @Test func anApplicationWaitsForItsBootloader() {
    let bench = DFUBench(.metawear) {
      $0.requiresBootloader = "0.3.10"
      $0.bootloader = "0.3.9"
    }
    #expect(bench.board.mode == .bootloader)
  }

  // MARK: Faults (§9.4)

  struct Scripted: Sendable, CustomTestStringConvertible {
    var fault: BoardFault
    var said: [String]
    var testDescription: String { fault.do.rawValue }
  }

  private static func scripted(_ action: BoardFault.Action, offset: Int? = nil, code: Int? = nil, _ said: [String]) -> Scripted {
    var fault = BoardFault(action, offset: offset)
    fault.code = code
    return Scripted(fault: fault, said: said)
  }

  @Test(arguments: [
    scripted(.refuseStart, ["N 100102"]), scripted(.refuseInit, ["N 100206"]), scripted(.loseReceipt, ["N 100301"]),
    scripted(.wrongReceipt, ["N 11b4000000"]), scripted(.failData, offset: 50, ["N 100306"]), scripted(.loseState, offset: 379, ["N 100302"]),
    scripted(.dropLink, offset: 4, ["X lost"]), scripted(.closeLink, offset: 200, ["X closed"]), scripted(.powerCut, offset: 300, ["X lost"]),
  ])
  func faultsAtABytesPlace(_ scripted: Scripted) {
    var bench = stranded(scripted.fault)
    let said = flash(&bench)
    #expect(said.contains(scripted.said[0]), "\(said)")
    #expect(bench.board.faults.fired == [scripted.fault.do.rawValue: 1])
  }

  @Test func lateReceiptsAndSlowErase() {
    var slow = BoardFault(.slowErase)
    slow.milliseconds = 20_000
    var bench = stranded(slow)
    _ = bench.control("0104")
    #expect(bench.packet(bytes("000000000000000090010000"), within: .seconds(20)) == [])
    bench.run(for: .seconds(1))
    #expect(bench.said == ["N 100101"])
  }

  @Test func theEndOfAnUpdateMayGoWrong() {
    var spoilt = stranded(BoardFault(.checksumError))
    _ = flash(&spoilt)
    #expect(spoilt.control("04") == ["R", "N 100405"])

    var hurried = stranded(BoardFault(.activateUnanswered))
    _ = flash(&hurried)
    _ = hurried.control("04")
    #expect(hurried.control("05") == ["X closed"])
    hurried.run(for: .seconds(5))
    #expect(hurried.board.mode == .application)

    var fault = BoardFault(.backInBootloader)
    fault.milliseconds = 50_000
    var back = stranded(fault)
    _ = flash(&back)
    _ = back.control("04")
    _ = back.control("05", within: .seconds(49))
    #expect(back.board.mode == .booting)
    back.run(for: .seconds(5))
    #expect(back.board.mode == .bootloader)
  }

  @Test func answersOutOfTurn() {
    var early = stranded(BoardFault(.notifyFirst))
    #expect(early.control("07") == ["N 10070100000000", "R"])
    var changed = stranded(BoardFault(.serviceChanged))
    changed.run(for: .seconds(2))
    #expect(changed.said == ["S"])
    var deaf = DFUBench(.metawear, faults: [BoardFault(.ignoreJump)])
    deaf.connect()
    #expect(deaf.write("FE02", to: .metaWearCommand, request: false, within: .seconds(5)) == [])
    #expect(deaf.board.mode == .application)
    var moved = stranded(BoardFault(.otherAddress))
    _ = moved.control("06", within: .seconds(5))
    #expect(moved.board.address.description == "C0:DE:80:00:01:02")
  }
}
