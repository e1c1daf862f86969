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
    return try BoardProfile(iniFile(head + text, file: "p.profile"))
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
}

extension LineJob.Kind {
  /// The order of a kind that is updated over SMP.
  var update: UpdateOrder? {
    if case .update(let order) = order { order } else { nil }
  }
}
