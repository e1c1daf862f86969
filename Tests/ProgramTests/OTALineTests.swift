import Firmware
import Flashing
import Foundation
import Glibc
import Locks
import Records
import Synchronization
import Testing
import VirtualLine

@testable import flashline

/// Releases for the boards of a virtual line: what they tell of themselves, and a job whose package is the latest release.
@Suite(.serialized) struct OTALineTests {
  private static let key = OTAProcessTests.key
  private static let boardKey = OTAProcessTests.boardKey
  private static let board = "C0:DE:00:00:00:01"

  private let folder: TemporaryFolder
  private let server: CloudServer
  private let line: BuiltProgram
  private let environment: [String: String]

  init() async throws {
    folder = try TemporaryFolder()
    server = try await CloudServer()
    _ = try folder.write(
      "[station]\nid = line-7\n[cloud]\nallowed_hosts = 127.0.0.1\nreleases = \(server.address)\nproject_key_file = project.key\n", to: "station.conf")
    #expect(chmod(try folder.write(Self.key, to: "project.key"), 0o600) == 0)
    let faults = try folder.write(
      """
      { boards: [{ board: 0, settings: { groups: { projectKey: "\(Self.boardKey)" } } },
                 { board: 1, settings: { kind: "mds", groups: { built: [10] }, software: "app-mds",
                   mds: { uri: "http://127.0.0.1:1/{serial}", authorization: "Memfault-Project-Key:\(Self.boardKey)2", deviceID: "D-{serial}" } } }] }
      """, to: "faults.json5")
    let state = folder.path + "/l"
    line = try BuiltProgram(["line", "--adapters", "1", "--boards", "2", "--faults", faults, "--state", state], in: folder)
    let files = LineFiles(folder: state)
    try await eventually(within: .seconds(20), "the line is ready") { files.isReady }
    environment = try files.environment()
    // The test's own file, not the station's.
    try FileManager.default.removeItem(atPath: faults)
  }

  private func run(_ arguments: String...) async throws -> BuiltProgram.Result { try await run(arguments) }

  private func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
    let result = try await BuiltProgram(arguments, in: folder, environment: environment).result(within: .seconds(60))
    #expect(!(result.out + result.err).contains(Self.key) && !(result.out + result.err).contains(Self.boardKey))
    return result
  }

  private func end() async throws {
    line.send(SIGTERM)
    #expect(try await line.result(within: .seconds(10)).status == 0)
    server.stop()
  }

  private func offer(_ version: String) throws -> String {
    let path = try VirtualFirmware.write(version: try #require(ImageVersion(version)), size: 8192, into: folder.path + "/l")
    let content = try Data(contentsOf: URL(filePath: path))
    let sha256 = try Digest(.sha256, of: [UInt8](content)).hex
    try server.serve(content, as: version)
    try server.plan([
      CloudServer.latest: CloudServer.release(version, version, content, sha256: sha256, name: "../app-\(version).bin", url: server.address + "/files/1"),
      "/files/1": ["file": version],
    ])
    return sha256
  }

  @Test(.timeLimit(.minutes(2))) func aBoardTellsItsValues() async throws {
    _ = try offer("2.0.0")
    let told = try await run("--json", "ota", "check", Self.board, "--software-type", "mine")
    #expect(told.status == 0, "\(told.err)")
    let document = try #require(try told.events().first)
    let values = try #require(document["values"] as? [String: [String: Any]])
    #expect(values["software_type"]?["from"] as? String == "option" && values["software_type"]?["value"] as? String == "mine")
    #expect(values["hardware_version"]?["from"] as? String == "smp" && values["hardware_version"]?["value"] as? String == "1.0")
    #expect(values["current_version"]?["value"] as? String == "1.0.0" && values["device_serial"]?["from"] as? String == "smp")
    #expect(document["board_key"] as? Bool == false)
    #expect(try server.requests().last?["key"] as? String == Self.key, "the file's key goes before the board's")
    let own = try await run("ota", "check", Self.board, "--board-key")
    #expect(own.status == 0 && own.out.contains("the project key is the board's") && own.out.contains("board, SMP group 128"), "\(own.out)\(own.err)")
    #expect(try server.requests().last?["key"] as? String == Self.boardKey)
    // The second board has no group 128.
    let second = try await run("--json", "ota", "check", "C0:DE:00:00:00:02", "--board-key")
    #expect(second.status == 0, "\(second.err)")
    let its = try #require(try second.events().first?["values"] as? [String: [String: Any]])
    #expect(its["device_serial"]?["from"] as? String == "mds" && (its["device_serial"]?["value"] as? String)?.hasPrefix("D-") == true, "\(its)")
    #expect(its["software_type"]?["value"] as? String == "app-mds" && its["hardware_version"]?["from"] as? String == "dis", "\(its)")
    #expect(try server.requests().last?["key"] as? String == Self.boardKey + "2")
    let absent = try await run("ota", "check", "C0:DE:00:00:00:99", "--seconds", "1")
    #expect(absent.status == 1 && absent.err.contains("was not heard for 1 s"), "\(absent.err)")
    try await end()
  }

  private func rows() async throws -> [[ResultColumn: ResultCell]] {
    let found = RowList()
    try await RecordReader.open(folder.path + "/flashline.db").rows(Filter()) { row throws(RecordError) in
      found.rows.withLock { $0.append(Dictionary(uniqueKeysWithValues: zip(ResultColumn.allCases, row))) }
    }
    return found.rows.withLock { $0 }
  }

  @Test(.timeLimit(.minutes(3))) func aJobTakesTheLatestReleaseAndABatchKeepsIt() async throws {
    let text = ProcessTests.profile.replacing("[firmware]\n", with: "[firmware]\nsource = ota\nhardware_version = 1.0\nsoftware_type = app\n")
    _ = try folder.write(text, to: "p.profile")
    let first = try offer("2.0.0")
    // Stopped after its first board: the batch can go on.
    let program = try BuiltProgram(["--json", "run", "--profile", "p.profile", "--lot", "L", "--idle", "20s"], in: folder, environment: environment)
    try await eventually(within: .seconds(60), "a board is done: \(program.output)") { program.output.contains("\"board.done\"") }
    program.send(SIGINT)
    let stopped = try await program.result(within: .seconds(20))
    #expect(stopped.status == 130, "\(stopped.err)")
    #expect(stopped.err.contains("release 2.0.0, app-2.0.0.bin is the latest") && !(stopped.out + stopped.err).contains(Self.key))
    let query = try #require(try server.requests().first?["path"] as? String)
    #expect(query.hasSuffix("?hardware_version=1.0&software_type=app&device_serial=line-7"), "no board is asked: \(query)")

    // A newer release, and then no server at all: the batch keeps what it began with.
    _ = try offer("3.0.0")
    let asked = try server.askedForReleases()
    server.stop()
    let further = try await run("run", "--profile", "p.profile", "--lot", "L", "--idle", "2s")
    #expect(further.status == 0, "\(further.out)\(further.err)")
    #expect(further.out.contains("release 2.0.0, app-2.0.0.bin is here: the server is not asked"))
    #expect(try server.askedForReleases() == asked)
    let rows = try await rows()
    let good = rows.filter { $0[.outcome] == .text("passed") }
    #expect(good.count == 2)
    for row in rows {
      #expect(row[.packageSHA256] == .text(first) && row[.package] == .text("app-2.0.0.bin") && row[.batchID] == .integer(1))
    }
    for row in good { #expect(row[.firmwareAfter] == .text("2.0.0")) }

    // The batch is over: another one asks, and nothing is touched when nobody answers.
    for more in [[], ["--new"]] {
      let away = try await BuiltProgram.run(["run", "--profile", "p.profile", "--lot", "L", "--idle", "2s"] + more, in: folder, environment: environment)
      #expect(away.status == 3 && away.err.contains("p.profile: the server cannot be reached"), "\(away.err)")
      let event = try #require(try await run(["--json", "run", "--profile", "p.profile", "--lot", "L", "--idle", "2s"] + more).events().first)
      #expect(event["event"] as? String == "station.fault" && event["failure_code"] as? String == "station.package")
    }
    // By hand it goes on all the same, and the pinned file needs nobody.
    _ = try folder.write(text.replacing("source = ota\n", with: "source = ota\nsha256 = \(first)\n"), to: "p.profile")
    let pinned = try await run("run", "--profile", "p.profile", "--lot", "M", "--idle", "2s")
    #expect(pinned.status == 0 && pinned.out.contains("is here: the server is not asked"), "\(pinned.out)\(pinned.err)")
    try expectNoKey()
    try await end()
  }

  @Test(.timeLimit(.minutes(2))) func aReleaseThatIsNoGoodTouchesNothing() async throws {
    let text = ProcessTests.profile.replacing("[firmware]\n", with: "[firmware]\nsource = ota\nhardware_version = 1.0\nsoftware_type = app\n")
    _ = try folder.write(text, to: "p.profile")
    try server.plan([CloudServer.latest: ["status": 204]])
    let none = try await run("run", "--profile", "p.profile", "--idle", "2s")
    #expect(none.status == 2 && none.err.contains("p.profile: the server has no release for these values"), "\(none.err)")
    // A good SHA-256 over something that is no firmware.
    let noise = Data("not an image".utf8)
    try server.serve(noise, as: "noise")
    try server.plan([
      CloudServer.latest: CloudServer.release(
        "2", "noise", noise, sha256: try Digest(.sha256, of: [UInt8](noise)).hex, url: server.address + "/files/1", hardware: nil),
      "/files/1": ["file": "noise"],
    ])
    let bad = try await run("run", "--profile", "p.profile", "--idle", "2s")
    #expect(bad.status == 2, "\(bad.err)")
    // The operator's own package goes before the release.
    let image = try VirtualFirmware.write(version: try #require(ImageVersion("1.9.0")), size: 4096, into: folder.path + "/l")
    let asked = try server.askedForReleases()
    let own = try await run("run", "--profile", "p.profile", "--package", image, "--idle", "2s")
    #expect(own.status == 0, "\(own.out)\(own.err)")
    #expect(try server.askedForReleases() == asked)
    try expectNoKey()
    try await end()
  }

  /// No file of the station holds a key, except the one that is made for it.
  private func expectNoKey() throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name != "project.key" && !name.hasPrefix("l/") {
      guard let content = try? Data(contentsOf: URL(filePath: folder.path + "/" + name)) else { continue }
      for key in [Self.key, Self.boardKey] { #expect(content.range(of: Data(key.utf8)) == nil, "\(name) holds a key") }
    }
  }
}

/// Rows that a reader hands over on its own thread.
private final class RowList: Sendable {
  let rows = Locked<[[ResultColumn: ResultCell]]>([])
}
