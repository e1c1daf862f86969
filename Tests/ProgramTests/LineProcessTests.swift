import Firmware
import Foundation
import Glibc
import Testing
import VirtualLine

@testable import flashline

/// `line` as a process of its own, and the commands that look at its adapters and boards.
@Suite(.serialized) struct LineProcessTests {
  private let folder: TemporaryFolder
  private let line: BuiltProgram
  private let environment: [String: String]

  init() async throws {
    folder = try TemporaryFolder()
    let state = folder.path + "/l"
    line = try BuiltProgram(["line", "--adapters", "2", "--boards", "3", "--state", state], in: folder)
    let files = LineFiles(folder: state)
    try await eventually(within: .seconds(20), "the line is ready") { files.isReady }
    environment = try files.environment()
  }

  private func run(_ arguments: String...) async throws -> BuiltProgram.Result {
    try await BuiltProgram.run(arguments, in: folder, environment: environment)
  }

  /// Ends the line; every test does, so that a leftover is seen.
  private func end() async throws {
    line.send(SIGTERM)
    let result = try await line.result(within: .seconds(10))
    #expect(result.status == 0, "\(result.err)")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/l/truth.json"))
    try await eventually(within: .seconds(10), "nothing is left") { processes(naming: folder.path + "/l").isEmpty }
  }

  @Test(.timeLimit(.minutes(1))) func adaptersAreListedWithTheReason() async throws {
    let table = try await run("adapters")
    #expect(table.status == 0, "\(table.err)")
    #expect(table.out.contains("USB PATH"))
    #expect(table.out.contains("radio: the kernel's defaults"))
    let document = try #require(try await run("--json", "adapters").events().first)
    let adapters = try #require(document["adapters"] as? [[String: Any]])
    #expect(adapters.count == 2)
    #expect(adapters.allSatisfy { $0["usable"] as? Bool == true })
    let path = try #require(adapters.first?["usb_path"] as? String)
    let config = try folder.write("[adapters]\nexclude = \(path)\nlabel.\(path) = left\n", to: "some.conf")
    let some = try await run("--config", config, "adapters")
    #expect(some.status == 0)
    #expect(some.out.contains("left"))
    #expect(some.out.contains("not usable: excluded"))
    try await end()
  }

  @Test(.timeLimit(.minutes(1))) func withoutAUsableAdapterNothingWorks() async throws {
    let config = try folder.write("[adapters]\nuse = 9-9.9\n[limits]\nadapter_timeout = 1s\n", to: "none.conf")
    let profile = try folder.write(ProcessTests.profile, to: "p.profile")
    let image = try VirtualFirmware.write(version: try #require(ImageVersion("1.2.3")), size: 4096, into: folder.path)
    #expect(try await run("--config", config, "adapters").status == 3)
    #expect(try await run("--config", config, "scan", "--seconds", "1").status == 3)
    let job = try await run("--config", config, "run", "--profile", profile, "--package", image)
    #expect(job.status == 3, "\(job.out)\(job.err)")
    #expect(job.out.contains("no usable Bluetooth adapter"))
    try await end()
  }

  @Test(.timeLimit(.minutes(1))) func aNightWithoutAStrandedBoardIsGoodAndSaysSo() async throws {
    let text = DemoFolder.rescueProfileText.replacingOccurrences(of: "stranded_after = 3s", with: "stranded_after = 1s")
    let profile = try folder.write(text, to: "stranded.profile")
    _ = try RescueFirmware.write(into: folder.path + "/catalogue")
    let blind = try await run("recover", "--profile", profile, "--idle", "1s")
    #expect(blind.status == 2, "without a mirror no board is touched: \(blind.out)\(blind.err)")
    #expect(blind.err.contains("flashline catalog refresh"))
    let refresh = try await run("catalog", "refresh", "--profile", profile)
    #expect(refresh.status == 0, "\(refresh.out)\(refresh.err)")
    let night = try await run("recover", "--profile", profile, "--idle", "1s")
    #expect(night.status == 0, "\(night.out)\(night.err)")
    #expect(night.out.contains("batch 1: no board was stranded in its bootloader; no new board came."))
    try await end()
  }

  @Test(.timeLimit(.minutes(1))) func oneJobADatabase() async throws {
    let profile = try folder.write(ProcessTests.profile, to: "p.profile")
    let image = try VirtualFirmware.write(version: try #require(ImageVersion("3.0.0")), size: 4096, into: folder.path)
    let first = try BuiltProgram(["--json", "run", "--profile", profile, "--package", image], in: folder, environment: environment)
    try await eventually(within: .seconds(20), "the first job runs") { first.output.contains("batch.started") }
    let second = try await run("--json", "run", "--profile", profile, "--package", image)
    #expect(second.status == 3)
    #expect(try second.events().first?["failure_code"] as? String == "station.busy")
    #expect(second.err.contains("[station.busy]"))
    first.send(SIGTERM)
    #expect(try await first.result(within: .seconds(20)).status == 130)
    try await end()
  }

  @Test(.timeLimit(.minutes(1))) func theBoardsInRangeAreListed() async throws {
    _ = try folder.write(ProcessTests.profile, to: "p.profile")
    let config = try folder.write("[station]\nprofiles = .\n", to: "station.conf")
    let result = try await run("--config", config, "--json", "scan", "--seconds", "2")
    #expect(result.status == 0, "\(result.err)")
    let boards = try #require(try result.events().first?["boards"] as? [[String: Any]])
    #expect(boards.compactMap { $0["mac"] as? String }.sorted() == (1...3).map { "C0:DE:00:00:00:0\($0)" })
    #expect(boards.allSatisfy { $0["admitted"] as? Bool == true && ($0["profiles"] as? [String]) == ["p"] && $0["rssi_dbm"] is Int })
    try await end()
  }

  @Test(.timeLimit(.minutes(1))) func oneBoardIsFlashedByItsAddressAndThenSkipped() async throws {
    let profile = try folder.write(ProcessTests.profile, to: "p.profile")
    let image = try VirtualFirmware.write(version: try #require(ImageVersion("3.0.0")), size: 4096, into: folder.path)
    let arguments = ["flash", "C0:DE:00:00:00:02", "--profile", profile, "--package", image, "--unit", "U-2"]
    let first = try await BuiltProgram.run(["--json"] + arguments, in: folder, environment: environment)
    #expect(first.status == 0, "\(first.err)")
    let done = try #require(try first.events().first { $0["event"] as? String == "board.done" })
    #expect(done["mac"] as? String == "C0:DE:00:00:00:02")
    #expect(done["unit_id"] as? String == "U-2")
    #expect(done["outcome"] as? String == "passed")
    let second = try await BuiltProgram.run(["--json"] + arguments, in: folder, environment: environment)
    #expect(second.status == 0, "\(second.err)")
    #expect(try second.events().first { $0["event"] as? String == "board.done" }?["outcome"] as? String == "skipped")
    let truth = try JSONDecoder().decode(LineTruth.self, from: LineFiles(folder: folder.path + "/l").truth())
    #expect(truth.boards.map(\.version) != ["3.0.0", "3.0.0", "3.0.0"])
    try await end()
  }
}
