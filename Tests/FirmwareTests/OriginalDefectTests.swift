import Firmware
import Foundation
import Testing

/// What the Device Manager does wrong by facts/device-manager.md, marked [R] there: each with the behaviour that is right.
@Suite("Defects of the original that are not here")
struct OriginalDefectTests {
  private func load(_ manifest: String, _ entries: [ZipBuilder.Entry]) throws -> FirmwarePackage {
    try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive([ZipBuilder.Entry("manifest.json", manifest)] + entries))
  }

  private func manifest(_ name: String, _ more: String = "", size: Int = 2711) -> String {
    #"{"format-version":1,"time":1,"files":[{"type":"application","size":\#(size),"file":"\#(name)"\#(more)}]}"#
  }

  private let app = { try Fixture.bytes("ecdsa-sha256.bin") }

  // §3.1

  @Test("[R] §3.1: a missing cache or resource is an error, not dropped", arguments: ["cache", "bin"])
  func missingResource(type: String) throws {
    let root = try Fixture.bytes("packages/signed.suit")
    let files = #"{"type":"suit-envelope","file":"root.suit","size":\#(root.count)},{"type":"\#(type)","file":"gone.bin","size":1,"partition":"1"}"#
    #expect(throws: PackageError.entryMissing("gone.bin")) { try load(#"{"files":[\#(files)]}"#, [.init("root.suit", root)]) }
  }

  @Test("[R] §3.1: size, format-version, version, board and soc are compared")
  func compared() throws {
    let entry = try ZipBuilder.Entry("app.bin", app())
    #expect(throws: PackageError.entrySizeDiffers("app.bin", manifest: 2712, actual: 2711)) { try load(manifest("app.bin", size: 2712), [entry]) }
    let newer = manifest("app.bin").replacing("\"format-version\":1", with: "\"format-version\":2")
    #expect(throws: PackageError.manifestFormat(2)) { try load(newer, [entry]) }
    let package = try load(manifest("app.bin", #","version_MCUBOOT":"9.9.9","board":"a","soc":"b""#), [entry])
    #expect(package.complaints.map(\.subject) == [.versionDiffers])
    #expect(package.complaints(pinned: nil, version: nil, boards: ["c"], socs: ["c"]).map(\.subject) == [.otherBoard, .otherSoC])
  }

  @Test("[R] §3.1: a bare file without a readable hash is an error, not an empty hash")
  func emptyHash() throws {
    #expect(throws: PackageError.self) { try FirmwarePackage(fileName: "a.bin", bytes: Array(app().prefix(2500))) }
  }

  // §3.2

  @Test("[R] §3.2: app.bin is not found in net_app.bin")
  func substring() throws {
    let net = try Fixture.bytes("unsigned.bin")
    let package = try load(manifest("app.bin"), [.init("net_app.bin", net), .init("app.bin", app())])
    #expect(package.images.map(\.bytes) == [try app()])
    #expect(throws: PackageError.entryMissing("app.bin")) { try load(manifest("app.bin"), [.init("net_app.bin", app())]) }
  }

  @Test("[R] §3.2: names with blanks, umlauts and percent signs are found", arguments: ["app 1.bin", "größe.bin", "a%20b.bin", "a+b&c.bin"])
  func oddName(name: String) throws {
    #expect(try load(manifest(name), [.init(name, app())]).images.map(\.name) == [name])
  }

  @Test("[R] §3.2: blanks within strings stay")
  func blanks() throws {
    let text = manifest("my app.bin", #", "board": "my board" "#).replacing("\"files\"", with: "\"name\": \"two words\", \"files\"")
    let package = try load(text, [.init("my app.bin", app())])
    #expect(package.name == "two words")
    #expect(package.images.first?.listing?.board == "my board")
  }

  @Test(
    "[R] §3.2: hexadecimal numbers are read wherever they stand, also as the last key",
    arguments: [#","load_address":0xc000"#, #","load_address":0xc000,"board":"b""#, #","load_address": 0xC000 "#, #","load_address":"0xc000""#])
  func hexadecimal(more: String) throws {
    #expect(try load(manifest("app.bin", more), [.init("app.bin", app())]).images.first?.listing?.loadAddress == 0xc000)
  }

  @Test("[R] §3.2: nothing is unpacked to the disk, so that nothing is left there")
  func noFolder() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flashline-defects-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("a.zip")
    try Data(Fixture.bytes("packages/dfu_suit.zip")).write(to: file)
    #expect(try FirmwarePackage(path: file.path).suit != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.zip"])
  }

  @Test("[R] §3.2: decompressed sizes are limited, and names checked", arguments: ["../app.bin", "/app.bin", "dir/app.bin", "dir/"])
  func limits(name: String) throws {
    #expect(throws: PackageError.archiveUnsafeName(name)) { try load(manifest("app.bin"), [.init("app.bin", app()), .init(name, [])]) }
    var bomb = try ZipBuilder.Entry("app.bin", app())
    bomb.isDeflated = true
    bomb.declaredSize = 4_000_000_000
    #expect(throws: PackageError.entryTooLarge("app.bin", bytes: 4_000_000_000, limit: 32 << 20)) { try load(manifest("app.bin"), [bomb]) }
  }

  @Test(
    "[R] §3.2: whole numbers for slot and image_index count as their text does",
    arguments: [(#","image_index":1,"slot":0"#, 1, 0), (#","image_index":"1","slot":"0""#, 1, 0), (#","image_index":0x1,"slot":"0x0""#, 1, 0)])
  func integers(more: String, number: Int, slot: Int) throws {
    let image = try #require(try load(manifest("app.bin", more), [.init("app.bin", app())]).images.first)
    #expect(image.number == number)
    #expect(image.slot == slot)
  }

  // §3.5

  @Test("[R] §3.5: an entry of a vendor is not taken for the hash that its low byte would name")
  func vendorEntry() throws {
    let image = try MCUbootImage(Fixture.bytes("packages/vendor-entry.bin"))
    #expect(image.hash.kind == .sha256)
    #expect(image.hashCheck == .matches)
    #expect(image.protectedEntries.map(\.type) == [0x10a0, 0x12f0])
    // The hash itself under a vendor's number is no hash: 0x0110 instead of 0x10.
    let plain = try Fixture.bytes("unsigned.bin")
    #expect(throws: PackageError.imageHashMissing(pureSignature: false)) { try MCUbootImage(plain.patched(at: 0x20 + 2048 + 4, [0x10, 0x01])) }
  }

  @Test("[R] §3.5: a file cut off anywhere is an error, not a crash")
  func cutOff() throws {
    let bytes = try app()
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: PackageError.self) { try FirmwarePackage(fileName: "a.bin", bytes: Array(bytes.prefix(length))) }
    }
  }

  // §4.1

  @Test("[R] §4.1: a signature beside the digest does not spoil the envelope")
  func signedEnvelope() throws {
    let package = try FirmwarePackage(path: Fixture.url("packages/signed.suit").path)
    let envelope = try #require(package.suit?.envelope)
    #expect(envelope.isSigned)
    #expect(envelope.digestCheck == .matches)
    #expect(package.complaints.allSatisfy { $0.severity == .warning })
  }

  @Test("[R] §4.1: the digest is read where it stands, not looked for as a byte string")
  func digestByStructure() throws {
    // The bytes 82 2F 58 20 stand in a payload in front of the wrapper's digest.
    let wrapper: [UInt8] = [0x02, 0x58, 0x27, 0x81, 0x58, 0x24, 0x82, 0x2f, 0x58, 0x20]
    let decoy: [UInt8] = [0x62, 0x23, 0x61, 0x58, 0x24, 0x82, 0x2f, 0x58, 0x20] + [UInt8](repeating: 0xee, count: 32)
    let bytes = [0xd8, 0x6b, 0xa3] + decoy + wrapper + [UInt8](repeating: 0x11, count: 32) + [0x03, 0x43, 0xa1, 0x02, 0x07]
    let envelope = try SUITEnvelope(bytes)
    #expect(envelope.digest == [UInt8](repeating: 0x11, count: 32))
    #expect(envelope.sequenceNumber == 7)
  }
}
