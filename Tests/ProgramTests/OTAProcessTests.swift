import Firmware
import Flashing
import Foundation
import Glibc
import Records
import Testing
import VirtualLine

@testable import flashline

/// `ota` and `[firmware] source = ota` as processes, against a server of releases of another kind (Python's http.server).
@Suite(.serialized) struct OTAProcessTests {
  static let key = "0123456789abcdefS3CRETKEY"
  /// Of a virtual board; never in a file of the station.
  static let boardKey = "fedcba9876543210B0ARDKEY"

  private let folder: TemporaryFolder
  private let server: CloudServer

  init() async throws {
    folder = try TemporaryFolder()
    server = try await CloudServer()
    try writeStation()
    try writeKey()
  }

  private func writeStation(hosts: String = "127.0.0.1", more: String = "project_key_file = project.key\n") throws {
    _ = try folder.write("[station]\nid = line-7\n[cloud]\nallowed_hosts = \(hosts)\nreleases = \(server.address)\n\(more)", to: "station.conf")
  }

  private func writeKey(mode: mode_t = 0o600) throws { #expect(chmod(try folder.write(Self.key + "\n", to: "project.key"), mode) == 0) }

  private static let values = ["--hardware-version", "1.0", "--software-type", "app", "--serial", "S/1+2"]

  /// Runs `ota` without a board; nothing that it prints holds a key.
  private func ota(_ arguments: [String], environment: [String: String] = [:]) async throws -> BuiltProgram.Result {
    let result = try await BuiltProgram.run(arguments, in: folder, environment: environment)
    #expect(!(result.out + result.err).contains(Self.key) && !(result.out + result.err).contains(Self.boardKey))
    return result
  }

  private static func hash(_ content: Data) throws -> String { try Digest(.sha256, of: [UInt8](content)).hex }

  private func offer(_ version: String, _ content: Data, sha256: String? = nil, name: String? = nil, file: [String: Any] = [:]) throws {
    try server.serve(content, as: "app.bin")
    try server.plan([
      CloudServer.latest: CloudServer.release(
        version, "app.bin", content, sha256: try sha256 ?? Self.hash(content), name: name, url: server.address + "/files/1?token=t0ken"),
      "/files/1": ["file": "app.bin"].merging(file) { $1 },
    ])
  }

  /// What lies in the folder of artefacts.
  private var artefacts: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/ota")) ?? []).sorted() }

  @Test(.timeLimit(.minutes(1))) func checkTellsTheReleaseAndAsksOnce() async throws {
    let content = Data("an image".utf8)
    let sha256 = try Self.hash(content)
    try offer("2.0.0+7", content, name: "../../etc/app.bin")
    let check = try await ota(["--json", "ota", "check"] + Self.values + ["--current-version", "1.0.0+1"])
    #expect(check.status == 0, "\(check.err)")
    let document = try #require(try check.events().first)
    #expect(check.outLines.count == 1 && document["result"] as? String == "release" && document["path"] is NSNull)
    let artefact = try #require(document["artifact"] as? [String: Any])
    #expect(artefact["name"] as? String == "app.bin" && artefact["sha256"] as? String == sha256 && artefact["bytes"] as? Int == content.count)
    let value = try #require((document["values"] as? [String: Any])?["device_serial"] as? [String: Any])
    #expect(value["value"] as? String == "S/1+2" && value["from"] as? String == "option")
    let requests = try server.requests()
    #expect(requests.count == 1 && requests[0]["key"] as? String == Self.key)
    #expect(
      requests[0]["path"] as? String
        == CloudServer.latest + "?hardware_version=1.0&software_type=app&current_version=1.0.0%2B1&device_serial=S%2F1%2B2")
    #expect(artefacts.isEmpty)
    let text = try await ota(["ota", "check"] + Self.values)
    #expect(text.out.contains("release 2.0.0+7\n") && text.out.contains("app.bin") && !text.out.contains("etc") && !text.out.contains("t0ken"))
  }

  @Test(
    "Whatever the server says has its exit code, its words and a remedy",
    .timeLimit(.minutes(1)),
    arguments: [
      (["status": 204], ["--current-version", "1"], 0, "up to date: the board has the latest release (1)"),
      (["status": 204], [], 1, "the server has no release for these values: activate one"), (["status": 400], [], 2, "knows no such board (status 400): check"),
      (["status": 401], [], 2, "does not take the project key (status 401): check the key"), (["status": 403], [], 2, "(status 403): check the key"),
      (["status": 404], [], 2, "(status 404): check [cloud] releases"),
      (["status": 429, "headers": ["Retry-After": "9"]], [], 3, "asks for a pause (status 429, 9 s): try again later"),
      (["status": 503], [], 3, "asks for a pause (status 503): try again later"), (["status": 500], [], 3, "the server failed (status 500): try again later"),
      (["text": "<html>"], [], 3, "is no release (it is not JSON): check [cloud] releases"),
      (["text": #"{"version":"1","artifacts":[]}"#], [], 3, "(it has 0 artefacts)"),
      (["status": 302, "headers": ["Location": "https://evil.example/x?s3cret"]], [], 3, "sends on to evil.example"),
      (
        ["text": #"{"version":"1","artifacts":[{"url":"https://h/x","hardware_version":"EVT","filename":"e.bin"}]}"#], [], 1,
        "has no such artefact (it has e.bin): choose another"
      ),
      (["text": #"{"version":"1","artifacts":[{"url":"https://h/x","filename":"a"},{"url":"https://h/y","filename":"b"}]}"#], [], 0, "release 1"),
      (
        ["text": #"{"version":"1","artifacts":[{"url":"https://h/x","filename":"a"},{"url":"https://h/y","filename":"b"}]}"#], ["--artifact", "c"], 1,
        "has no such artefact (it has a, b)"
      ),
    ] as [([String: any Sendable], [String], Int32, String)])
  func answers(answer: [String: any Sendable], more: [String], status: Int32, words: String) async throws {
    try server.plan([CloudServer.latest: answer])
    let result = try await ota(["ota", "check"] + Self.values + more)
    #expect(result.status == status && (result.out + result.err).contains(words), "\(result.status) \(result.out)\(result.err)")
    #expect(status == 0 || result.err.hasPrefix("flashline: ") && result.err.split(separator: "\n").count == 1)
    let document = try #require(try await ota(["--json", "ota", "check"] + Self.values + more).events().first)
    #expect(document["message"] as? String == nil ? document["result"] as? String == "release" : (document["message"] as? String)?.contains(words) == true)
  }

  @Test(.timeLimit(.minutes(1))) func whatIsWrongWithTheStationIsToldBeforeAnybodyIsAsked() async throws {
    try offer("1", Data("x".utf8))
    try writeKey(mode: 0o640)
    let open = try await ota(["ota", "check"] + Self.values)
    #expect(open.status == 2 && open.err.contains("project.key is not usable (other users may read it): chmod 600 it"), "\(open.err)")
    try writeKey()
    let missing = try await ota(["ota", "check", "--hardware-version", "1.0"])
    #expect(missing.status == 2 && missing.err.contains("the software type of the board is not known: give --software-type"), "\(missing.err)")
    try writeStation(hosts: "api.memfault.com")
    let host = try await ota(["ota", "check"] + Self.values)
    #expect(host.status == 2 && host.err.contains("127.0.0.1 is not on the list of hosts that this station speaks to: add it to [cloud] allowed_hosts"))
    try writeStation(more: "")
    let none = try await ota(["ota", "check"] + Self.values)
    #expect(none.status == 2 && none.err.contains("no project key is known: set [cloud] project_key_file"), "\(none.err)")
    #expect(try server.requests().isEmpty)
    try writeStation()
    server.stop()
    let away = try await ota(["ota", "check"] + Self.values)
    #expect(away.status == 3 && away.err.contains("cannot be reached"), "\(away.err)")
  }

  @Test(.timeLimit(.minutes(2))) func fetchTakesOnlyWhatIsWhole() async throws {
    let content = Data((0..<200_000).map { UInt8($0 % 251) })
    let sha256 = try Self.hash(content)
    let fetch = ["--json", "ota", "fetch"] + Self.values
    // A wrong SHA-256: not good, and nothing stays.
    try offer("1", content, sha256: String(repeating: "0", count: 64))
    let wrong = try await ota(fetch)
    #expect(wrong.status == 1 && wrong.err.contains("the artefact has SHA-256 \(sha256) instead of 0000"), "\(wrong.err)")
    #expect(artefacts.isEmpty)
    // A host that is not allowed.
    try offer("1", content, file: ["status": 302, "headers": ["Location": "https://evil.example/x?token=t0ken"]])
    let elsewhere = try await ota(fetch)
    #expect(elsewhere.status == 2 && elsewhere.err.contains("evil.example is not on the list of hosts") && !elsewhere.err.contains("t0ken"), "\(elsewhere.err)")
    try offer("1", content, file: ["status": 404])
    #expect(try await ota(fetch).status == 1)
    // The connection breaks; the next run takes the rest.
    try offer("1", content, name: "../../../x", file: ["cutFirst": 70_000])
    let resumed = try await ota(fetch + ["--output", "copy.bin"])
    #expect(resumed.status == 0, "\(resumed.err)")
    let document = try #require(try resumed.events().first)
    #expect(document["result"] as? String == "fetched" && (document["path"] as? String)?.hasSuffix("/ota/\(sha256)") == true, "\(resumed.out)")
    #expect(artefacts == [sha256])
    for file in ["ota/\(sha256)", "copy.bin"] { #expect(try Data(contentsOf: URL(filePath: folder.path + "/" + file)) == content) }
    #expect(try server.requests().last?["range"] as? String == "bytes=70000-")
    // The artefact's address goes without the key.
    #expect(try server.requests().allSatisfy { ($0["path"] as? String)?.hasPrefix("/files") != true || $0["key"] is NSNull })
    // It is here: no second download.
    let before = try server.requests().count
    #expect(try await ota(fetch).status == 0)
    #expect(try server.requests().count == before + 1)
  }

  @Test("A stop does not wait for a server that is silent", .timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM, SIGHUP])
  func stops(signal: Int32) async throws {
    try server.plan([CloudServer.latest: ["sleep": 40]])
    let text = ProcessTests.profile.replacing("[firmware]\n", with: "[firmware]\nsource = ota\nhardware_version = 1.0\nsoftware_type = app\n")
    _ = try folder.write(text, to: "p.profile")
    for arguments in [["run", "--profile", "p.profile"], ["ota", "check"] + Self.values] {
      let asked = try server.askedForReleases()
      let program = try BuiltProgram(arguments, in: folder)
      try await eventually(within: .seconds(20), "the server is asked") { (try? server.askedForReleases()) ?? 0 > asked }
      program.send(signal)
      let result = try await program.result(within: .seconds(10))
      #expect(result.status == 130, "\(arguments): \(result.status) \(result.out)\(result.err)")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/flashline.db"), "nothing was begun")
    }
  }

  @Test(.timeLimit(.minutes(1))) func eachProfileOfAJobHasItsOwnRelease() async throws {
    // Both profiles would take any board; what is wrong is found before the station looks for adapters.
    let content = Data("no image".utf8)
    try offer("1", content)
    for (name, hardware) in [("a", "1.0"), ("b", "2.0")] {
      let text = ProcessTests.profile.replacing("name = p\n", with: "name = \(name)\n")
        .replacing("[firmware]\n", with: "[firmware]\nsource = ota\nsoftware_type = app\nhardware_version = \(hardware)\n")
      _ = try folder.write(text, to: "\(name).profile")
    }
    let result = try await ota(["run", "--profile", "b.profile", "--profile", "a.profile"])
    #expect(result.status == 2 && result.err.contains("b.profile: the release has no such artefact (it has app.bin)"), "\(result.err)")
    let asked = try server.requests().compactMap { $0["path"] as? String }
    #expect(asked == ["\(CloudServer.latest)?hardware_version=2.0&software_type=app&device_serial=line-7"])
    // The other order: the good one is fetched, and still no board is touched.
    #expect(try await ota(["run", "--profile", "a.profile", "--profile", "b.profile"]).status == 2)
    #expect(artefacts == [try Self.hash(content)] && !FileManager.default.fileExists(atPath: folder.path + "/flashline.db"))
  }

  @Test(.timeLimit(.minutes(1))) func aProcessWithAKeyLeavesNoCore() async throws {
    try server.serve(Data(count: 100), as: "app.bin")
    // Its download breaks again and again, so that it lives for a while.
    try offer("1", Data(count: 100), file: ["cut": 1])
    let program = try BuiltProgram(["ota", "fetch"] + Self.values, in: folder)
    try await eventually(within: .seconds(20), "it fetches") { (try? server.requests().count { $0["range"] is String }) ?? 0 > 0 }
    let limits = try String(contentsOfFile: "/proc/\(program.id)/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(line)")
    program.send(SIGSEGV)
    let result = try await program.result()
    #expect(result.status != 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("core") }.isEmpty)
  }
}
