import Firmware
import Foundation
import LineFixture
import Testing

@Suite("PackageReport: Nordic DFU")
struct NordicReportTests {
  private func json(_ package: NordicPackage) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(PackageReport(package))) as? [String: Any])
  }

  @Test("the document has the promised keys, and the values that the tools were given")
  func document() throws {
    let document = try json(NordicFixture.package("legacy-05.zip"))
    #expect(Set(document.keys) == ["file", "kind", "size", "sha256", "images", "parts", "complaints"])
    #expect(document["kind"] as? String == "nordic_package")
    let part = try #require((document["parts"] as? [[String: Any]])?.first)
    #expect(Set(part.keys) == ["part", "name", "size", "sha256", "crc16", "crc32", "protocol", "sizes", "init_packet"])
    #expect(part["crc16"] as? Int == 19212)
    #expect(part["sizes"] as? [String: Int] == ["softdevice": 0, "bootloader": 0, "application": 512])
    let packet = try #require(part["init_packet"] as? [String: Any])
    #expect(
      Set(packet.keys)
        == ["size", "form", "device_type", "device_revision", "application_version", "softdevices", "signed", "debug", "boot_validations"])
    #expect(packet["device_type"] as? Int == 6)
    #expect(packet["softdevices"] as? [Int] == [0x88])
  }

  @Test("Secure DFU: type, versions, hash, signature")
  func secure() throws {
    let document = try json(NordicFixture.package("secure-all.zip"))
    let parts = try #require(document["parts"] as? [[String: Any]])
    #expect(parts.map { $0["part"] as? String } == ["softdevice_bootloader", "application"])
    let packets = parts.compactMap { $0["init_packet"] as? [String: Any] }
    #expect(packets.map { $0["type"] as? String } == ["softdevice_bootloader", "application"])
    #expect(packets.map { $0["fw_version"] as? Int } == [3, 5])
    #expect(packets.map { $0["hash"] as? String } == parts.map { $0["sha256"] as? String })
    #expect(packets.map { $0["signed"] as? Bool } == [true, true])
    #expect(packets.map { $0["boot_validations"] as? [String] } == [["crc", "crc"], ["crc"]])
  }

  @Test("people read the same facts")
  func lines() throws {
    let legacy = PackageReport(try NordicFixture.package("legacy-all.zip")).lines.joined(separator: "\n")
    let legacyFacts = [
      "Nordic DFU package", "Legacy DFU", "SoftDevice 256 bytes, bootloader 128 bytes", "type any", "0x0080 (S130 2.0.0), 0xfffe (any)", "no complaints",
    ]
    for text in legacyFacts {
      #expect(legacy.contains(text), "\(text)")
    }
    let secure = PackageReport(try NordicFixture.package("secure-unsigned.zip")).lines.joined(separator: "\n")
    let secureFacts = [
      "Secure DFU", "hardware     version 52", "version      5, debug", "at start     crc", "warning: 'app.bin' (application) is not signed",
    ]
    for text in secureFacts {
      #expect(secure.contains(text), "\(text)")
    }
    let bare = PackageReport(try NordicPackage(fileName: "app.hex", bytes: Fixture.bytes("nordic/app.hex"))).lines.joined(separator: "\n")
    #expect(bare.contains("address      0x0001f000"))
    #expect(bare.contains("init packet  none"))
  }
}

/// Public packages, none of which is committed: `FLASHLINE_NORDIC_PACKAGES` names a folder with them (facts/nordic-dfu.md §8.1).
@Suite("NordicPackage: real packages")
struct RealPackagesTests {
  static let folder = ProcessInfo.processInfo.environment["FLASHLINE_NORDIC_PACKAGES"]

  /// What facts/nordic-dfu.md §9.1–9.3 measured: name, bytes, CRC-16 (Legacy), CRC-32 of the image.
  static let measured: [(String, Int, UInt16?, UInt32)] = [
    ("metawearmmc-r0.1-r1.3.5.zip", 118_400, 0x614d, 0xf0b1_bb9e), ("metawearmmr-r0.2-r1.3.4.zip", 118_832, 0x16c4, 0x4d40_923c),
    ("blinky_mbr_sdk160.zip", 1508, nil, 0x3477_e14c), ("hrs_application_s140_sdk160.zip", 98_032, nil, 0x5a13_6dbe),
  ]

  @Test("every zip in the folder is read and agrees with itself", .enabled(if: folder != nil, "FLASHLINE_NORDIC_PACKAGES names no folder"))
  func all() throws {
    let folder = URL(filePath: try #require(Self.folder))
    let found = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in found where file.pathExtension.lowercased() == "zip" {
      let package = try NordicPackage(path: file.path)
      count += 1
      #expect(NordicFixture.subjects(package.complaints) == [], "\(file.lastPathComponent)")
      if let row = Self.measured.first(where: { $0.0 == file.lastPathComponent }), let part = package.parts.last {
        #expect(part.image.count == row.1)
        #expect(row.2 == nil || part.crc16 == row.2)
        #expect(part.crc32 == row.3)
        if row.0.hasPrefix("hrs_application") { objects(part.image) }
      }
    }
    #expect(count > 0, "no zip in \(folder.path)")
  }

  /// The checksum at the end of each object, as the bootloader tells it (§9.3).
  private func objects(_ image: [UInt8]) {
    #expect(CRC32.atEnds(of: image, every: 4096) == NordicTranscripts.hrsObjects.sorted { $0.key < $1.key }.map(\.value))
  }
}
