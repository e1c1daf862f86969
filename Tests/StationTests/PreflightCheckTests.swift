import Bluetooth
import Firmware
import Flashing
import Testing

@testable import Station

/// That a job that cannot be right never reaches a board.
struct PreflightCheckTests {
  /// A small unsigned MCUboot image of version 1.2.3+4 with a right SHA-256 (layout: facts/smp.md §5).
  static func image(damaged: Bool = false) throws -> [UInt8] {
    var bytes: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0]
    bytes += [UInt8](repeating: 0xA5, count: 64)
    let hash = try Digest(.sha256, of: bytes).bytes
    if damaged { bytes[40] = 0 }
    return bytes + [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + hash
  }

  static func profile(_ text: String = "", family: String = "mcuboot", name: String = "P", pairing: String = "none") throws -> BoardProfile {
    let head = "[board]\nname = \(name)\nfamily = \(family)\npairing = \(pairing)\n[match]\nname = A\nmin_rssi = -70\n"
    // The image here is not signed.
    let firmware =
      text.contains("[firmware]\n") ? text.replacing("[firmware]\n", with: "[firmware]\nallow_unsigned = yes\n") : text + "\n[firmware]\nallow_unsigned = yes\n"
    return try BoardProfile(iniFile(head + firmware, file: "p.profile"))
  }

  func order(
    _ profiles: [BoardProfile], _ options: JobOptions = JobOptions(package: "app.bin"), require: Set<RequiredOption> = [], damaged: Bool = false
  ) throws(ConfigurationError) -> JobOrder {
    try PreflightCheck(profiles: profiles, options: options, require: require).order { path throws(PackageError) in
      guard path.hasSuffix("app.bin"), let bytes = try? Self.image(damaged: damaged) else { throw .fileMissing }
      return try FirmwarePackage(fileName: path, bytes: bytes)
    }
  }

  @Test func aGoodJobBecomesAnOrder() throws {
    let text = """
      [identity]
      serial = unique
      [firmware]
      package = app.bin
      version = 1.2.3+4
      [upgrade]
      mode = confirmOnly
      bootloader_mode = overwrite
      """
    let order = try order(
      [try Self.profile(text, name: "Q"), try Self.profile("[firmware]\npackage = app.bin", name: "B")],
      JobOptions(lot: "L1", workOrder: "W1", operator: "Ann"), require: Set(RequiredOption.allCases))
    let sha256 = try Digest(.sha256, of: Self.image()).hex
    #expect(order.kinds.map(\.profile.name) == ["B", "Q"])
    #expect(order.kinds.map(\.packageSHA256) == [sha256, sha256])
    #expect(order.kinds.first?.packageName == "app.bin")
    let update = try #require(order.kinds.last?.update)
    #expect(update.images.map(\.bytes) == [try Self.image()])
    #expect(update.version == "1.2.3.4")
    #expect(update.mode == .confirmOnly)
    #expect(update.assumedBootloaderMode == 2)
    #expect(update.alignment == 4)
    #expect(update.identity.needsSerial)
    #expect(!order.warnings.isEmpty, "the image is not signed")
  }

  @Test func thePinnedPackageIsTaken() throws {
    let sha256 = try Digest(.sha256, of: Self.image()).hex.uppercased()
    #expect(try order([try Self.profile("[firmware]\nsha256 = \(sha256)")]).kinds.count == 1)
  }

  struct Bad: Sendable {
    var profiles: [String]
    var options = JobOptions(package: "app.bin")
    var require: Set<RequiredOption> = []
    var message: String
  }

  @Test(arguments: [
    Bad(profiles: [], message: "no profile is given: give --profile NAME"),
    Bad(profiles: [""], options: JobOptions(), message: "p.profile: names no package: give --package FILE, or set [firmware] package"),
    Bad(
      profiles: ["", ""], options: JobOptions(),
      message: "p.profile: two profiles of this job are called \"P\": give each its own [board] name, or name it once"),
    Bad(profiles: [""], options: JobOptions(package: "other.bin"), message: "other.bin: the file does not exist: check the path"),
    Bad(profiles: [""], require: [.lot], message: "--lot is missing: give it, or change [station] require in station.conf"),
    Bad(
      profiles: [""], options: JobOptions(package: "app.bin", operator: ""),
      message: "--operator \"\" is empty, longer than 64 characters, or holds control characters: correct it"),
    Bad(
      profiles: [""], options: JobOptions(package: "app.bin", workOrder: "a\u{1B}[2J"),
      message: "--work-order \"a\\u{1b}[2J\" is empty, longer than 64 characters, or holds control characters: correct it"),
  ])
  func refuses(bad: Bad) throws {
    let profiles = try bad.profiles.map { try Self.profile($0) }
    #expect(complaint { () throws(ConfigurationError) in _ = try order(profiles, bad.options, require: bad.require) } == bad.message)
  }

  @Test func refusesWhatThisJobCannotFlash() throws {
    let metawear = try Self.profile("[identity]\nmodel_number = 5", family: "metawear")
    #expect(
      complaint { () throws(ConfigurationError) in _ = try order([metawear], JobOptions()) }
        == "p.profile: names neither a package nor a catalogue: set [rescue] catalog or [firmware] package, or give --package FILE")
    let two = [try Self.profile(name: "A"), try Self.profile(name: "B")]
    #expect(
      complaint { () throws(ConfigurationError) in _ = try order(two) } == "--package is given with 2 profiles: set [firmware] package in each of them instead")
  }

  @Test func pairingReachesTheSession() throws {
    let open = try order([try Self.profile()]).kinds
    #expect(open.map(\.order.pairing) == [nil])
    let paired = try order([try Self.profile(pairing: "just-works")]).kinds
    #expect(paired.map(\.order.pairing) == [.justWorks])
    let entered = try order([try Self.profile(pairing: "passkey\npasskey = 004711")]).kinds
    #expect(entered.map(\.order.pairing) == [.passkey(4711)])
  }

  @Test func refusesAnotherPackageThanTheProfiles() throws {
    let pinned = try Self.profile("[firmware]\nsha256 = " + String(repeating: "ab", count: 32))
    #expect(complaint { () throws(ConfigurationError) in _ = try order([pinned]) }?.contains("the profile pins") == true)
    let version = try Self.profile("[firmware]\nversion = 1.2.4")
    #expect(complaint { () throws(ConfigurationError) in _ = try order([version]) }?.contains("has version 1.2.3+4, the profile wants 1.2.4+0") == true)
    let any = try Self.profile()
    #expect(complaint { () throws(ConfigurationError) in _ = try order([any], damaged: true) }?.contains("it is damaged") == true)
  }

  @Test func anUnsignedImageMustBeAllowed() throws {
    let text = "[board]\nname = P\nfamily = mcuboot\n[match]\nname = A\nmin_rssi = -70\n[firmware]\n"
    let message = complaint { () throws(ConfigurationError) in _ = try order([try BoardProfile(iniFile(text, file: "p.profile"))]) }
    #expect(message?.contains("is not signed, and the profile does not allow that") == true)
    #expect(message?.contains("allow_unsigned = yes") == true)
    let allowed = try BoardProfile(iniFile(text + "allow_unsigned = yes\n", file: "p.profile"))
    #expect(try order([allowed]).warnings.contains { $0.contains("is not signed") })
  }

  /// A package with one file whose manifest names a board.
  private func listed(board: String?, soc: String?) throws -> FirmwarePackage {
    let image = try Self.image()
    let place = [board.map { #","board":"\#($0)""# }, soc.map { #","soc":"\#($0)""# }].compactMap { $0 }.joined()
    let manifest = #"{"format-version":1,"time":1,"files":[{"type":"application","file":"app.bin","size":\#(image.count)\#(place)}]}"#
    return try FirmwarePackage(fileName: "app.zip", bytes: StoredArchive.bytes([("manifest.json", Array(manifest.utf8)), ("app.bin", image)]))
  }

  @Test(
    arguments: [
      ("board = thingy53, nrf5340dk\nsoc = nrf5340", "nrf5340dk/nrf5340/cpuapp", "nrf5340", nil),
      ("board = thingy53", "nrf5340dk/nrf5340/cpuapp", "nrf5340", "is for board 'nrf5340dk/nrf5340/cpuapp', the profile is for 'thingy53'"),
      ("soc = nrf52840", "nrf5340dk/nrf5340/cpuapp", "nrf5340", "is for soc 'nrf5340', the profile is for 'nrf52840'"),
      ("board = x", nil, nil, nil),
    ] as [(String, String?, String?, String?)])
  func theManifestsBoardMustBeTheProfiles(rules: String, board: String?, soc: String?, expected: String?) throws {
    let package = try listed(board: board, soc: soc)
    let profile = try Self.profile("[firmware]\n" + rules)
    let check = PreflightCheck(profiles: [profile], options: JobOptions(package: "app.zip"), require: [])
    let message = complaint { () throws(ConfigurationError) in _ = try check.order { _ throws(PackageError) in package } }
    if let expected { #expect(message?.contains(expected) == true) } else { #expect(message == nil) }
  }
}

extension LineJob.Kind {
  /// The order of a kind that is updated over SMP.
  var update: UpdateOrder? {
    if case .update(let order) = order { order } else { nil }
  }
}

/// A zip archive of stored files (PKWARE APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16), for packages that exist in a test only.
enum StoredArchive {
  static func bytes(_ files: [(String, [UInt8])]) -> [UInt8] {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for (name, content) in files {
      let size = little(UInt32(content.count))
      let common = little(UInt32(0)) + little(UInt32(0x21 << 16)) + little(crc32(content)) + size + size + little(UInt16(name.utf8.count)) + [0, 0]
      let offset = little(UInt32(out.count))
      out += little(UInt32(0x0403_4b50)) + little(UInt16(20)) + common + Array(name.utf8) + content
      directory += little(UInt32(0x0201_4b50)) + little(UInt16(20)) + little(UInt16(20)) + common + [UInt8](repeating: 0, count: 10) + offset + Array(name.utf8)
    }
    let count = little(UInt16(files.count))
    let end = little(UInt32(0x0605_4b50)) + [0, 0, 0, 0] + count + count + little(UInt32(directory.count)) + little(UInt32(out.count)) + [0, 0]
    return out + directory + end
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in (crc >> 1) ^ (crc & 1 == 0 ? 0 : 0xedb8_8320) } }
  }
}
