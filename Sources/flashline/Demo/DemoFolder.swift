import Firmware
import FoundationEssentials
import Glibc
import Station
import VirtualLine

/// The folder of one demonstration: configuration, profile, image, records and the line's log. It stays.
struct DemoFolder {
  /// What the boards are brought to; they begin with an older version.
  static let version = "2.0.0"
  /// The same for boards that take SUIT packages.
  static let sequence: UInt64 = 2
  /// Payload of the image in bytes.
  static let imageSize = 128 * 1024

  let path: String

  var configuration: String { path + "/station.conf" }
  var profile: String { path + "/virtual-line.profile" }
  var database: String { path + "/flashline.db" }
  var log: String { path + "/line.log" }
  var truth: String { path + "/truth.json" }

  /// Makes `--keep DIR`, or a folder of its own below `./demo`.
  init(keep: String?, now: Int64 = WallClock.now) throws(ProgramError) {
    path = keep ?? "demo/" + Self.stamp(now)
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .fault("the folder \(path.shown) cannot be made", "name another one with --keep DIR")
    }
    // Boards of a virtual line have the same addresses each time: earlier records would not be theirs.
    if access(database, F_OK) == 0 { throw .usage("\(path.escaped(limit: 4096)) holds the records of an earlier demo", "name an empty folder with --keep DIR") }
  }

  /// Writes configuration, profile and package, and returns the package's path.
  func prepare(_ kind: SMPKind) throws(ProgramError) -> String {
    guard let version = ImageVersion(Self.version) else { throw .fault("no image can be made", "report this as a defect of Flashline") }
    do {
      try write(Self.stationText, to: configuration)
      try write(Self.profileText, to: profile)
      if kind == .suit { return try SUITFirmware.write(sequence: Self.sequence, size: Self.imageSize, into: path) }
      return try VirtualPackage(for: kind.settings, version: version, size: Self.imageSize).write(into: path)
    } catch {
      throw .fault("\(path.escaped(limit: 4096)) cannot be written", "make room, or name another folder with --keep DIR")
    }
  }

  var rescueProfile: String { path + "/virtual-metaboot.profile" }
  var catalogue: String { path + "/catalogue" }

  /// Writes the profile of the stranded boards, and the catalogue with its packages that the profile names.
  func prepareRescue() throws(ProgramError) {
    do {
      try write(Self.rescueProfileText, to: rescueProfile)
      _ = try RescueFirmware.write(into: catalogue)
    } catch {
      throw .fault("\(path.escaped(limit: 4096)) cannot be written", "make room, or name another folder with --keep DIR")
    }
  }

  /// The catalogue lies beside the profile. Boards that were stranded long ago need no patience here.
  static let rescueProfileText = """
    # The boards in their bootloader of the virtual line ("flashline line --stranded").

    [board]
    name = virtual-metaboot
    family = metawear

    [match]
    name = MetaWear
    min_rssi = -90

    [identity]
    manufacturer = MbientLab Inc
    model_number = 6
    hardware_revision = 0.2
    serial = unique

    [rescue]
    name = MetaBoot
    protocol = legacy
    stranded_after = 3s
    catalog = catalogue/info2.json
    """ + "\n"

  private func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
  }

  private static let stationText = """
    # The station of a demonstration (flashline demo).
    [station]
    id = demo
    database = flashline.db
    reports = reports
    """ + "\n"

  /// The same as Profiles/virtual-line.profile, so that the demo needs nothing but the program; a test compares the two.
  static let profileText = """
    # The boards of the virtual line ("flashline line", "flashline demo"): no hardware needed. The demo gives the package.

    [board]
    name = virtual-line
    family = mcuboot

    [match]
    name_prefix = VLINE-
    min_rssi = -90

    [identity]
    manufacturer = Flashline
    model_number = VL-1
    hardware_revision = 1.0
    serial = unique

    [firmware]
    # The images of the virtual line have no signature, and its bootloaders ask for none.
    allow_unsigned = yes
    """ + "\n"

  /// `20261130-021558`, local time.
  private static func stamp(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var local = tm()
    localtime_r(&seconds, &local)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(local.tm_year + 1900)\(two(local.tm_mon + 1))\(two(local.tm_mday))-\(two(local.tm_hour))\(two(local.tm_min))\(two(local.tm_sec))"
  }
}
