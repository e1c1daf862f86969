import Firmware
import Foundation
import Testing

@Suite("NordicPackage: reading")
struct NordicPackageTests {
  typealias Entry = ZipBuilder.Entry

  /// What Nordic's tools were asked for (Fixtures/nordic/make.py): kind, image's size, protocol, size of the init packet.
  static let expected: [(String, [(NordicKind, Int, NordicProtocol, Int)])] = [
    ("legacy-05.zip", [(.application, 512, .legacy, 14)]),
    ("legacy-06.zip", [(.application, 512, .legacy, 18)]),
    ("legacy-07.zip", [(.application, 512, .legacy, 52)]),
    ("legacy-08.zip", [(.application, 512, .legacy, 116)]),
    ("legacy-all.zip", [(.softDeviceBootloader, 384, .legacy, 16), (.application, 512, .legacy, 16)]),
    ("legacy-bootloader.zip", [(.bootloader, 128, .legacy, 16)]),
    ("legacy-softdevice.zip", [(.softDevice, 256, .legacy, 14)]),
    ("secure-app.zip", [(.application, 512, .secure, 141)]),
    ("secure-unsigned.zip", [(.application, 512, .secure, 70)]),
    ("secure-bootloader.zip", [(.bootloader, 128, .secure, 142)]),
    ("secure-softdevice.zip", [(.softDevice, 256, .secure, 144)]),
    ("secure-all.zip", [(.softDeviceBootloader, 384, .secure, 147), (.application, 512, .secure, 140)]),
    ("rig-metawear.zip", [(.application, 512, .legacy, 14)]),
    ("rig-unpacked.zip", [(.application, 512, .secure, 64)]),
    ("rig-secure-both.zip", [(.softDeviceBootloader, 384, .secure, 135), (.application, 512, .secure, 134)]),
  ]

  @Test("the packages of Nordic's tools and the rig: parts in order, without an error", arguments: expected)
  func packages(name: String, parts: [(NordicKind, Int, NordicProtocol, Int)]) throws {
    let package = try NordicFixture.package(name)
    #expect(package.kind == .package)
    #expect(package.sha256 == (try Digest(.sha256, of: Fixture.bytes("nordic/\(name)"))))
    #expect(package.parts.map(\.kind) == parts.map(\.0))
    #expect(package.parts.map(\.image.count) == parts.map(\.1))
    #expect(package.parts.map(\.dfuProtocol) == parts.map(\.2))
    #expect(package.parts.map(\.initPacket.count) == parts.map(\.3))
    #expect(NordicFixture.subjects(package.complaints) == [])
    #expect(package.parts.allSatisfy { $0.sizes.total == $0.image.count })
    guard case .nordic(package) = try FirmwareFile(fileName: name, bytes: Fixture.bytes("nordic/\(name)")) else {
      Issue.record("\(name) is not told by its content")
      return
    }
  }

  @Test("the sizes for Legacy DFU's Start, and the scopes")
  func sizes() throws {
    let package = try NordicFixture.package("legacy-all.zip")
    #expect(package.parts.map(\.sizes) == [NordicSizes(softDevice: 256, bootloader: 128), NordicSizes(application: 512)])
    #expect(package.dfuVersion == "0.5")
    #expect(package.parts(in: .system).map(\.kind) == [.softDeviceBootloader])
    #expect(package.parts(in: .application).map(\.kind) == [.application])
    #expect(package.parts(in: .all) == package.parts)
    #expect(try NordicFixture.package("legacy-bootloader.zip").parts[0].sizes == NordicSizes(bootloader: 128))
    #expect(try NordicFixture.package("legacy-softdevice.zip").parts[0].sizes == NordicSizes(softDevice: 256))
    // By the tools' own manifests: firmware_crc16 16326 and 19212; image hash of the 0.7 packet.
    #expect(package.parts.map(\.crc16) == [16326, 19212])
    #expect(package.parts[1].sha256.hex == InitPacketTests.sha)
  }

  static let dat = "06000100 FFFFFFFF 0100 8800"
  static let image = [UInt8](repeating: 7, count: 8)
  static var initPacket: [UInt8] {
    let crc = CRC16(of: image).value
    return NordicFixture.bytes(dat) + [UInt8(crc & 0xff), UInt8(crc >> 8)]
  }

  private func entries(manifest: String, folder: String = "") -> [Entry] {
    [Entry(folder + "manifest.json", manifest), Entry(folder + "a.bin", Self.image), Entry(folder + "a.dat", Self.initPacket)]
  }

  private static let manifest = #"{"manifest":{"application":{"bin_file":"a.bin","dat_file":"a.dat"},"dfu_version":0.5}}"#

  @Test("a byte order mark, one folder deep, what macOS adds, deflated entries, numbers as text")
  func robust() throws {
    var marked = entries(manifest: Self.manifest)
    marked[0].content = [0xef, 0xbb, 0xbf] + marked[0].content
    marked[1].isDeflated = true
    let mac = [Entry("fw/", ""), Entry("__MACOSX/", ""), Entry("__MACOSX/fw/._manifest.json", "x"), Entry("fw/._a.bin", "x")]
    let data = #"{"device_type":"6","softdevice_req":["0x88"]}"#
    let text = #"{"manifest":{"application":{"bin_file":"a.bin","dat_file":"a.dat","init_packet_data":\#(data)},"dfu_version":"0.5"}}"#
    for archive in [marked, mac + entries(manifest: Self.manifest, folder: "fw/"), entries(manifest: text)] {
      let package = try NordicFixture.package(archive)
      #expect(package.parts.map(\.image) == [Self.image])
      #expect(package.dfuVersion == "0.5")
      #expect(package.complaints == [])
    }
  }

  @Test("old archives without a manifest: raw or HEX, system parts put together, the master boot record dropped")
  func old() throws {
    let (sd, bl, app) = try (Fixture.bytes("nordic/sd.hex"), Fixture.bytes("nordic/bl.hex"), Fixture.bytes("nordic/app.hex"))
    let all = try NordicFixture.package("legacy-all.zip")
    let package = try NordicFixture.package([
      Entry("softdevice.hex", sd), Entry("bootloader.hex", bl), Entry("system.dat", all.parts[0].initPacket), Entry("application.hex", app),
      Entry("application.dat", [UInt8(all.parts[1].crc16 & 0xff), UInt8(all.parts[1].crc16 >> 8)]), Entry("readme.txt", "x"),
    ])
    #expect(package.parts.map(\.kind) == all.parts.map(\.kind))
    #expect(package.parts.map(\.image) == all.parts.map(\.image))
    #expect(package.parts.map(\.sizes) == all.parts.map(\.sizes))
    #expect(package.unlistedFiles == ["readme.txt"])
    #expect(package.complaints.map(\.subject) == [.unlistedFile])
    let raw = try NordicFixture.package([Entry("application.bin", Self.image), Entry("application.dat", Self.initPacket)])
    #expect(raw.parts.map(\.image) == [Self.image])
    #expect(try NordicFixture.package([Entry("bootloader.bin", Self.image)]).parts.map(\.kind) == [.bootloader])
  }

  @Test("a bare image, raw or HEX, is one application without init packet")
  func bare() throws {
    let hex = try NordicPackage(fileName: "app.hex", bytes: Fixture.bytes("nordic/app.hex"))
    #expect(hex.kind == .image)
    #expect(hex.parts.map(\.address) == [0x1_f000])
    let app = try NordicFixture.package("legacy-05.zip").parts[0].image
    #expect(hex.parts.map(\.image) == [app])
    let raw = try NordicPackage(fileName: "app.bin", bytes: app)
    #expect(raw.parts.map(\.image) == [app])
    #expect(raw.parts[0].parsed == nil)
    #expect(raw.complaints.map(\.subject) == [.initPacketMissing])
    #expect(throws: PackageError.notSupported(.mcubootImage)) { try NordicPackage(fileName: "a.bin", bytes: Fixture.bytes("unsigned.bin")) }
    #expect(throws: PackageError.notSupported(.managerPackage)) { try NordicPackage(fileName: "a.zip", bytes: Fixture.bytes("single.zip")) }
    #expect(throws: PackageError.notFirmware(.text)) { try NordicPackage(fileName: "a.txt", bytes: Array("hello".utf8)) }
    #expect(throws: PackageError.fileEmpty) { try NordicPackage(fileName: "a.bin", bytes: []) }
  }

  @Test(
    "manifests that name no package",
    arguments: [
      (#"{"manifest":{}}"#, PackageError.manifestEmpty), (#"{"manifest":{"dfu_version":0.5,"application":null}}"#, .manifestEmpty),
      ("{}", .manifestInvalid("manifest is missing")), ("[", .manifestInvalid("it is not JSON")),
      (#"{"manifest":{"application":{"dat_file":"a.dat"}}}"#, .manifestInvalid("manifest.application.bin_file is missing")),
      (#"{"manifest":{"application":5}}"#, .manifestInvalid("manifest.application has a value of the wrong type")),
      (#"{"manifest":{"application":{"bin_file":"b.bin"}}}"#, .entryMissing("b.bin")),
      (#"{"manifest":{"application":{"bin_file":"a.bin","dat_file":"b.dat"}}}"#, .entryMissing("b.dat")),
      (#"{"manifest":{"application":{"bin_file":"../a.bin"}}}"#, .entryMissing("../a.bin")),
      (#"{"manifest":{"softdevice":{"bin_file":"a.bin"},"bootloader":{"bin_file":"a.bin"}}}"#, .nordicPartsClash(["softdevice", "bootloader"])),
      (
        #"{"manifest":{"application":{"bin_file":"a.bin"},"bootloader_application":{"bin_file":"a.bin"}}}"#,
        .nordicPartsClash(["application", "bootloader_application"])
      ),
      (#"{"manifest":{"bootloader_application":{"bin_file":"a.bin","dat_file":"a.dat"}}}"#, .notSupported(.combinedLegacyPart("bootloader_application"))),
    ] as [(String, PackageError)])
  func badManifest(json: String, expected: PackageError) {
    #expect(throws: expected) { try NordicFixture.package(entries(manifest: json)) }
  }

  @Test("sizes beyond 32 bits in a manifest do not trap")
  func hugeSizes() {
    for size in ["4294967296", "9223372036854775807", "18446744073709551615"] {
      let json = #"{"manifest":{"softdevice_bootloader":{"bin_file":"a.bin","dat_file":"a.dat","sd_size":\#(size),"bl_size":1},"dfu_version":0.5}}"#
      #expect(throws: PackageError.self) { try NordicFixture.package(entries(manifest: json)) }
    }
  }

  @Test("archives: several manifests in folders, none, ways up, names twice, a link, an init packet or image over its limit")
  func badArchives() throws {
    let folders = entries(manifest: Self.manifest, folder: "a/") + entries(manifest: Self.manifest, folder: "b/")
    #expect(throws: PackageError.manifestAmbiguous(["a/manifest.json", "b/manifest.json"])) { try NordicFixture.package(folders) }
    #expect(throws: PackageError.manifestMissing) { try NordicFixture.package([Entry("x/y/manifest.json", Self.manifest)]) }
    #expect(throws: PackageError.manifestMissing) { try NordicFixture.package([]) }
    let good = entries(manifest: Self.manifest)
    for name in ["../a.bin", "/a", "a//b", "a/./b", "a/../b", "a\\b", "C:/b", "a/\u{1b}"] {
      #expect(throws: PackageError.archiveUnsafeName(name)) { try NordicFixture.package(good + [Entry(name, [])]) }
    }
    #expect(throws: PackageError.archiveDuplicate("a.bin")) { try NordicFixture.package(good + [good[1]]) }
    #expect(throws: PackageError.entryTooLarge("a.dat", bytes: 513, limit: 512)) {
      try NordicFixture.package(Array(good.prefix(2)) + [Entry("a.dat", [UInt8](repeating: 0, count: 513))])
    }
    var limits = PackageLimits()
    limits.nordicImageSize = 7
    #expect(throws: PackageError.entryTooLarge("a.bin", bytes: 8, limit: 7)) {
      try NordicPackage(fileName: "a.zip", bytes: ZipBuilder.archive(good), limits: limits)
    }
    guard case .inEntry("a.dat", .initPacketUnknown)? = error(Array(good.prefix(2)) + [Entry("a.dat", "hello")]) else {
      Issue.record("a .dat that is none was taken")
      return
    }
  }

  @Test("a symbolic link in an archive")
  func link() throws {
    var bytes = ZipBuilder.archive(entries(manifest: Self.manifest))
    // Central directory of the first entry: made by Unix, and S_IFLNK in the upper half of the external attributes (APPNOTE.TXT 4.3.12).
    let directory = try #require((0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == [0x50, 0x4b, 1, 2] })
    bytes = bytes.patched(at: directory + 5, [3]).patched(at: directory + 38, [0, 0, 0xff, 0xa1])
    #expect(throws: PackageError.archiveLink("manifest.json")) { try NordicPackage(fileName: "a.zip", bytes: bytes) }
  }

  private func error(_ entries: [Entry]) -> PackageError? {
    do {
      _ = try NordicFixture.package(entries)
      return nil
    } catch {
      return error as? PackageError
    }
  }

  @Test("no beginning of a package is taken for all of it", arguments: NordicFixture.packages)
  func everyPrefix(name: String) throws {
    let bytes = try Fixture.bytes("nordic/\(name)")
    for length in 0..<bytes.count {
      // Shorter than a signature it may pass for a bare image, which no board with an init packet gets.
      let package = try? NordicPackage(fileName: "a", bytes: Array(bytes.prefix(length)))
      #expect(package?.kind != .package, "\(length) bytes")
    }
  }

  @Test("a changed byte never traps, and never changes an image unseen", arguments: ["legacy-all.zip", "secure-all.zip", "rig-secure-both.zip"])
  func flips(name: String) throws {
    let bytes = try Fixture.bytes("nordic/\(name)")
    let images = Set(try NordicFixture.package(name).parts.map(\.image))
    var dice = Dice(state: 5)
    for offset in bytes.indices {
      let changed = bytes.patched(at: offset, [bytes[offset] ^ UInt8.random(in: 1...255, using: &dice)])
      guard let package = try? NordicPackage(fileName: "a.zip", bytes: changed), package.kind == .package else { continue }
      _ = PackageReport(package).lines
      #expect(package.parts.allSatisfy { images.contains($0.image) } || package.complaints.contains { $0.severity == .error }, "byte \(offset)")
    }
  }
}
