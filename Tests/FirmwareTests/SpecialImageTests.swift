import Firmware
import Foundation
import Testing

/// Images of kinds that are met less often.
@Suite("MCUbootImage: special kinds")
struct SpecialImageTests {
  @Test("nRF54L: SHA-512 with Ed25519 is as good as any, bare and in a package")
  func sha512() throws {
    for name in ["packages/nrf54l.signed.bin", "packages/nrf54l.zip"] {
      let package = try FirmwarePackage(path: Fixture.url(name).path)
      let image = try #require(package.images.first?.image)
      #expect(image.hash.kind == .sha512)
      #expect(image.hash.bytes.count == 64)
      #expect(image.hashCheck == .matches)
      #expect(image.signatures == [.ed25519])
      #expect(package.complaints == [])
      #expect(package.complaints(pinned: nil, version: ImageVersion("3.0.1"), allowsUnsigned: false) == [])
    }
  }

  @Test("the format before MCUboot 1.0: own types and flags, read and told as what it is")
  func oldFormat() throws {
    let bytes = try Fixture.bytes("packages/old-format.bin")
    let package = try FirmwarePackage(fileName: "old.bin", bytes: bytes)
    let image = try #require(package.images.first?.image)
    #expect(image.isOldFormat)
    #expect(image.version == ImageVersion(major: 1, minor: 0, revision: 3))
    #expect(image.headerSize == 32)
    #expect(image.bodySize == 1000)
    #expect(image.hash == (try Digest(.sha256, of: bytes.prefix(1032))))
    #expect(image.hashCheck == .matches)
    #expect(image.signatures == [.rsa2048])
    #expect(!image.isEncrypted, "bit 2 meant RSA-2048 then")
    #expect(image.trailing == .nothing)
    #expect(package.complaints.map(\.subject) == [.oldFormat])
    #expect(PackageReport(package).images.map(\.oldFormat) == [true])
    let spoilt = try FirmwarePackage(fileName: "old.bin", bytes: bytes.patched(at: 500, [bytes[500] ^ 1]))
    #expect(spoilt.complaints.map(\.subject) == [.hashDiffers, .oldFormat])
  }

  @Test(
    "entries of the old format that break off",
    arguments: [
      (4, [0, 0], PackageError.imageEntriesMissing), (4, [0xff, 0xff], .imageTruncated(.entries, needed: 1032 + 0xffff, have: 1328)),
      (4, [3, 0], .imageEntryBroken(type: nil, offset: 1032)), (1034, [0xff, 0xff], .imageEntryBroken(type: 1, offset: 1032)),
      (1034, [0x24, 0x01], .imageHashLength(.sha256, 292)), (1032, [9], .imageHashMissing(pureSignature: false)),
    ] as [(Int, [UInt8], PackageError)])
  func oldFormatBroken(offset: Int, bytes: [UInt8], expected: PackageError) throws {
    let image = try Fixture.bytes("packages/old-format.bin").patched(at: offset, bytes)
    #expect(throws: expected) { try MCUbootImage(image) }
  }

  /// Layouts and sizes of `slinky-no-prot-tlv.img` and `slinky-prot-tlv.img` (facts/device-manager.md §9); the body here is zeros, the hashes are by Python's hashlib.
  @Test(
    "the layouts of the Android library's test images",
    arguments: [
      (false, 70832, "d7bd4eb43bb05d03dfce8f88fbae30f31e4722973e2b5385fc9802b9d12066d2"),
      (true, 70856, "b965c100da364e407b02ed6b954aaea789c46c2861bd3fe46d9ece58248d4ee4"),
    ])
  func slinky(isProtected: Bool, size: Int, hash: String) throws {
    let protected: [UInt8] =
      isProtected ? [0x08, 0x69, 24, 0, 0x60, 0, 4, 0, 1, 0, 0, 0, 0x50, 0, 8, 0, 0x2b, 0x4a, 0xd2, 0x89, 0x74, 0x45, 0x63, 0xb8] : []
    let header: [UInt8] = [
      0x3d, 0xb8, 0xf3, 0x96, 0, 0, 0, 0, 32, 0, UInt8(protected.count), 0, 0x68, 0x14, 0x01, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    let hashed = header + [UInt8](repeating: 0, count: 70760) + protected
    let bytes = try hashed + [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + Digest(.sha256, of: hashed).bytes
    let image = try MCUbootImage(bytes)
    #expect(bytes.count == size)
    #expect(image.length == size)
    #expect(image.hash.hex == hash)
    #expect(image.hashCheck == .matches)
    #expect(image.protectedEntries.map(\.type) == (isProtected ? [0x60, 0x50] : []))
    #expect(image.securityCounter == nil, "the counter has eight bytes there instead of four")
  }
}
