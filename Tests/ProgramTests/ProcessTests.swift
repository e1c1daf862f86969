import Firmware
import FoundationEssentials
import Glibc
import Testing
import VirtualLine

/// The built program from the outside: exit codes, one-line errors, and which stream gets what (contract §1).
@Suite struct ProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> BuiltProgram.Result {
    try await BuiltProgram.run(arguments, in: folder, environment: environment)
  }

  /// One line, as every error is.
  private func expectError(_ result: BuiltProgram.Result, _ status: Int32, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(result.status == status, sourceLocation: sourceLocation)
    #expect(result.out.isEmpty, sourceLocation: sourceLocation)
    #expect(result.err.hasPrefix("flashline: "), sourceLocation: sourceLocation)
    #expect(result.err.hasSuffix("\n") && result.err.dropLast().contains("\n") == false, "\(result.err)", sourceLocation: sourceLocation)
    for part in parts { #expect(result.err.contains(part), "\(result.err)", sourceLocation: sourceLocation) }
  }

  @Test func helpAndVersionGoToStdout() async throws {
    let help = try await run("--help")
    #expect(help.status == 0)
    #expect(help.out.contains("usage: flashline"))
    #expect(help.err.isEmpty)
    let page = try await run("run", "--help")
    #expect(page.status == 0)
    #expect(page.out.contains("--profile P"))
    let version = try await run("--version")
    #expect(version.status == 0)
    #expect(version.out == "flashline 0.1.0\n")
  }

  @Test func badUsageIsExitTwo() async throws {
    expectError(try await run(), 2, "no command is given")
    expectError(try await run("run"), 2, "run needs a profile")
    expectError(try await run("adapters", "--frob"), 2, "--frob")
  }

  @Test func aBadConfigurationNamesFileAndLine() async throws {
    let file = try folder.write("[station]\nid = a\nfrob = 1\n", to: "bad.conf")
    expectError(try await run("--config", file, "summary"), 2, "\(file):3: ")
    expectError(try await run("--config", folder.path + "/none.conf", "adapters"), 2, "none.conf", "does not exist")
  }

  @Test func aBadProfileOrPackageTouchesNothing() async throws {
    let profile = try folder.write(Self.profile, to: "p.profile")
    let text = try folder.write("this is no firmware\n", to: "text.bin")
    expectError(try await run("run", "--profile", "absent"), 2, "absent")
    expectError(try await run("run", "--profile", profile), 2, "names no package")
    expectError(try await run("run", "--profile", profile, "--package", text), 2, "text.bin", "not an MCUboot image")
    expectError(try await run("run", "--profile", profile, "--package", folder.path + "/none.bin"), 2, "none.bin", "does not exist")
    let loose = try folder.write("[board]\nfamily = mcuboot\n[match]\nname_prefix = X\n", to: "loose.profile")
    expectError(try await run("run", "--profile", loose), 2, "loose.profile:3: ", "min_rssi is missing")
    #expect(access(folder.path + "/flashline.db", F_OK) != 0)
  }

  @Test func aPinnedPackageRefusesAnother() async throws {
    let image = try image()
    let profile = try folder.write(Self.profile + "sha256 = \(String(repeating: "0", count: 64))\n", to: "pinned.profile")
    expectError(try await run("run", "--profile", profile, "--package", image), 2, "SHA-256", "pins")
    let inspected = try await run("inspect", image, "--profile", profile)
    #expect(inspected.status == 2)
    #expect(inspected.out.contains("error: "))
  }

  @Test func inspectTellsPeopleAndPrograms() async throws {
    let image = try image()
    let text = try await run("inspect", image)
    #expect(text.status == 0)
    #expect(text.out.contains("version 1.2.3"))
    let json = try await run("--json", "inspect", image)
    #expect(json.status == 0)
    let document = try #require(try json.events().first)
    #expect(json.outLines.count == 1)
    #expect(document["kind"] as? String == "mcuboot_image")
    expectError(try await run("inspect", folder.path + "/none.bin"), 2, "does not exist")
  }

  @Test func inspectReadsNordicPackagesAndHoldsThemAgainstTheProfile() async throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "FirmwareTests/Fixtures/nordic/legacy-05.zip").path(percentEncoded: false)
    let json = try await run("--json", "inspect", package)
    #expect(json.status == 0)
    #expect(try json.events().first?["kind"] as? String == "nordic_package")
    let board = "[board]\nfamily = metawear\n[match]\nallow_any = yes\n[identity]\nmodel_number = 6\nhardware_revision = 0."
    let right = try await run("inspect", package, "--profile", folder.write(board + "1\n", to: "right.profile"))
    #expect(right.status == 0)
    #expect(right.out.contains("no complaints"))
    let wrong = try await run("inspect", package, "--profile", folder.write(board + "2\n", to: "wrong.profile"))
    #expect(wrong.status == 2)
    #expect(wrong.out.contains("is for boards of revision 1, this board has revision 2"))
    let mcuboot = try await run("inspect", package, "--profile", folder.write(Self.profile, to: "mcuboot.profile"))
    #expect(mcuboot.status == 2)
    #expect(mcuboot.out.contains("the profile's boards have MCUboot"))
  }

  @Test func withoutABusTheStationCannotWork() async throws {
    let profile = try folder.write(Self.profile, to: "p.profile")
    expectError(try await run("adapters"), 3, "the system bus cannot be reached")
    expectError(try await run("scan", "--seconds", "1"), 3, "the system bus cannot be reached")
    let job = try await run("run", "--quiet", "--profile", profile, "--package", try image())
    expectError(job, 3, "the system bus cannot be reached")
    let told = try await run("--json", "run", "--quiet", "--profile", profile, "--package", try image())
    #expect(told.status == 3)
    #expect(try told.events().first?["failure_code"] as? String == "bus.gone")
  }

  @Test func withoutADatabaseThereIsNothingToReport() async throws {
    for command in ["report", "summary", "audit"] { expectError(try await run(command), 3, "flashline.db") }
  }

  private func image() throws -> String {
    try VirtualFirmware.write(version: try #require(ImageVersion("1.2.3")), size: 4096, into: folder.path)
  }

  static let profile = """
    [board]
    name = p
    family = mcuboot
    [match]
    name_prefix = VLINE-
    min_rssi = -90
    [firmware]
    allow_unsigned = yes
    """ + "\n"
}
