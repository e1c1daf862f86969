import Firmware
import Foundation
import Testing

@Suite("FirmwarePackage: files that are good")
struct PackageTests {
  @Test("a bare image is its own package, whatever its name says", arguments: ["fw_slot1.bin", "image-7.img", "app.zip", "noextension"])
  func bareImage(fileName: String) throws {
    let bytes = try Fixture.bytes("ecdsa-sha256.bin")
    let package = try FirmwarePackage(fileName: fileName, bytes: bytes)
    let image = try #require(package.images.first)
    #expect(package.kind == .image)
    #expect(image.number == 0)
    #expect(image.slot == 1)
    #expect(image.name == fileName)
    #expect(image.bytes == bytes)
    #expect(image.sha256 == package.sha256)
    #expect(image.sha256.hex != image.image.hash.hex, "two hashes, kept apart")
    #expect(package.complaints == [])
  }

  @Test("a package of one image, however it was packed", arguments: ["single.zip", "single-stored.zip", "single-streamed.zip"])
  func package(name: String) throws {
    let package = try FirmwarePackage(path: Fixture.url(name).path)
    let app = try Fixture.bytes("ecdsa-sha256.bin")
    let image = try #require(package.images.first)
    #expect(package.kind == .package)
    #expect(package.fileName == name)
    #expect(package.name == "app")
    #expect(package.images.count == 1)
    #expect(image.bytes == app)
    #expect(image.sha256 == (try Digest(.sha256, of: app)))
    #expect(package.sha256 == (try Digest(.sha256, of: try Fixture.bytes(name))))
    #expect(image.name == "app.signed.bin")
    #expect(image.listing?.board == "virtual")
    #expect(image.listing?.loadAddress == 0xc000)
    #expect(package.complaints == [])
  }

  @Test("a package for Nordic's bootloaders is refused by name")
  func notSupported() throws {
    let path = try Fixture.url("nordic-dfu.zip").path
    #expect(throws: PackageError.notSupported(.nordicDFU)) { try FirmwarePackage(path: path) }
  }

  @Test(
    "complaints about images",
    arguments: [
      ("unsigned", [.unsigned]), ("encrypted", [.hashUnchecked]), ("encrypted-x25519", [.hashUnchecked]), ("encryptable-clear", []),
      ("protected", []), ("ed25519-pure", []), ("rom-fixed", [.fixedAddress]), ("padded", [.trailingBytes]), ("padded-confirmed", [.trailingBytes]),
      ("compressed", [.compressed]), ("non-bootable", [.nonBootable]),
    ] as [(String, [Complaint.Subject])])
  func complaints(name: String, expected: [Complaint.Subject]) throws {
    let package = try FirmwarePackage(path: Fixture.url(name + ".bin").path)
    #expect(package.complaints.map(\.subject) == expected)
    #expect(package.complaints.contains { $0.severity == .error } == (name == "compressed"))
  }

  @Test("a spoilt body is an error, a missing key of an encrypted image too, two hashes too")
  func spoilt() throws {
    let bytes = try Fixture.bytes("ecdsa-sha256.bin")
    let spoilt = try FirmwarePackage(fileName: "a.bin", bytes: bytes.patched(at: 0x300, [bytes[0x300] ^ 1]))
    #expect(spoilt.complaints.map(\.subject) == [.hashDiffers])
    #expect(spoilt.complaints.map(\.severity) == [.error])
    let keyless = try FirmwarePackage(fileName: "a.bin", bytes: bytes.patched(at: 16, [4]))
    #expect(Set(keyless.complaints.map(\.subject)) == [.hashUnchecked, .encryptionKeyMissing])

    let unsigned = try Fixture.bytes("unsigned.bin")
    let entry = Array(unsigned[(0x20 + 2048 + 4)...])
    let twice = try FirmwarePackage(fileName: "a.bin", bytes: unsigned.patched(at: 0x20 + 2048 + 2, [40 + 36, 0]) + entry)
    #expect(twice.complaints.map(\.subject) == [.hashTwice, .unsigned])
  }

  @Test("the profile's pin and version are held against the package")
  func wanted() throws {
    let package = try FirmwarePackage(path: Fixture.url("single.zip").path)
    let version = try #require(ImageVersion("1.2.3+4"))
    #expect(package.complaints(pinned: nil, version: nil) == [])
    #expect(package.complaints(pinned: package.sha256.hex.uppercased(), version: version) == [])
    let image = try #require(package.images.first)
    #expect(package.complaints(pinned: image.image.hash.hex, version: ImageVersion("1.2.3")).map(\.subject) == [.notPinned, .otherVersion])
  }
}
