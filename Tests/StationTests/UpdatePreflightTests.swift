import Firmware
import Flashing
import Testing

@testable import Station

/// That combinations which no board can serve end before a board is touched.
struct UpdatePreflightTests {
  private func image(_ number: Int = 0, slot: Int = 1, isReadBack: Bool = true) -> UpdateImage {
    UpdateImage(number: number, slot: slot, bytes: [], sha256: [], hash: [UInt8(number), UInt8(slot)], version: "1.0.0", isReadBack: isReadBack)
  }

  private static let one = "one", two = "two", core = "core", xip = "xip"

  private func images(_ word: String) -> [UpdateImage] {
    switch word {
    case Self.two: [image(), image(1)]
    case Self.core: [image(), image(1, isReadBack: false)]
    case Self.xip: [image(slot: 0), image(slot: 1)]
    case "thrice": [image(slot: 0), image(slot: 1), image(slot: 1)]
    case "twice": [image(slot: 1), image(slot: 1)]
    case "none": []
    default: [image()]
    }
  }

  private func check(_ upgrade: String, _ word: String) throws -> (complaint: String?, warnings: [String]) {
    let profile = try PreflightCheckTests.profile("[upgrade]\n" + upgrade)
    let preflight = UpdatePreflight(profile: profile, images: images(word), path: "app.zip")
    var warnings: [String] = []
    let words = complaint { () throws(ConfigurationError) in try preflight.check(&warnings) }
    return (words, warnings)
  }

  @Test(
    "What cannot be is an error",
    arguments: [
      ("mode = testOnly", core, "p.profile: mode = testOnly cannot be kept: image 1 of the package is for a network core"),
      ("mode = testOnly\nbootloader_mode = overwrite", one, "p.profile: mode = testOnly cannot be kept: a bootloader that works as overwrite only"),
      ("mode = testOnly\nbootloader_mode = direct-xip", xip, "p.profile: mode = testOnly cannot be kept: a bootloader that works as direct XIP"),
      ("mode = testOnly\nbootloader_mode = 6", one, "p.profile: mode = testOnly cannot be kept: a bootloader that works as RAM load"),
      ("mode = testOnly\nbootloader_mode = firmware-loader", one, "p.profile: mode = testOnly cannot be kept: a bootloader that works as firmware loader"),
      ("mode = uploadOnly\nbootloader_mode = 7", one, "p.profile: mode = uploadOnly cannot be kept: a firmware loader"),
      ("bootloader_mode = firmware-loader", two, "p.profile: a firmware loader writes one image, and the package holds 2"),
      ("bootloader_mode = direct-xip", one, "p.profile: bootloader_mode = direct XIP, and the package does not hold a build for each slot"),
      ("bootloader_mode = 5", two, "p.profile: bootloader_mode = direct XIP with revert, and the package does not hold a build for each slot"),
      ("bootloader_mode = swap-move", xip, "p.profile: the package holds builds for Direct-XIP, and bootloader_mode is another"),
      ("bootloader_mode = overwrite", xip, "p.profile: the package holds builds for Direct-XIP, and bootloader_mode is another"),
      ("bootloader_mode = single-application", one, "p.profile: bootloader_mode = single application: boards with such a bootloader"),
      ("bootloader_mode = 8", one, "p.profile: bootloader_mode = single slot RAM load: boards with such a bootloader"),
      ("", "none", "app.zip: the package holds no image"),
      ("", "twice", "app.zip: the package holds 2 files for image 0, and they are not one for each of its two slots"),
      ("", "thrice", "app.zip: the package holds 3 files for image 0"),
    ])
  func refuses(_ upgrade: String, _ word: String, _ message: String) throws {
    let found = try check(upgrade, word).complaint
    #expect(found?.hasPrefix(message) == true, "\(found ?? "taken")")
  }

  @Test(
    "What can be is taken: the board's own answer decides the rest",
    arguments: [
      ("", one), ("", two), ("", core), ("", xip), ("mode = testOnly", two), ("mode = testOnly", xip), ("mode = uploadOnly", core),
      ("bootloader_mode = direct-xip-revert\nmode = testOnly", xip), ("bootloader_mode = firmware-loader", one), ("bootloader_mode = -1", xip),
      ("bootloader_mode = 9", two), ("mode = confirmOnly\nbootloader_mode = ram-load", one),
    ])
  func takes(_ upgrade: String, _ word: String) throws {
    let (found, warnings) = try check(upgrade, word)
    #expect(found == nil)
    #expect(warnings.isEmpty)
  }

  @Test("Settings that are never erased are a warning")
  func uselessErase() throws {
    let (found, warnings) = try check("mode = uploadOnly\nerase_app_settings = yes", Self.one)
    #expect(found == nil)
    #expect(warnings.count == 1 && warnings[0].hasPrefix("p.profile: erase_app_settings has no effect"))
  }

  @Test(
    "The bootloader mode by word and by number (facts/device-manager.md §1.2, facts/smp.md §3.1)",
    arguments: [
      ("auto", nil), ("-1", nil), ("single-application", 0), ("0", 0), ("swap-scratch", 1), ("overwrite", 2), ("swap-move", 3), ("direct-xip", 4),
      ("direct-xip-revert", 5), ("ram-load", 6), ("firmware-loader", 7), ("7", 7), ("single-slot-ram-load", 8), ("swap-offset", 9), ("9", 9),
    ] as [(String, Int?)])
  func bootloaderModes(_ text: String, _ number: Int?) throws {
    #expect(try PreflightCheckTests.profile("[upgrade]\nbootloader_mode = \(text)").upgrade.bootloaderMode == number)
  }

  @Test("Values of the upgrade at the ends of their ranges (facts/device-manager.md §2)")
  func ends() throws {
    let text = "[upgrade]\npipeline_depth = 0\nbyte_alignment = 0\nreassembly_buffer_size = 65535\nestimated_swap_time = 10m\nerase_app_settings = yes"
    let upgrade = try PreflightCheckTests.profile(text).upgrade
    #expect(upgrade.pipelineDepth == 1)
    #expect(upgrade.byteAlignment == 1)
    #expect(upgrade.reassemblyBufferSize == 65_535)
    #expect(upgrade.estimatedSwapTime == .seconds(600))
    #expect(upgrade.eraseAppSettings)
    #expect(try PreflightCheckTests.profile("[upgrade]\npipeline_depth = 128\nbyte_alignment = 16").upgrade.pipelineDepth == 128)
  }

  @Test(
    "Values outside them are errors",
    arguments: [
      "pipeline_depth = -1", "pipeline_depth = 129", "byte_alignment = 3", "byte_alignment = 32", "reassembly_buffer_size = 65536",
      "bootloader_mode = 10", "bootloader_mode = -2", "bootloader_mode = swap", "estimated_swap_time = 11m", "estimated_swap_time = -1s",
      "erase_app_settings = maybe", "mode = test",
    ])
  func outside(_ line: String) throws {
    #expect(
      complaint { () throws(ConfigurationError) in
        _ = try BoardProfile(try iniFile("[board]\nfamily = mcuboot\n[match]\nname = A\nmin_rssi = -70\n[upgrade]\n" + line, file: "p.profile"))
      } != nil)
  }

  @Test("A library's caller gets the same clamps (facts/device-manager.md §2)")
  func clamps() {
    let order = UpdateOrder(
      images: [image()], pipelineDepth: 0, alignment: 0, reassemblyBufferSize: 100_000, estimatedSwapTime: .seconds(-1))
    #expect(order.pipelineDepth == 1)
    #expect(order.alignment == 1)
    #expect(order.reassemblyBufferSize == 65_535)
    #expect(order.estimatedSwapTime == .zero)
  }
}
