import Firmware
import Foundation
import Testing

/// facts/field-reports.md, the rows about packages.
@Suite("Field reports: packages")
struct FieldReportTests {
  private func load(_ entry: String, format: String = "1") throws -> FirmwarePackage {
    let app = try Fixture.bytes("ecdsa-sha256.bin")
    let manifest = #"{"format-version":\#(format),"time":1,"files":[{"type":"application","size":\#(app.count),"file":"app.bin","modtime":1\#(entry)}]}"#
    return try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive([.init("manifest.json", manifest), .init("app.bin", app)]))
  }

  @Test("field report 3: format-version 1 is parsed", arguments: ["0", "1", #""1""#])
  func fieldReport3(format: String) throws {
    #expect(try load("", format: format).images.count == 1)
  }

  @Test(
    "field report 4: no image_index is 0; as text or as a number it is the same",
    arguments: [("", 0), (#","image_index":"1""#, 1), (#","image_index":1"#, 1), (#","image_index":"0""#, 0), (#","version_MCUBOOT":1,"image_index":2"#, 2)])
  func fieldReport4(entry: String, number: Int) throws {
    #expect(try load(entry).images.map(\.number) == [number])
  }

  @Test("field report 20: the file's hash and the image's are kept apart; an unsigned image is refused unless it is allowed")
  func fieldReport20() throws {
    let package = try FirmwarePackage(path: Fixture.url("unsigned.bin").path)
    let image = try #require(package.images.first)
    #expect(image.sha256 == (try Digest(.sha256, of: image.bytes)))
    #expect(image.image.hash != image.sha256)
    #expect(package.complaints(pinned: nil, version: nil, allowsUnsigned: false).map(\.severity) == [.error])
    #expect(package.complaints(pinned: nil, version: nil, allowsUnsigned: true) == [])
    #expect(package.complaints.map(\.subject) == [.unsigned])
    let signed = try FirmwarePackage(path: Fixture.url("ecdsa-sha256.bin").path)
    #expect(signed.complaints(pinned: nil, version: nil, allowsUnsigned: false) == [])
  }

  @Test("field report 23: a Direct-XIP package keeps both builds apart, so that the one for the inactive slot can be chosen")
  func fieldReport23() throws {
    let package = try FirmwarePackage(path: Fixture.url("packages/direct-xip.zip").path)
    #expect(package.isDirectXIP)
    #expect(package.images.first { $0.slot == 0 }?.image.loadAddress == 0xc000)
    #expect(package.images.first { $0.slot == 1 }?.image.loadAddress == 0x75000)
    let report = PackageReport(package)
    #expect(report.images.map(\.goesTo) == ["slot 0 of image 0, on boards that run from slot 1", "slot 1 of image 0, on boards that run from slot 0"])
  }

  @Test("field report 29: a broken zip, and a manifest that names no file or one that is not there, are refused")
  func fieldReport29() throws {
    let good = try Fixture.bytes("single.zip")
    #expect(throws: PackageError.self) { try FirmwarePackage(fileName: "a.zip", bytes: Array(good.dropLast(30))) }
    func archive(_ manifest: String) -> [UInt8] { ZipBuilder.archive([.init("manifest.json", manifest)]) }
    #expect(throws: PackageError.manifestEmpty) { try FirmwarePackage(fileName: "a.zip", bytes: archive(#"{"files":[]}"#)) }
    #expect(throws: PackageError.entryMissing("x")) { try FirmwarePackage(fileName: "a.zip", bytes: archive(#"{"files":[{"file":"x","size":1}]}"#)) }
    #expect(throws: PackageError.manifestMissing) { try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive([.init("app.bin", "x")])) }
  }

  @Test("field report 44: a name never changes the target", arguments: ["fw_slot1.bin", "fw_slot0.bin", "image1.bin", "net_core.bin", "slot3-image-2.img"])
  func fieldReport44(name: String) throws {
    let image = try #require(try FirmwarePackage(fileName: name, bytes: Fixture.bytes("ecdsa-sha256.bin")).images.first)
    #expect(image.number == 0)
    #expect(image.slot == 1)
    #expect(!image.isNetworkCore)
  }

  @Test("field report 45: Ed25519 and pure signatures are read; without a hash there is a clear message")
  func fieldReport45() throws {
    #expect(try FirmwarePackage(path: Fixture.url("ed25519-sha512.bin").path).complaints == [])
    let bytes = try Fixture.bytes("ed25519-pure.bin")
    #expect(try FirmwarePackage(fileName: "pure.bin", bytes: bytes).images.first?.image.hasPureSignature == true)
    // Without the SHA-512 entry (4 + 64 bytes at the head of the area).
    let start = 0x20 + 2048
    let size = Int(bytes[start + 2]) + Int(bytes[start + 3]) << 8 - 68
    let cut = Array(bytes[..<(start + 2)]) + [UInt8(size & 255), UInt8(size >> 8)] + Array(bytes[(start + 4 + 68)...])
    let expected = PackageError.imageHashMissing(pureSignature: true)
    #expect(throws: expected) { try FirmwarePackage(fileName: "pure.bin", bytes: cut) }
    #expect(expected.description.contains("pure signature and no hash"))
  }
}
