import Bluetooth
import Catalogue
import Firmware
import Flashing
import Foundation
import Testing
import VirtualLine

@testable import Station

/// That a rescue which cannot be right ends before the first board, with one line that says what to do.
struct RescuePreflightTests {
  /// A package of Adafruit's tool: one application of Legacy DFU (Tests/FirmwareTests/Fixtures/nordic/README.md).
  static let legacy = packageFolder + "/Tests/FirmwareTests/Fixtures/nordic/legacy-05.zip"
  static let bootloaderOnly = packageFolder + "/Tests/FirmwareTests/Fixtures/nordic/legacy-bootloader.zip"
  static let secure = packageFolder + "/Tests/FirmwareTests/Fixtures/nordic/secure-app.zip"
  static let narrow = "[identity]\nmodel_number = 6\n"

  static func profile(_ text: String, family: String = "metawear", name: String = "P") throws -> BoardProfile {
    try BoardProfile(iniFile("[board]\nname = \(name)\nfamily = \(family)\n[match]\nname = MetaWear\nmin_rssi = -70\n" + text, file: "p.profile"))
  }

  func order(
    _ profiles: [BoardProfile], package: String? = nil, job: JobKind = .rescue, mirrors: String = "/nowhere"
  ) throws(ConfigurationError) -> JobOrder {
    try PreflightCheck(profiles: profiles, options: JobOptions(package: package), require: [], job: job, mirrors: mirrors).order()
  }

  struct Bad: Sendable {
    var text: String
    var family = "metawear"
    var package: String?
    var message: String
  }

  @Test(arguments: [
    Bad(
      text: narrow,
      message: "p.profile: names neither a package nor a catalogue: set [rescue] catalog or [firmware] package, or give --package FILE"),
    Bad(text: narrow, package: legacy, message: "does not say which version"),
    Bad(text: narrow + "[firmware]\npackage = app.zip", message: "does not say which version"),
    Bad(text: "", family: "mcuboot", message: "boards of family mcuboot have no bootloader that can be flashed over the air"),
    Bad(text: "", package: legacy, message: "p.profile: would flash any board in range that is in a Nordic bootloader"),
    Bad(text: "[identity]\nserial = unique\n[firmware]\nversion = 1.4.5", package: legacy, message: "would flash any board in range"),
    Bad(text: narrow + "[firmware]\nversion = 1.4.5", package: "/nowhere/app.zip", message: "/nowhere/app.zip: the file does not exist"),
    Bad(text: narrow + "[firmware]\nversion = 1.4.5", package: bootloaderOnly, message: "holds no application"),
    Bad(
      text: narrow + "[firmware]\nversion = 1.4.5\nsha256 = " + String(repeating: "ab", count: 32), package: legacy,
      message: "is pinned: put the released file there"),
    // Made for type 6, revision 1, without a signature; the Secure ones for hw_version 52, fw_version 5.
    Bad(
      text: narrow + "hardware_revision = 0.2\n[firmware]\nversion = 1.4.5", package: legacy, message: "is for boards of revision 1, this board has revision 2"),
    Bad(text: narrow + "[firmware]\nversion = 1.4.5\n[rescue]\nsigned = yes", package: legacy, message: "takes signed images only"),
    Bad(
      text: narrow + "[firmware]\nversion = 1.4.5\n[rescue]\nhw_version = 51", family: "nordic-dfu", package: secure,
      message: "is for hardware version 52, this board has 51"),
    Bad(
      text: narrow + "[firmware]\nversion = 1.4.5\n[rescue]\nfw_version = 6", family: "nordic-dfu", package: secure,
      message: "has version 5, the board has 6, and takes none that is older"),
    Bad(text: narrow + "[rescue]\ncatalog = /nowhere/info2.json", message: "there is no mirror of the catalogue in /nowhere"),
  ])
  func refuses(_ bad: Bad) throws {
    let profile = try Self.profile(bad.text, family: bad.family)
    let words = complaint { () throws(ConfigurationError) in _ = try order([profile], package: bad.package) }
    #expect(words?.contains(bad.message) == true, "\(words ?? "taken")")
  }

  @Test(
    "Whatever tells our boards from others makes a profile narrow enough",
    arguments: [
      "[identity]\nmodel_number = 6", "[identity]\nmanufacturer = M", "[identity]\nhardware_revision = 0.2", "[rescue]\nname = Mine",
      "[match]\naddresses = C0:DE:00:00:00:01\nname = MetaWear\nmin_rssi = -70", "[match]\nallow_any = yes\nname = MetaWear\nmin_rssi = -70",
    ])
  func narrowEnough(_ text: String) throws {
    let match = text.contains("[match]") ? "" : "[match]\nname = MetaWear\nmin_rssi = -70\n"
    let profile = try BoardProfile(
      iniFile("[board]\nname = P\nfamily = metawear\n" + match + text + "\n[firmware]\nversion = 1.4.5\n", file: "p.profile"))
    #expect(try order([profile], package: Self.legacy).kinds.count == 1)
  }

  @Test("A package becomes an order that leaves running boards alone in recover, and sends them to their bootloader in run")
  func onePackage() throws {
    let text = Self.narrow + "[firmware]\nversion = 1.4.5\nallow_downgrade = yes\n[rescue]\nprotocol = legacy\npacket_receipt = 4\n"
    let profile = try Self.profile(text)
    for (job, enters) in [(JobKind.rescue, false), (.update, true)] {
      let kind = try #require(try order([profile], package: Self.legacy, job: job).kinds.first)
      let order = try #require(kind.rescue)
      #expect(order.entersBootloader == enters)
      #expect(order.family == .metaWear)
      #expect(order.wish == .legacy)
      #expect(order.allowsDowngrade)
      #expect(order.receiptInterval == 4)
      #expect(kind.version == "1.4.5")
      #expect(kind.packageName == "legacy-05.zip")
      #expect(kind.packageSHA256 == (try NordicPackage(path: Self.legacy)).sha256.hex)
    }
  }

  @Test("What the profile knows of the bootloader goes with the order")
  func known() throws {
    let text = Self.narrow + "[firmware]\nversion = 1.4.5\n[rescue]\nhw_version = 52\nfw_version = 5\nsigned = yes\n"
    let kind = try #require(try order([try Self.profile(text, family: "nordic-dfu")], package: Self.secure).kinds.first)
    let known = try #require(kind.rescue?.known)
    #expect(known.hardwareVersion == 52 && known.applicationVersion == 5 && known.checksSignatures)
    #expect(known.dfuProtocol == nil && known.deviceType == nil)
  }

  @Test("A line job is not asked for narrowness: its boards matched in application mode")
  func runNeedsNoNarrowness() throws {
    let profile = try Self.profile("[firmware]\nversion = 1.4.5")
    #expect(try order([profile], package: Self.legacy, job: .update).kinds.count == 1)
  }

  // MARK: a catalogue

  /// The virtual line's catalogue and a mirror of it.
  final class Mirrors {
    let folder = NSTemporaryDirectory() + "preflight-" + UUID().uuidString
    let catalogue: String
    let mirror: CatalogueMirror

    init() async throws {
      catalogue = try RescueFirmware.write(into: folder + "/vendor")
      let location = try #require(CatalogueLocation(catalogue))
      mirror = try CatalogueMirror(of: location, in: folder + "/mirrors")
      _ = try await mirror.refresh(from: location, wishes: [], by: FileFetcher())
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func profile(_ text: String = "") throws -> BoardProfile {
      try RescuePreflightTests.profile(RescuePreflightTests.narrow + "[rescue]\ncatalog = \(catalogue)\n" + text)
    }
  }

  static let board = BoardIdentity(
    model: RescueFirmware.model, serial: "1", firmware: "0.2.1", hardware: RescueFirmware.hardware, manufacturer: RescueFirmware.manufacturer)

  @Test("The latest build is taken from the mirror, with the bootloaders on its way, without the vendor")
  func catalogue() async throws {
    let mirrors = try await Mirrors()
    try FileManager.default.removeItem(atPath: mirrors.folder + "/vendor")
    let kind = try #require(try order([try mirrors.profile()], mirrors: mirrors.folder + "/mirrors").kinds.first)
    let order = try #require(kind.rescue)
    #expect(kind.version == "latest")
    let offer = try await order.shelf.offer(for: Self.board)
    #expect(offer.application.version.description == RescueFirmware.version)
    let installed = try #require(FirmwareVersion("0.2.1"))
    let stages = try offer.interlock.plan(offer.application, installed: installed).stages
    #expect(stages.map(\.version.description) == ["0.2.2", "0.3.1", "0.3.2", "0.3.3", RescueFirmware.version])
    for stage in stages { _ = try await order.shelf.package(of: stage) }
    var other = Self.board
    other.model = "5"
    await #expect { _ = try await order.shelf.offer(for: other) } throws: { if case ShelfError.nothingFits = $0 { true } else { false } }
    other.model = nil
    await #expect { _ = try await order.shelf.offer(for: other) } throws: { if case ShelfError.nothingFits = $0 { true } else { false } }
  }

  @Test("A version that the catalogue does not have fits no board")
  func otherVersion() async throws {
    let mirrors = try await Mirrors()
    let kind = try #require(try order([try mirrors.profile("[firmware]\nversion = 9.9.9")], mirrors: mirrors.folder + "/mirrors").kinds.first)
    let order = try #require(kind.rescue)
    await #expect { _ = try await order.shelf.offer(for: Self.board) } throws: {
      if case ShelfError.nothingFits(let words) = $0 { words.contains("no version 9.9.9") } else { false }
    }
  }

  @Test("A file of the mirror that was changed or removed is told as the station's fault, and makes another batch")
  func damaged() async throws {
    let mirrors = try await Mirrors()
    let sound = try #require(try order([try mirrors.profile()], mirrors: mirrors.folder + "/mirrors").kinds.first)
    let file = try #require(FileManager.default.subpaths(atPath: mirrors.mirror.path)?.first { $0.hasSuffix("0.3.1/sd_bl.zip") })
    let path = mirrors.mirror.path + "/" + file
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[bytes.count / 2] ^= 1
    try FileManager.default.removeItem(atPath: path)
    for content in [bytes, nil] {
      if let content { try content.write(to: URL(filePath: path)) } else { try FileManager.default.removeItem(atPath: path) }
      let kind = try #require(try order([try mirrors.profile()], mirrors: mirrors.folder + "/mirrors").kinds.first)
      #expect(kind.packageSHA256 != sound.packageSHA256)
      let order = try #require(kind.rescue)
      let offer = try await order.shelf.offer(for: Self.board)
      let installed = try #require(FirmwareVersion("0.2.1"))
      let stages = try offer.interlock.plan(offer.application, installed: installed).stages
      await #expect { _ = try await order.shelf.package(of: stages[1]) } throws: { if case ShelfError.damaged = $0 { true } else { false } }
      _ = try await order.shelf.package(of: stages[4])
    }
  }
}

extension LineJob.Kind {
  /// The order of a kind that is flashed over Nordic DFU.
  var rescue: RescueOrder? {
    if case .rescue(let order) = order { order } else { nil }
  }
}
