import Firmware
import Foundation
import Testing

/// Every point of facts/nordic-dfu.md §4.4: the package against itself, and against a board.
@Suite("NordicPackage: preflight")
struct NordicPreflightTests {
  static let image = [UInt8](repeating: 9, count: 16)

  private func legacy(_ hex: String, _ image: [UInt8] = image) throws -> [Complaint] {
    try NordicFixture.application(image, NordicFixture.bytes(hex)).complaints
  }

  private static func crc(_ image: [UInt8] = image) -> String {
    let crc = CRC16(of: image).value
    return [UInt8(crc & 0xff), UInt8(crc >> 8)].hex
  }

  @Test("Legacy DFU: image and init packet")
  func legacyPackage() throws {
    let head = "06000100 FFFFFFFF 0100 8800"
    #expect(try legacy(head + Self.crc()) == [])
    #expect(try legacy(Self.crc()) == [], "SDK 6")
    #expect(NordicFixture.subjects(try legacy(head + "0000")) == [.checksumDiffers])
    let odd = [UInt8](repeating: 9, count: 15)
    #expect(NordicFixture.subjects(try legacy(head + Self.crc(odd), odd)) == [.lengthUnaligned])
    #expect(NordicFixture.subjects(try legacy(head + "FFFF", [])) == [.imageEmpty])
    #expect(NordicFixture.subjects(try legacy("06000100 FFFFFFFF 0000" + Self.crc())) == [.initPacketIncomplete])
    let many = "06000100 FFFFFFFF 3A00" + String(repeating: "8800", count: 58) + Self.crc()
    #expect(try legacy(many) == [], "128 bytes, and not one more")
    let more = "06000100 FFFFFFFF 3B00" + String(repeating: "8800", count: 59) + Self.crc()
    #expect(NordicFixture.subjects(try legacy(more)) == [.initPacketLength])
    let sha = try Digest(.sha256, of: Self.image).hex
    #expect(try legacy(head + "01000000 10000000" + sha) == [])
    #expect(NordicFixture.subjects(try legacy(head + "01000000 11000000" + sha)) == [.sizesDiffer])
    #expect(NordicFixture.subjects(try legacy(head + "01000000 10000000" + InitPacketTests.sha)) == [.hashDiffers])
    #expect(try legacy(head + "01000000" + sha).map(\.subject) == [.initPacketIncomplete], "a warning: no length")
    #expect(try legacy(head + "09000000 01020304").map(\.subject) == [.hashUnchecked], "a warning: unknown form")
  }

  @Test(
    "Legacy DFU: SoftDevice and bootloader must add up",
    arguments: [
      ("", [.sizesDiffer]), (#","sd_size":8,"bl_size":8"#, []), (#","sd_size":8,"bl_size":4"#, [.sizesDiffer]),
      (#","sd_size":6,"bl_size":10"#, [.lengthUnaligned]), (#","info_read_only_metadata":{"sd_size":12,"bl_size":4}"#, []),
    ] as [(String, [Complaint.Subject])])
  func sizes(more: String, expected: [Complaint.Subject]) throws {
    let package = try NordicFixture.package([
      ZipBuilder.Entry("manifest.json", #"{"manifest":{"softdevice_bootloader":{"bin_file":"a.bin","dat_file":"a.dat"\#(more)},"dfu_version":0.5}}"#),
      ZipBuilder.Entry("a.bin", Self.image), ZipBuilder.Entry("a.dat", NordicFixture.bytes("06000100 FFFFFFFF 0100 8800" + Self.crc())),
    ])
    #expect(NordicFixture.subjects(package.complaints) == expected)
  }

  @Test("the init packet outranks the manifest: a warning")
  func manifestDiffers() throws {
    let json = #"""
      {"manifest":{"application":{"bin_file":"a.bin","dat_file":"a.dat","init_packet_data":{"device_type":7,"device_revision":1,
      "softdevice_req":[65534],"firmware_crc16":"?"}},"dfu_version":0.5}}
      """#
    let package = try NordicFixture.package([
      ZipBuilder.Entry("manifest.json", json), ZipBuilder.Entry("a.bin", Self.image),
      ZipBuilder.Entry("a.dat", NordicFixture.bytes("06000100 FFFFFFFF 0100 8800" + Self.crc())),
    ])
    #expect(package.complaints.map(\.subject) == [.manifestDiffers])
    #expect(package.complaints.first?.message.contains("device_type, softdevice_req") == true)
  }

  /// Fields of `InitCommand` for the image above: fw_version, hw_version, list, type, app_size, hash; each row leaves out or changes one.
  private func secure(_ fields: String, hash: String? = nil, _ severity: Complaint.Severity = .error) throws -> [Complaint.Subject] {
    let stored = try hash ?? Digest(.sha256, of: Self.image).bytes.reversed().hex
    let command = NordicFixture.bytes(fields + "42 24 08 03 12 20" + stored)
    let outer = [8, 1, 0x12, UInt8(command.count)] + command
    let package = try NordicFixture.application(Self.image, [0x0a, UInt8(outer.count)] + outer, dfuVersion: false)
    #expect(package.parts.map(\.dfuProtocol) == [.secure])
    return NordicFixture.subjects(package.complaints, severity)
  }

  @Test("Secure DFU: image and init packet")
  func securePackage() throws {
    let good = "08 01 10 34 1a 01 00 20 00 38 10"
    #expect(try secure(good) == [])
    #expect(try secure(good, .warning) == [.unsigned])
    #expect(try secure(good + "48 01", .warning) == [.unsigned, .debugBuild])
    #expect(try secure(good, hash: InitPacketTests.sha) == [.hashDiffers])
    #expect(try secure(good, hash: Digest(.sha256, of: Self.image).hex) == [.hashDiffers], "the last byte comes first")
    #expect(try secure("08 01 10 34 20 00 38 11") == [.sizesDiffer])
    #expect(try secure("08 01 10 34 20 02 30 10") == [.kindDiffers])
    #expect(try secure("08 01 10 34 20 04 38 10") == [], "external application")
    #expect(try secure("10 34 20 00 38 10") == [.initPacketIncomplete])
    #expect(try secure("08 01 20 00 38 10") == [.initPacketIncomplete])
    #expect(try secure("08 01 10 34 38 10") == [.initPacketIncomplete])
    #expect(try secure("08 01 10 34 20 09 38 10") == [.initPacketIncomplete], "an unknown type is none")
  }

  @Test("a hash of another kind, and a signature of another length")
  func oddHash() throws {
    let crc = NordicFixture.bytes("0a 16 08 01 12 12 08 01 10 34 20 00 38 10 42 08 08 01 12 04 01020304")
    let package = try NordicFixture.application(Self.image, crc, dfuVersion: false)
    #expect(NordicFixture.subjects(package.complaints) == [.hashUnchecked])
    let signed = try NordicFixture.package("secure-app.zip")
    let short = Array(signed.parts[0].initPacket.dropLast()).patched(at: 1, [0x89]).patched(at: 76, [0x3f])
    let cut = try NordicFixture.application(signed.parts[0].image, short, dfuVersion: false)
    #expect(NordicFixture.subjects(cut.complaints) == [.initPacketIncomplete])
  }

  // MARK: against a board

  private func against(_ name: String, _ change: (inout NordicTarget) -> Void) throws -> [Complaint.Subject] {
    var target = NordicTarget()
    change(&target)
    return try NordicFixture.package(name).complaints(for: target).map(\.subject)
  }

  @Test("MetaWear: model number and minor of the hardware revision, with wildcards")
  func metaWear() throws {
    let rows: [(String, String, String, [Complaint.Subject])] = [
      ("legacy-05.zip", "6", "0.1", []), ("legacy-05.zip", "6", "r0.1", []), ("rig-metawear.zip", "6", "0.1", []),
      ("legacy-05.zip", "5", "0.1", [.otherBoard]), ("legacy-05.zip", "6", "0.2", [.otherBoard]), ("legacy-05.zip", "5", "0.2", [.otherBoard, .otherBoard]),
      ("legacy-softdevice.zip", "5", "0.2", []), ("secure-app.zip", "6", "0.1", [.otherProtocol]), ("legacy-07.zip", "6", "0.1", [.initPacketLength]),
    ]
    for (name, model, revision, expected) in rows {
      let target = try #require(NordicTarget(metaWearModel: model, hardwareRevision: revision))
      #expect(try NordicFixture.package(name).complaints(for: target).map(\.subject) == expected, "\(name) \(model) \(revision)")
    }
    for (model, revision) in [("", "0.1"), ("six", "0.1"), ("6", "1"), ("6", "0.1.2"), ("6", ".1"), ("65535", "0.1"), ("6", "0.99999"), ("-6", "0.1")] {
      #expect(NordicTarget(metaWearModel: model, hardwareRevision: revision) == nil, "\(model) \(revision)")
    }
  }

  @Test("the protocol, the DFU version and the form of the init packet")
  func forms() throws {
    #expect(try against("legacy-05.zip") { $0.dfuProtocol = .secure } == [.otherProtocol])
    #expect(try against("secure-app.zip") { $0.dfuProtocol = .legacy } == [.otherProtocol])
    #expect(try against("legacy-08.zip") { $0.dfuVersion = .version(8) } == [.initPacketLength], "it would overwrite a plain bootloader's memory")
    #expect(
      try against("legacy-08.zip") {
        $0.dfuVersion = .version(8)
        $0.checksSignatures = true
      } == [])
    #expect(try against("legacy-06.zip") { $0.dfuVersion = .version(8) } == [])
    #expect(try against("legacy-07.zip") { $0.dfuVersion = .absent } == [.initPacketLength, .initPacketLength])
    #expect(try against("legacy-05.zip") { $0.dfuVersion = .absent } == [])
    let old = try NordicFixture.application(Self.image, NordicFixture.bytes(Self.crc()))
    let rows: [(NordicTarget.DFUVersion, [Complaint.Subject])] = [
      (.absent, []), (.version(5), [.initPacketLength]), (.version(8), [.initPacketLength]), (.version(1), []),
    ]
    for (version, expected) in rows {
      var target = NordicTarget()
      target.dfuVersion = version
      #expect(old.complaints(for: target).map(\.subject) == expected, "\(version)")
    }
  }

  @Test("a bare image goes only to a bootloader without DFU Version")
  func bare() throws {
    let package = try NordicPackage(fileName: "app.hex", bytes: Fixture.bytes("nordic/app.hex"))
    let rows: [(NordicTarget.DFUVersion, [Complaint.Subject])] = [
      (.absent, []), (.version(8), [.initPacketMissing]), (.version(5), [.initPacketMissing]),
    ]
    for (version, expected) in rows {
      var target = NordicTarget()
      target.dfuVersion = version
      #expect(package.complaints(for: target).map(\.subject) == expected, "\(version)")
    }
    var secure = NordicTarget()
    secure.dfuProtocol = .secure
    #expect(package.complaints(for: secure).map(\.subject) == [.initPacketMissing])
    let merged = try NordicPackage(fileName: "merged.hex", bytes: Array(":0400000001020304F2\n:00000001FF\n".utf8))
    #expect(NordicFixture.subjects(merged.complaints) == [.fixedAddress])
  }

  @Test("SoftDevice, hardware and versions")
  func installed() throws {
    let s132 = SoftDevice(rawValue: 0x88)
    #expect(try against("legacy-05.zip") { $0.softDevice = s132 } == [])
    #expect(try against("legacy-05.zip") { $0.softDevice = SoftDevice(rawValue: 0x8c) } == [.otherSoftDevice])
    #expect(try against("legacy-softdevice.zip") { $0.softDevice = s132 } == [], "FFFE")
    #expect(try against("secure-bootloader.zip") { $0.softDevice = s132 } == [.otherSoftDevice])
    #expect(try against("secure-bootloader.zip") { $0.softDevice = SoftDevice(rawValue: 0x101) } == [])
    #expect(try against("rig-unpacked.zip") { $0.softDevice = s132 } == [], "0: without SoftDevice")
    #expect(try against("secure-all.zip") { $0.softDevice = SoftDevice(rawValue: 0xcb) } == [], "the application's comes with the part before")
    #expect(try against("secure-app.zip") { $0.hardwareVersion = 51 } == [.otherBoard])
    #expect(try against("secure-app.zip") { $0.hardwareVersion = 52 } == [])
    #expect(try against("secure-bootloader.zip") { $0.bootloaderVersion = 3 } == [.notNewer])
    #expect(try against("secure-bootloader.zip") { $0.bootloaderVersion = 2 } == [])
    #expect(try against("secure-app.zip") { $0.applicationVersion = 5 } == [])
    #expect(try against("secure-app.zip") { $0.applicationVersion = 6 } == [.notNewer])
    #expect(try against("secure-app.zip") { $0.checksSignatures = true } == [])
    #expect(try against("secure-unsigned.zip") { $0.checksSignatures = true } == [.unsigned])
    #expect(try against("legacy-05.zip") { $0.checksSignatures = true } == [.unsigned])
    #expect(try against("secure-softdevice.zip") { $0.bootloaderVersion = .max } == [])
  }

  @Test("a system part settles what a later part meets; with the application alone it is held against it")
  func laterParts() throws {
    var target = NordicTarget()
    target.softDevice = SoftDevice(rawValue: 0xcb)
    let package = try NordicFixture.package("secure-all.zip")
    #expect(package.complaints(for: target) == [])
    #expect(package.complaints(for: target, scope: .application).map(\.subject) == [.otherSoftDevice])
  }

  @Test("the pinned hash")
  func pinned() throws {
    let package = try NordicFixture.package("legacy-05.zip")
    #expect(package.complaints(pinned: nil) == [])
    #expect(package.complaints(pinned: package.sha256.hex.uppercased()) == [])
    #expect(package.complaints(pinned: package.parts[0].sha256.hex).map(\.subject) == [.notPinned])
  }

  @Test("complaints are one line, and the names in them cannot act on a terminal")
  func words() throws {
    let target = try #require(NordicTarget(metaWearModel: "5", hardwareRevision: "0.2"))
    for name in NordicFixture.packages {
      let package = try NordicFixture.package(name)
      for complaint in package.complaints + package.complaints(for: target) {
        #expect(!complaint.message.contains("\n") && complaint.message.contains(": ") && complaint.message.count < 240, "\(complaint.message)")
      }
    }
  }
}
