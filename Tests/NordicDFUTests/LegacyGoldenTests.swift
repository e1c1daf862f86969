import Testing

@testable import NordicDFU

/// The transcripts of nordic-dfu.md §9.1, byte for byte in every control frame. The images are synthetic: only their lengths matter here.
struct LegacyGoldenTests {
  struct Golden: CustomTestStringConvertible, Sendable {
    var name: String
    var length: Int
    var sizes: String
    var initPacket: String
    var packets: Int
    var lastPacket: Int
    var receipts: Int
    var lastReceipt: String
    var testDescription: String { name }
  }

  static let golden = [
    Golden(
      name: "metawearmmc-r0.1-r1.3.5", length: 118_400, sizes: "00000000 00000000 80CE0100", initPacket: "06 00 01 00 FF FF FF FF 01 00 88 00 4D 61",
      packets: 5920, lastPacket: 20, receipts: 591, lastReceipt: "11 B8 CD 01 00"),
    Golden(
      name: "metawearmmr-r0.2-r1.3.4", length: 0x1D030, sizes: "00000000 00000000 30D00100", initPacket: "05 00 02 00 FF FF FF FF 01 00 88 00 C4 16",
      packets: 5942, lastPacket: 12, receipts: 594, lastReceipt: "11 10 D0 01 00"),
  ]

  @Test("An application with a receipt every 10 packets", arguments: golden, [false, true])
  func application(golden: Golden, notificationsFirst: Bool) throws {
    let image = synthetic(golden.length)
    let part = try #require(LegacyPart(single: .application, initPacket: bytes(golden.initPacket), image: image))
    var performer = Performer(LegacyTransfer(part, version: .latest, settings: LegacySettings(receiptInterval: 10)), FakeLegacyBoard())
    performer.notificationsFirst = notificationsFirst
    performer.run()
    #expect(
      performer.log == [
        "W 01 04", "N 10 01 01", "W 02 00", "W 02 01", "N 10 02 01", "W 08 0A 00", "W 03", "N 10 03 01", "W 04", "N 10 04 01", "W 05",
      ])
    #expect(performer.packets.count == 2 + golden.packets)
    #expect(performer.packets[0] == bytes(golden.sizes))
    #expect(performer.packets[1] == bytes(golden.initPacket))
    let data = performer.packets.dropFirst(2)
    #expect(data.dropLast().allSatisfy { $0.count == 20 })
    #expect(data.last?.count == golden.lastPacket)
    #expect(data.flatMap { $0 } == image)
    #expect(performer.receipts.count == golden.receipts)
    #expect(performer.receipts.prefix(2).map { hex($0.bytes) } == ["11 C8 00 00 00", "11 90 01 00 00"])
    #expect(performer.receipts.map(\.after) == (1...golden.receipts).map { 2 + 10 * $0 }, "the next packets wait for the receipt")
    #expect(performer.receipts.last.map { hex($0.bytes) } == golden.lastReceipt)
    #expect(performer.end == .finished)
    #expect(performer.progress.count == golden.receipts + 1)
    #expect(performer.progress.last == golden.length)
    #expect(performer.transfer.acknowledged == golden.length)
  }

  /// `dfu_test_softdevice_w_bootloader_b_s132.zip`; the form of its init packet is §2.6's, the checksum the facts'.
  @Test("A SoftDevice with its bootloader")
  func softDeviceAndBootloader() {
    let part = LegacyPart(
      .softDeviceAndBootloader, sizes: LegacyPart.Sizes(softDevice: 108_212, bootloader: 14_900), initPacket: bytes("FFFF FFFF FFFFFFFF 0100 FEFF D99E"),
      image: synthetic(123_112))
    var performer = Performer(LegacyTransfer(part, version: .latest, settings: LegacySettings(receiptInterval: 12)), FakeLegacyBoard())
    performer.run()
    #expect(performer.controls == ["W 01 03", "W 02 00", "W 02 01", "W 08 0C 00", "W 03", "W 04", "W 05"])
    #expect(hex(performer.packets[0]) == "B4 A6 01 00 34 3A 00 00 00 00 00 00")
    #expect(performer.packets.count == 2 + 6156)
    #expect(performer.end == .finished)
  }

  /// metaboot.md §5.8: 5920 = 493 × 12 + 4.
  @Test(
    "Receipts by interval; none for the packets that complete the image",
    arguments: [(12, 493), (10, 591), (8, 739), (16, 369), (20, 295), (1, 5919), (5920, 0), (6000, 0)])
  func receiptCounts(interval: Int, count: Int) throws {
    let part = try #require(LegacyPart(single: .application, initPacket: bytes(Self.golden[0].initPacket), image: synthetic(118_400)))
    var performer = Performer(LegacyTransfer(part, version: .latest, settings: LegacySettings(receiptInterval: interval)), FakeLegacyBoard())
    performer.run()
    #expect(performer.receipts.count == count)
    #expect(performer.end == .finished)
  }

  @Test("Each kind of part has its own type and its place among the sizes")
  func kinds() throws {
    let packet = bytes(Self.golden[0].initPacket)
    for (type, control, sizes) in [
      (DFUImageType.softDevice, "W 01 01", "40 00 00 00 00 00 00 00 00 00 00 00"), (.bootloader, "W 01 02", "00 00 00 00 40 00 00 00 00 00 00 00"),
      (.application, "W 01 04", "00 00 00 00 00 00 00 00 40 00 00 00"),
    ] {
      let part = try #require(LegacyPart(single: type, initPacket: packet, image: synthetic(64)))
      var performer = Performer(LegacyTransfer(part, version: .latest), FakeLegacyBoard())
      performer.run()
      #expect(performer.controls.first == control)
      #expect(hex(performer.packets[0]) == sizes)
      #expect(type.isSystemPart == (type != .application))
    }
    #expect(LegacyPart(single: .softDeviceAndBootloader, initPacket: packet, image: synthetic(64)) == nil)
  }

  /// A signed init packet of SDK 11 has 116 bytes (nordic-dfu.md §8.4), a multiple of 20 must not end with an empty packet (metaboot.md §5.8).
  @Test(
    "A long init packet goes in pieces of 20 bytes",
    arguments: [(116, [20, 20, 20, 20, 20, 16]), (40, [20, 20]), (12, [12]), (128, [20, 20, 20, 20, 20, 20, 8])])
  func longInitPacket(length: Int, pieces: [Int]) throws {
    let part = try #require(LegacyPart(single: .application, initPacket: synthetic(length), image: synthetic(8)))
    var performer = Performer(LegacyTransfer(part, version: .latest, settings: LegacySettings(packetSize: 244)), FakeLegacyBoard())
    performer.run()
    #expect(performer.packets.map(\.count) == [12] + pieces + [8])
    #expect(performer.board.initPacket == synthetic(length))
  }
}
