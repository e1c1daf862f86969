import Firmware
import Testing

@testable import VirtualLine

/// Packages as the SDK's `generate_zip.py` makes them (smp.md §6): which keys, which of them text, which numbers.
struct VirtualPackageTests {
  private static let version = ImageVersion(major: 2, minor: 0, revision: 0)

  private func package(_ kind: SMPKind) -> VirtualPackage { VirtualPackage(for: kind.settings, version: Self.version, size: 600) }

  private func manifest(_ kind: SMPKind) throws -> String {
    let bytes = try package(kind).bytes()
    // Stored, so that the text lies in the archive as it is, behind a head of 30 bytes and a name of 13; bytes 22 to 25 are its length.
    let length = (0..<4).reduce(0) { $0 | Int(bytes[22 + $1]) << (8 * $1) }
    return String(decoding: bytes[43..<(43 + length)], as: UTF8.self)
  }

  @Test func anApplicationAndItsNetworkCore() throws {
    let size = package(.multi).parts.map(\.bytes.count)
    #expect(
      try manifest(.multi) == """
        {
          "files" : [
            {
              "board" : "virtual_line",
              "file" : "app.signed.bin",
              "image_index" : "0",
              "load_address" : 65536,
              "modtime" : 1796000000,
              "size" : \(size[0]),
              "slot_index_primary" : "1",
              "slot_index_secondary" : "2",
              "soc" : "nrf5340",
              "type" : "application",
              "version_MCUBOOT" : "2.0.0+0"
            },
            {
              "board" : "virtual_line/nrf5340/cpunet",
              "file" : "ipc_radio_1.bin",
              "image_index" : "1",
              "load_address" : 925696,
              "modtime" : 1796000000,
              "size" : \(size[1]),
              "slot_index_primary" : "3",
              "slot_index_secondary" : "4",
              "soc" : "nrf5340",
              "type" : "application",
              "version" : "1"
            }
          ],
          "format-version" : 1,
          "name" : "virtual-line",
          "time" : 1796000000
        }
        """)
  }

  @Test(arguments: [SMPKind.xip, .xipRevert])
  func twoBuildsForOneImage(_ kind: SMPKind) throws {
    let text = try manifest(kind)
    for line in [
      "\"file\" : \"app.signed.bin\"", "\"file\" : \"mcuboot_secondary_app.signed.bin\"", "\"slot\" : \"0\"", "\"slot\" : \"1\"",
      "\"load_address\" : 65536", "\"load_address\" : 495616", "\"version_MCUBOOT+XIP\" : \"2.0.0+0\"",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(!text.contains("slot_index") && !text.contains("\"version_MCUBOOT\""))
    let parts = package(kind).parts
    #expect(parts.map(\.slot) == [0, 1])
    #expect(parts.map { StoredImage($0.bytes)?.fixedAddress } == [65536, 495_616])
    #expect(StoredImage(parts[0].bytes)?.hash != StoredImage(parts[1].bytes)?.hash)
  }

  @Test(arguments: [SMPKind.swap, .overwrite, .ramLoad, .loader, .sha512])
  func oneImageIsABareFile(_ kind: SMPKind) throws {
    let package = package(kind)
    #expect(!package.isArchive)
    let image = try #require(StoredImage(try package.bytes()))
    #expect(image.valid && image.version == Self.version)
    #expect(image.hash.count == (kind == .sha512 ? 64 : 32))
    #expect(package.parts.map(\.slot) == [kind == .loader ? 0 : 1])
  }

  /// What the product's own reader makes of them.
  @Test(arguments: SMPKind.withImages)
  func theReaderTakesEveryOne(_ kind: SMPKind) throws {
    let made = package(kind)
    for part in made.parts {
      let image = try MCUbootImage(part.bytes)
      #expect(image.version == Self.version)
    }
  }

  /// A board of each kind takes the part for its free slot.
  @Test(arguments: SMPKind.withImages)
  func everyKindTakesItsOwnPackage(_ kind: SMPKind) {
    var bench = BoardBench(kind.settings)
    _ = bench.connect()
    if kind == .loader {
      _ = bench.ask("0A00000C00000305A169626F6F745F6D6F646501")
      bench.run(for: .seconds(10))
      _ = bench.connect()
    }
    let parts = VirtualPackage(for: kind.settings, version: Self.version, size: 600).parts
    for part in parts where !(kind == .xip || kind == .xipRevert) || part.slot == 1 {
      #expect(!bench.upload(part.bytes, image: part.image).contains("63657272"))
      _ = bench.setState(StoredImage(part.bytes)?.hash, confirm: true)
    }
    bench.reset()
    #expect(bench.board.flash.images.allSatisfy { $0.running?.version == Self.version })
    #expect(bench.board.isUpdated)
  }
}
