import Testing

@testable import NordicDFU

/// nordic-dfu.md §2.2.
struct DFUVersionTests {
  @Test(
    "Bytes are minor, major; only 0.1 is an application; from 0.5 on the init packet is extended",
    arguments: [
      ([0x01, 0x00], "0.1", DFUVersion.Mode.application, DFUVersion.InitPacketForm.checksum), ([0x05, 0x00], "0.5", .bootloader, .extended),
      ([0x06, 0x00], "0.6", .bootloader, .extended), ([0x07, 0x00], "0.7", .bootloader, .extended), ([0x08, 0x00], "0.8", .bootloader, .extended),
      ([0x04, 0x00], "0.4", .bootloader, .checksum), ([0x00, 0x01], "1.0", .bootloader, .extended), ([0x00, 0x00], "0.0", .bootloader, .checksum),
      ([0xFF, 0xFF, 0x99], "255.255", .bootloader, .extended),
    ] as [([UInt8], String, DFUVersion.Mode, DFUVersion.InitPacketForm)])
  func values(bytes: [UInt8], text: String, mode: DFUVersion.Mode, form: DFUVersion.InitPacketForm) throws {
    let version = try #require(DFUVersion(bytes))
    #expect(version.description == text)
    #expect(version.mode == mode)
    #expect(version.initPacketForm == form)
    #expect(version.bytes == [UInt8](bytes.prefix(2)))
  }

  @Test("A short value is none", arguments: [[], [8]] as [[UInt8]])
  func short(bytes: [UInt8]) {
    #expect(DFUVersion(bytes) == nil)
  }
}
