import Firmware
import Testing

@Suite("Intel HEX")
struct IntelHexTests {
  private func hex(_ name: String) throws -> IntelHex { try IntelHex(Fixture.bytes("nordic/\(name).hex")) }

  private func error(_ text: String) -> PackageError? {
    do {
      _ = try IntelHex(Array(text.utf8)).image(limit: 1 << 20)
      return nil
    } catch {
      return error
    }
  }

  static let made: [(String, UInt32, String)] = [
    ("app", 0x1_f000, "legacy-05.zip"), ("sd", 0x1000, "legacy-softdevice.zip"), ("bl", 0x7_8000, "legacy-bootloader.zip"),
  ]

  @Test("files of intelhex give the bytes that went in", arguments: made)
  func files(name: String, address: UInt32, package: String) throws {
    let image = try hex(name).image(limit: 1 << 20)
    #expect(image.address == address)
    #expect(image.bytes == (try NordicFixture.package(package).parts.first?.image))
  }

  private static let end = ":00000001FF\n"

  @Test("gaps are filled like erased flash; the master boot record and UICR are dropped where asked")
  func holes() throws {
    let text = ":020000040000FA\n:01000000AA55\n:01100000BB34\n:01100300CC20\r\n\n:020000041000EA\n:01101400DDFE\n" + Self.end
    let hex = try IntelHex(Array(text.utf8))
    #expect(hex.runs.count == 4)
    let softDevice = try hex.image(from: IntelHex.softDeviceStart, limit: 16)
    #expect(softDevice.address == 0x1000)
    #expect(softDevice.bytes == [0xbb, 0xff, 0xff, 0xcc])
    #expect(try hex.image(limit: 0x2000).bytes.count == 0x1004)
    #expect(throws: PackageError.hexTooLarge(0x1004, limit: 0x1003)) { try hex.image(limit: 0x1003) }
    #expect(throws: PackageError.hexEmpty) { try hex.image(from: 0x2000, limit: 16) }
  }

  @Test("segment records, records out of order, small letters, blanks at the end of lines")
  func odd() throws {
    let text = ":020000021000EC\n:01000200bb42  \n:02000000AA01532\n"
    #expect(error(text) == .hexBroken(line: 3, "it is not made of pairs of hexadecimal digits"))
    let right = ":020000021000EC\n:01000200bb42  \n:02000000AA0153\n:0400000300003800C1\n:04000005000004F5FE\n" + Self.end + "what follows is nothing"
    let image = try IntelHex(Array(right.utf8)).image(limit: 16)
    #expect(image.address == 0x10000)
    #expect(image.bytes == [0xaa, 0x01, 0xbb])
  }

  @Test(
    "each broken line is named",
    arguments: [
      ("01000000AA55\n", 1, "colon"), (":01000000AA56\n", 1, "checksum"), ("\n:01000000AA\n", 2, "length"), (":\n", 1, "length"),
      (":010000000\n", 1, "pairs"), (":0100000GAA55\n", 1, "pairs"), (":0000000CF4\n", 1, "type 12"), (":0100000401FA\n", 1, "two bytes"),
      (":01000000AA55\n", 2, "end record"), ("", 1, "end record"), (":" + String(repeating: "00", count: 261), 1, "too long"),
      (":02000004FFFFFC\n:02FFFF000000" + "00\n" + ":00000001FF\n", 2, "32 bits"),
    ])
  func broken(text: String, line: Int, reason: String) {
    guard case .hexBroken(line, let found)? = error(text) else {
      Issue.record("\(text): \(String(describing: error(text)))")
      return
    }
    #expect(found.contains(reason))
  }

  @Test("the same address twice")
  func twice() {
    #expect(error(":02000000AA0153\n:01000100BB43\n" + Self.end) == .hexBroken(line: 2, "it fills an address a second time"))
  }

  @Test("far-apart records do not take memory")
  func farApart() throws {
    let hex = try IntelHex(Array((":01000000AA55\n:020000040FFFEC\n:01000000AA55\n" + Self.end).utf8))
    #expect(throws: PackageError.hexTooLarge(0xfff_0001, limit: 10 << 20)) { try hex.image(limit: 10 << 20) }
  }

  @Test("no beginning of a file is taken for all of it")
  func everyPrefix() throws {
    let bytes = try Fixture.bytes("nordic/app.hex")
    // Without the last line's end it is still whole.
    for length in 0..<(bytes.count - 2) {
      #expect(throws: PackageError.self) { try IntelHex(Array(bytes.prefix(length))) }
    }
  }
}
