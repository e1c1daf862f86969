import LineFixture
import Testing

@testable import NordicDFU

/// The transcripts of nordic-dfu.md §9.2 and §9.3, byte for byte in every control frame; the real images' checksums are the facts', as values.
struct SecureGoldenTests {
  @Test("One object: blinky_mbr_sdk160", arguments: [false, true])
  func oneObject(notificationsFirst: Bool) {
    let checksum = { (data: DFUData, count: Int) -> UInt32 in
      switch (data, count) {
      case (_, 0): 0
      case (.initPacket, 139): 0x4F46_8C46
      case (.image, 1508): 0x3477_E14C
      default: 0xDEAD_BEEF
      }
    }
    let part = SecurePart(initPacket: synthetic(139), image: synthetic(1508))
    let board = FakeSecureBoard(commandLength: 139, length: 1508, checksum: checksum)
    var performer = Performer(SecureTransfer(part, settings: SecureSettings(mtu: 247)), board)
    performer.checksum = checksum
    performer.notificationsFirst = notificationsFirst
    performer.run()
    #expect(
      performer.log == [
        "W 06 01", "N 60 06 01 00 01 00 00 00 00 00 00 00 00 00 00", "W 02 00 00", "N 60 02 01", "W 01 01 8B 00 00 00", "N 60 01 01", "W 03",
        "N 60 03 01 8B 00 00 00 46 8C 46 4F", "W 04", "N 60 04 01", "W 06 02", "N 60 06 01 00 10 00 00 00 00 00 00 00 00 00 00", "W 01 02 E4 05 00 00",
        "N 60 01 01", "pause 0.4 seconds", "W 03", "N 60 03 01 E4 05 00 00 4C E1 77 34", "W 04", "N 60 04 01",
      ])
    #expect(performer.packets.map(\.count) == [139, 244, 244, 244, 244, 244, 244, 44])
    #expect(performer.end == .finished)
    #expect(performer.progress == [1508])
  }

  @Test("24 objects with receipts: hrs_application_s140_sdk160", arguments: [0, 12], [false, true])
  func manyObjects(interval: Int, notificationsFirst: Bool) {
    let checksum = { (data: DFUData, count: Int) -> UInt32 in
      data == .initPacket ? count == 144 ? 0x626E_E63C : 0 : NordicTranscripts.hrsObjects[count] ?? UInt32(count)
    }
    let part = SecurePart(initPacket: synthetic(144), image: synthetic(98_032))
    let board = FakeSecureBoard(commandLength: 144, length: 98_032, checksum: checksum)
    var performer = Performer(SecureTransfer(part, settings: SecureSettings(mtu: 247, receiptInterval: interval)), board)
    performer.checksum = checksum
    performer.notificationsFirst = notificationsFirst
    performer.run()
    let receipts = interval == 0 ? [] : ["W 02 0C 00"]
    let opening = ["W 06 01", "W 02 00 00", "W 01 01 90 00 00 00", "W 03", "W 04"] + receipts + ["W 06 02"]
    let objects = (0..<24).flatMap { [$0 == 23 ? "W 01 02 F0 0E 00 00" : "W 01 02 00 10 00 00", "W 03", "W 04"] }
    #expect(performer.controls == opening + objects)
    #expect(performer.packets.dropFirst().flatMap { $0 } == part.image)
    #expect(performer.packets.dropFirst().allSatisfy { $0.count <= 244 && $0.count % 4 == 0 })
    #expect(performer.end == .finished)
    #expect(performer.progress.last == 98_032)
    #expect(performer.progress == performer.progress.sorted())
  }

  @Test("A packet is what the MTU leaves, in whole words", arguments: [(23, 20), (247, 244), (517, 512), (65, 60), (1000, 512), (0, 4), (-1, 4)])
  func packetSize(mtu: Int, size: Int) {
    #expect(SecureSettings(mtu: mtu).packetSize == size)
  }
}
