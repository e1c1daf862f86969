import Firmware
import Foundation
import Testing

/// Files on a real disk.
@Suite("FirmwarePackage: from a path")
struct LoadingTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flashline-firmware-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("a missing file, a folder, a special file and an empty file each have their own words")
  func notReadable() throws {
    try withFolder { folder in
      let empty = folder.appendingPathComponent("empty.bin")
      try Data().write(to: empty)
      #expect(throws: PackageError.fileMissing) { try FirmwarePackage(path: folder.path + "/missing.bin") }
      #expect(throws: PackageError.fileMissing) { try FirmwarePackage(path: "") }
      #expect(throws: PackageError.notAFile) { try FirmwarePackage(path: folder.path) }
      #expect(throws: PackageError.notAFile) { try FirmwarePackage(path: "/dev/zero") }
      #expect(throws: PackageError.fileEmpty) { try FirmwarePackage(path: empty.path) }
    }
  }

  @Test("a file over the limit is refused by its size")
  func tooLarge() throws {
    let path = try Fixture.url("unsigned.bin").path
    var limits = PackageLimits()
    limits.fileSize = 2119
    #expect(throws: PackageError.fileTooLarge(bytes: 2120, limit: 2119)) { try FirmwarePackage(path: path, limits: limits) }
    limits.fileSize = 2120
    #expect(try FirmwarePackage(path: path, limits: limits).size == 2120)
  }

  @Test("a symbolic link is followed and keeps its own name; umlauts and blanks are only a name")
  func links() throws {
    try withFolder { folder in
      let target = folder.appendingPathComponent("größe 1 %20.bin")
      try Data(Fixture.bytes("unsigned.bin")).write(to: target)
      #expect(try FirmwarePackage(path: target.path).fileName == "größe 1 %20.bin")
      let link = folder.appendingPathComponent("current.bin")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
      #expect(try FirmwarePackage(path: link.path).fileName == "current.bin")
    }
  }

  @Test(
    "other files are told what they are",
    arguments: [
      ("a.hex", Array(":100000000102030405060708090A0B0C0D0E0F1068\n".utf8), PackageError.notFirmware(.intelHex)),
      ("zephyr.elf", [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0], .notFirmware(.elf)),
      ("root.suit", [0xd8, 0x6b, 0xa2], .envelopeBroken("breaks off")),
      ("notes.bin", Array("hello".utf8), .notFirmware(.text)),
      ("app.bin", [0, 4, 0, 0x20, 0xd1, 0x10, 0, 0], .notFirmware(nil)),
      ("app.ZIP", [0, 1, 2, 3], .archiveBroken("it does not begin like one")),
      ("x", [0], .notFirmware(nil)),
    ] as [(String, [UInt8], PackageError)])
  func foreign(name: String, bytes: [UInt8], expected: PackageError) {
    #expect(throws: expected) { try FirmwarePackage(fileName: name, bytes: bytes) }
  }
}
