import Bluetooth
import Firmware
import Testing

@testable import VirtualLine

/// The Secure DFU bootloader from the board's side. Sources: nordic-dfu.md §3.2 to §3.6, the frames of §9.2.
struct SecureTargetTests {
  private static let image = (0..<1508).map { UInt8(truncatingIfNeeded: $0 &* 11) }

  /// An unsigned init packet by hand (§3.6): fw 1, hw 52, SoftDevice 0x88, application, SHA-256 reversed.
  private static func initPacket(hardware: UInt8 = 52, softDevice: [UInt8] = [0x88, 0x01], firmware: UInt8 = 1, image: [UInt8] = image) -> [UInt8] {
    let hash = Array(ImageDigest.sha256.digest(image[...]).reversed())
    let size = [UInt8(image.count & 0x7F | 0x80), UInt8(image.count >> 7)]
    let start: [UInt8] = [0x08, firmware, 0x10, hardware, 0x1A, UInt8(softDevice.count)] + softDevice + [0x20, 0x00, 0x28, 0x00, 0x30, 0x00, 0x38] + size
    let content = start + [0x42, 0x24, 0x08, 0x03, 0x12, 0x20] + hash
    let command = [0x08, 0x01, 0x12, UInt8(content.count)] + content
    return [0x0A, UInt8(command.count)] + command
  }

  private func bootloader(_ faults: BoardFault..., objectLimit: Int = 4096) -> DFUBench {
    var bench = DFUBench(.secure, faults: faults) {
      $0.start = .bootloader
      $0.application = nil
      $0.commandLimit = 256
      $0.objectLimit = objectLimit
    }
    bench.connect()
    return bench
  }

  private func number(_ value: Int) -> String { hex(LittleEndian.bytes(UInt32(value))) }

  /// Selects, creates, fills and executes the command object; the last answer.
  private func sendInit(_ bench: inout DFUBench, _ packet: [UInt8] = Self.initPacket()) -> [String] {
    _ = bench.control("0101" + number(packet.count))
    _ = bench.packet(packet)
    return bench.control("04")
  }

  private func send(_ bench: inout DFUBench, _ bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count, by: 244) { _ = bench.packet(Array(bytes[start..<min(start + 244, bytes.count)])) }
  }

  /// §9.2, every control frame; the CRCs are those of the bytes sent here, by the algorithm that `LegacyTargetTests.checksums` pins.
  @Test func theTranscriptOfOneObject() {
    var bench = bootloader()
    let packet = Self.initPacket()
    let crc = { (bytes: [UInt8]) in hex(LittleEndian.bytes(Checksums.crc32(bytes))) }
    #expect(bench.control("0601") == ["R", "N 600601000100000000000000000000"])
    #expect(bench.control("020000") == ["R", "N 600201"])
    #expect(bench.control("0101" + number(packet.count)) == ["R", "N 600101"])
    #expect(bench.packet(packet) == [])
    #expect(bench.control("03") == ["R", "N 600301" + number(packet.count) + crc(packet)])
    #expect(bench.control("04") == ["R", "N 600401"])
    #expect(bench.control("0602") == ["R", "N 600601001000000000000000000000"])
    #expect(bench.control("0102E4050000") == ["R", "N 600101"])
    send(&bench, Self.image)
    #expect(bench.control("03") == ["R", "N 600301e4050000" + crc(Self.image)])
    #expect(bench.control("04", within: .seconds(5)) == ["R", "N 600401", "X closed"])
    #expect(bench.board.mode == .application)
  }

  /// §3.3, by what is wrong.
  @Test func initPacketsAreRefused() {
    let cases: [([UInt8], String)] = [
      (Self.initPacket(hardware: 51), "N 60040b06"), (Self.initPacket(softDevice: [0x8C, 0x01]), "N 60040b07"),
      (Self.initPacket(firmware: 0), "N 60040b05"), ([0xFF, 1, 2, 3], "N 600405"),
    ]
    for (packet, answer) in cases {
      var bench = bootloader()
      #expect(sendInit(&bench, packet) == ["R", answer])
    }
    var signing = DFUBench(.secure) {
      $0.start = .bootloader
      $0.requiresSignature = true
    }
    signing.connect()
    #expect(sendInit(&signing) == ["R", "N 60040b08"])
  }

  /// §3.4, "Create data rules".
  @Test func dataObjectsHaveRules() {
    var bench = bootloader()
    #expect(bench.control("010200040000") == ["R", "N 600108"], "no init packet yet")
    _ = sendInit(&bench)
    #expect(bench.control("010200000000") == ["R", "N 600103"])
    #expect(bench.control("010201100000") == ["R", "N 600104"])
    #expect(bench.control("010200100000") == ["R", "N 600108"], "more than the image")
    #expect(bench.control("010200040000") == ["R", "N 600103"], "not a page, and not the last")
    #expect(bench.control("0109E4050000") == ["R", "N 600107"])
    _ = bench.control("0602")
    #expect(bench.control("04") == ["R", "N 600408"], "nothing was created")
    #expect(bench.control("0605") == ["R", "N 600607"])
    #expect(bench.control("08") == ["R", "N 600802"])
  }

  /// §3.5: what is there survives a lost link, not a reset.
  @Test func resume() {
    var bench = bootloader(BoardFault(.dropLink, offset: 1000), objectLimit: 512)
    _ = sendInit(&bench)
    _ = bench.control("010200020000")
    send(&bench, Array(Self.image[0..<512]))
    _ = bench.control("04")
    _ = bench.control("010200020000")
    send(&bench, Array(Self.image[512..<1024]))
    #expect(bench.board.link == nil)
    bench.connect()
    let there = Array(Self.image[0..<1000])
    #expect(bench.control("0602") == ["R", "N 60060100020000" + number(1000) + hex(LittleEndian.bytes(Checksums.crc32(there)))])
    _ = bench.control("0C", within: .seconds(5))
    bench.connect()
    #expect(bench.control("0602") == ["R", "N 600601000200000000000000000000"])
  }

  @Test func scriptedFaults() {
    var resumed = bootloader(BoardFault(.wrongResume))
    _ = sendInit(&resumed)
    let good = hex(LittleEndian.bytes(Checksums.crc32(Self.initPacket())))
    #expect(resumed.control("0601").last?.hasSuffix(good) == false)
    #expect(resumed.control("0601").last?.hasSuffix(good) == true, "once")

    var failing = bootloader(BoardFault(.checksumError))
    _ = sendInit(&failing)
    _ = failing.control("0102E4050000")
    send(&failing, Self.image)
    #expect(failing.control("04") == ["R", "N 60040b0c"])

    var spoilt = bootloader(BoardFault(.spoilObject))
    _ = sendInit(&spoilt)
    _ = spoilt.control("0102E4050000")
    send(&spoilt, Self.image)
    #expect(spoilt.control("04") == ["R", "N 60040b0c"])

    var stray = bootloader(BoardFault(.strayAnswer))
    #expect(stray.control("00").map { $0.prefix(8) } == ["R", "N 600301", "N 600001"])

    var refusal = BoardFault(.refuse, command: 4)
    refusal.code = 0x0B07
    var refused = bootloader(refusal)
    #expect(sendInit(&refused) == ["R", "N 60040b07"])
    var eight = BoardFault(.refuse, command: 4)
    eight.code = 8
    var second = bootloader(eight)
    #expect(sendInit(&second) == ["R", "N 600408"])
  }

  /// §3.2: the reset comes after the indication; +1 in the bootloader, whoever asked.
  @Test func buttonless() {
    var bench = DFUBench(.secure)
    bench.connect(subscribing: false)
    #expect(bench.write("01", to: .buttonlessDFU) == ["R fd"])
    bench.board.subscribe(true)
    #expect(bench.write("0200", to: .buttonlessDFU) == ["R", "N 200205"])
    #expect(bench.write("0203414243", to: .buttonlessDFU) == ["R", "N 200201"])
    #expect(bench.write("09", to: .buttonlessDFU) == ["R", "N 200902"])
    #expect(bench.write("01", to: .buttonlessDFU, within: .seconds(3)) == ["R", "N 200101", "X lost"])
    #expect(bench.board.face == BoardFace(address: BluetoothAddress(bits: 0xC0DE_8000_0102), name: "ABC", services: [.secureDFU]))
  }
}
