import Foundation
import Glibc
import Testing
import VirtualLine

@testable import flashline

/// `smp` as a process against the virtual line: what it prints, its exit codes, and that it leaves nothing behind.
@Suite(.serialized) struct SMPProcessTests {
  private let folder: TemporaryFolder
  private let line: BuiltProgram
  private let environment: [String: String]
  private static let board = "C0:DE:00:00:00:01"

  init() async throws {
    folder = try TemporaryFolder()
    let state = folder.path + "/l"
    let faults = try folder.write(
      """
      { boards: [
        { board: 0, settings: { groups: { projectKey: "s3cret-key", activeB0Slot: 1 } } },
        { board: 1, settings: { groups: { built: [10] }, params: false, serial: "S2" } },
        { board: 2, faults: [{ do: "silent", group: 0, command: 0, times: 0 }] },
      ] }
      """, to: "faults.json5")
    line = try BuiltProgram(["line", "--adapters", "2", "--boards", "3", "--faults", faults, "--state", state], in: folder)
    let files = LineFiles(folder: state)
    try await eventually(within: .seconds(20), "the line is ready") { files.isReady }
    environment = try files.environment()
  }

  private func smp(_ arguments: String..., board: String = board) async throws -> BuiltProgram.Result {
    try await BuiltProgram.run(["smp", board] + arguments, in: folder, environment: environment)
  }

  private func document(_ arguments: String..., board: String = board) async throws -> [String: Any] {
    let result = try await BuiltProgram.run(["--json", "smp", board] + arguments, in: folder, environment: environment)
    let documents = try result.events()
    #expect(documents.count == 1, "\(result.out)\(result.err)")
    return try #require(documents.first)
  }

  private func end() async throws {
    line.send(SIGTERM)
    #expect(try await line.result(within: .seconds(10)).status == 0)
    try await eventually(within: .seconds(10), "nothing is left") { processes(naming: folder.path + "/l").isEmpty }
  }

  @Test(.timeLimit(.minutes(2))) func aBoardTellsOfItself() async throws {
    let echo = try await smp("os", "echo", "hello", "there")
    #expect(echo.status == 0 && echo.out == "hello there\n", "\(echo.err)")
    let tasks = try await smp("os", "tasks")
    #expect(tasks.out.contains("TASK") && tasks.out.contains("mcumgr smp"), "\(tasks.err)")
    let info = try await document("os", "info")
    #expect(info["kernel_name"] as? String == "Zephyr" && info["kernel_version"] as? String == "4.4.0")
    #expect(info["mac"] as? String == Self.board && info["group"] as? String == "os" && info["command"] as? String == "info")
    let bootloader = try await document("os", "bootloader")
    #expect(bootloader["bootloader"] as? String == "MCUboot" && bootloader["mode"] as? Int == 3 && bootloader["active_b0_slot"] as? Int == 1)
    let images = try #require(try await document("image", "list")["images"] as? [[String: Any]])
    #expect(images.count == 1 && images[0]["version"] as? String == "1.0.0" && images[0]["confirmed"] as? Bool == true)
    let hash = try #require(images[0]["hash"] as? String)
    #expect(try await smp("image", "confirm", hash).status == 0)
    let test = try await smp("image", "test", hash)
    #expect(test.status == 1 && test.err.contains("(image testOfActiveDenied, rc 33)"), "\(test.err)")
    #expect(test.out.isEmpty && test.err.split(separator: "\n").count == 1)
    #expect(try await document("enum", "details")["groups"] is [[String: Any]])
    try await end()
  }

  @Test(.timeLimit(.minutes(2))) func filesSettingsAndShell() async throws {
    let content = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
    try content.write(to: URL(filePath: folder.path + "/file.bin"))
    let upload = try await smp("fs", "upload", "file.bin", "/lfs/file.bin")
    #expect(upload.status == 0 && upload.out.contains("5000 bytes; its sha256 was read back"), "\(upload.out)\(upload.err)")
    let again = try await document("fs", "upload", "file.bin", "/lfs/file.bin")
    #expect(again["resumed_from"] as? Int == 5000 && again["check"] as? String == "sha256" && again["proven"] as? Bool == true)
    #expect(try await document("fs", "status", "/lfs/file.bin")["bytes"] as? Int == 5000)
    let download = try await smp("fs", "download", "/lfs/file.bin", "back.bin")
    #expect(download.status == 0, "\(download.err)")
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/back.bin")) == content)
    let none = try await document("fs", "status", "/lfs/none")
    let error = try #require(none["error"] as? [String: Any])
    #expect(error["group"] as? String == "fs" && error["name"] as? String == "notFound" && error["rc"] as? Int == 3 && error["unsupported"] as? Bool == false)
    #expect(try await smp("fs", "upload", "absent.bin", "/lfs/a").status == 2)

    #expect(try await smp("settings", "write", "a/b", "0001ff", "--hex").status == 0)
    #expect(try await document("settings", "read", "a/b")["value_hex"] as? String == "0001ff")
    #expect(try await smp("settings", "save").status == 0)
    #expect(try await smp("os", "reset").out == "the board restarts\n")
    let kept = try await BuiltProgram.run(
      ["--json", "smp", Self.board, "settings", "read", "a/b", "--seconds", "20"], in: folder, environment: environment)
    #expect(kept.out.contains("\"value_hex\":\"0001ff\""), "\(kept.out)\(kept.err)")

    let shell = try await smp("shell", "exec", "--", "echo", "-x", "y")
    #expect(shell.status == 0 && shell.out == "-x y\n", "\(shell.err)")
    let unknown = try await smp("shell", "exec", "frob")
    #expect(unknown.status == 1 && unknown.out == "frob: command not found\nthe command returned -8\n")
    let key = try await smp("memfault", "key")
    #expect(key.out == "s3cret-key\n" && !key.err.contains("s3cret"))
    #expect(try await document("stat", "read", "smp")["fields"] is [String: Any])
    try await end()
  }

  @Test(.timeLimit(.minutes(2))) func whatGoesWrongIsOneLineAndAnExitCode() async throws {
    let second = "C0:DE:00:00:00:02"
    let lacking = try await smp("fs", "status", "/lfs/a", board: second)
    #expect(lacking.status == 1)
    #expect(
      lacking.err
        == "flashline: \(second): the board's firmware does not support this command (rc 8): its firmware must be built with this command (fs status)\n")
    let unsupported = try #require(try await document("log", "list")["error"] as? [String: Any])
    #expect(unsupported["unsupported"] as? Bool == true && unsupported["name"] as? String == "notSupported")
    #expect(try await smp("enum", "list", board: second).out.contains("enum"))
    let silent = try await smp("os", "echo", "a", "--seconds", "2", board: "C0:DE:00:00:00:03")
    #expect(silent.status == 1 && silent.err.contains("did not answer within 2 s"), "\(silent.err)")
    let absent = try await smp("os", "tasks", "--seconds", "1", board: "C0:DE:00:00:00:99")
    #expect(absent.status == 1 && absent.err.contains("was not heard for 1 s"), "\(absent.err)")
    #expect(try await smp("os", "tasks", "--adapter", "9-9").status == 2)
    #expect(try await smp("os", "tasks", "--adapter", "hci1").status == 0)
    try await end()
  }

  @Test(.timeLimit(.minutes(2))) func aRunningJobIsLeftAlone() async throws {
    let profile = try folder.write(ProcessTests.profile, to: "p.profile")
    let lock = open(folder.path + "/flashline.db.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let busy = try await smp("os", "tasks", "--profile", profile)
    #expect(busy.status == 3 && busy.err.contains("[station.busy]"), "\(busy.err)")
    #expect(flock(lock, LOCK_UN) == 0)
    #expect(try await smp("os", "tasks").status == 0)
    try await end()
  }

  @Test(.timeLimit(.minutes(2))) func stoppingLeavesTheBoardFree() async throws {
    let silent = "C0:DE:00:00:00:03"
    let asking = try BuiltProgram(["smp", silent, "os", "echo", "a", "--seconds", "60"], in: folder, environment: environment)
    let files = LineFiles(folder: folder.path + "/l")
    try await eventually(within: .seconds(30), "the board has the request and is silent") {
      let truth = (try? files.truth()).flatMap { try? JSONDecoder().decode(LineTruth.self, from: $0) }
      return truth?.boards.first { $0.address == silent }?.faultsFired.values.contains { $0 > 0 } == true
    }
    asking.send(SIGINT)
    #expect(try await asking.result(within: .seconds(10)).status == 130)
    let next = try await smp("os", "params", board: silent)
    #expect(next.status == 0, "the board advertises again: \(next.err)")
    try await end()
  }
}
