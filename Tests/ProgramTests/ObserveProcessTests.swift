import Firmware
import Foundation
import Glibc
import Testing
import VirtualLine

@testable import flashline

/// `observe` as a process against the virtual line and a server of Python's: every chunk arrives once and in order, and nothing is lost silently.
@Suite(.serialized) struct ObserveProcessTests {
  private static let key = "0123456789abcdef0123456789abcdef"
  private let folder: TemporaryFolder
  private let port: Int

  init() throws {
    folder = try TemporaryFolder()
    port = try ChunkServer.freePort()
    _ = try folder.write("[station]\ndatabase = flashline.db\n[cloud]\nallowed_hosts = 127.0.0.1\nqueue = queue.db\n", to: "station.conf")
  }

  private func settings(_ count: Int, _ more: String = "") -> String {
    "settings: { kind: \"mds\", mds: { uri: \"http://127.0.0.1:\(port)/api/v0/chunks/{serial}\", authorization: \"Memfault-Project-Key:\(Self.key)\", "
      + "generated: { count: \(count) }\(more) } }"
  }

  private func line(_ boards: String, adapters: Int = 2, count: Int) async throws -> (BuiltProgram, [String: String]) {
    let faults = try folder.write("{ boards: [ \(boards) ] }", to: "faults.json5")
    let line = try BuiltProgram(
      ["line", "--adapters", "\(adapters)", "--boards", "\(count)", "--kind", "mds", "--faults", faults, "--state", folder.path + "/l"], in: folder)
    let files = LineFiles(folder: folder.path + "/l")
    try await eventually(within: .seconds(30), "the line is ready") { files.isReady }
    return (line, try files.environment())
  }

  private func end(_ line: BuiltProgram) async throws {
    line.send(SIGTERM)
    _ = try await line.result(within: .seconds(20))
  }

  private func observe(_ arguments: String..., environment: [String: String] = [:], limit: Duration = .seconds(90)) async throws -> BuiltProgram.Result {
    try await BuiltProgram(["--json", "observe"] + arguments, in: folder, environment: environment).result(within: limit)
  }

  private func finished(_ result: BuiltProgram.Result) throws -> [String: Any] {
    try #require(try result.events().last { $0["event"] as? String == "observe.finished" }, "\(result.out)\(result.err)")
  }

  /// The key is in the vault's files, and nowhere else.
  private func expectNoKey(_ results: BuiltProgram.Result...) throws {
    for result in results { #expect(!result.out.contains(Self.key) && !result.err.contains(Self.key)) }
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasPrefix("queue.db") || name.hasPrefix("flashline.db") {
      guard !name.hasPrefix("queue.db.keys"), let bytes = FileManager.default.contents(atPath: folder.path + "/" + name) else { continue }
      #expect(bytes.range(of: Data(Self.key.utf8)) == nil, "\(name) holds the key")
    }
  }

  @Test(.timeLimit(.minutes(4))) func everyChunkArrivesOnceAndInOrder() async throws {
    let server = try ChunkServer(port: port, key: Self.key, in: folder)
    let (line, environment) = try await line("{ board: \"*\", \(settings(120)) }", count: 4)
    let result = try await observe("--seconds", "12", environment: environment)
    #expect(result.status == 0, "\(result.err)")
    let chunks = try server.chunks()
    #expect(chunks.count == 4 && chunks.values.allSatisfy { $0 == Array(0..<120) }, "\(chunks)")
    let last = try finished(result)
    #expect(last["received"] as? Int == 480 && last["uploaded"] as? Int == 480 && last["pending"] as? Int == 0 && last["end_reason"] as? String == "time")
    let names = Set(try result.events().compactMap { $0["event"] as? String })
    #expect(names.isSuperset(of: ["observe.started", "observe.connected", "observe.chunk", "observe.uploaded", "observe.disconnected", "observe.finished"]))
    try expectNoKey(result)
    try await end(line)
  }

  @Test(.timeLimit(.minutes(4))) func whatWaitsIsUploadedLaterWithoutBluetooth() async throws {
    let (line, environment) = try await line("{ board: \"*\", \(settings(60)) }, { board: 0, faults: [{ do: \"loseChunk\", count: 30 }] }", count: 2)
    let running = try BuiltProgram(["--json", "observe"], in: folder, environment: environment)
    try await eventually(within: .seconds(40), "all chunks are in the queue") {
      running.output.contains("\"reason\":") || LineFiles.delivered(folder.path + "/l") >= 119
    }
    try await Task.sleep(for: .seconds(1))
    // While it observes, the station and the queue are its own.
    let second = try await observe("--seconds", "1", environment: environment)
    #expect(second.status == 3 && second.err.contains("station.busy"))
    #expect(try await observe("--upload-only").status == 3)
    running.send(SIGINT)
    let stopped = try await running.result(within: .seconds(30))
    #expect(stopped.status == 130 && stopped.err.contains("observe --upload-only goes on"), "\(stopped.err)")
    let pending = try #require(try finished(stopped)["pending"] as? Int)
    #expect(pending == 119)
    #expect(try stopped.events().contains { $0["event"] as? String == "observe.gap" && $0["missing"] as? Int == 1 })
    try await end(line)

    let server = try ChunkServer(port: port, key: Self.key, in: folder)
    let uploaded = try await observe("--upload-only")
    #expect(uploaded.status == 0, "\(uploaded.err)")
    let chunks = try server.chunks()
    #expect(chunks.values.reduce(0) { $0 + $1.count } == pending && chunks.values.allSatisfy { $0 == $0.sorted() && Set($0).count == $0.count })
    #expect(try await observe("--upload-only").err.contains("nothing waited for an upload"))
    try expectNoKey(stopped, uploaded)
  }

  @Test(.timeLimit(.minutes(4))) func linksAreMadeAgainAndWhatIsWrongIsSaid() async throws {
    let server = try ChunkServer(port: port, key: Self.key, in: folder)
    let (line, environment) = try await line(
      """
      { board: "*", \(settings(80)) },
      { board: 0, faults: [{ do: "dropStream", count: 20 }] },
      { board: 1, \(settings(40, ", encrypted: true")) },
      { board: 2, \(settings(40, ", features: 1")) },
      """, count: 3)
    let first = try await observe("--seconds", "12", environment: environment)
    #expect(first.status == 1, "\(first.err)")
    #expect(first.err.contains("C0:DE:00:00:00:02 is not observed: it wants to be paired") && first.err.contains("features that are not known"), "\(first.err)")
    #expect(try first.events().filter { $0["event"] as? String == "observe.connected" && $0["mac"] as? String == "C0:DE:00:00:00:01" }.count == 2)
    let paired = try await observe("C0:DE:00:00:00:02", "--pairing", "just-works", "--seconds", "8", environment: environment)
    #expect(paired.status == 0, "\(paired.err)")
    let chunks = try server.chunks()
    #expect(chunks.count == 2 && chunks.values.contains(Array(0..<40)), "\(chunks)")
    #expect(chunks.values.allSatisfy { $0 == $0.sorted() && Set($0).count == $0.count })
    let absent = try await observe("C0:DE:00:00:00:77", "--seconds", "2", environment: environment)
    #expect(absent.status == 1 && absent.err.contains("not heard"))
    try expectNoKey(first, paired)
    try await end(line)
  }

  @Test(.timeLimit(.minutes(4))) func aStationThatIsKilledGoesOn() async throws {
    let server = try ChunkServer(port: port, key: Self.key, in: folder)
    let (line, environment) = try await line("{ board: \"*\", \(settings(300, ", chunksPerPoll: 2")) }", count: 2)
    let killed = try BuiltProgram(["--json", "observe"], in: folder, environment: environment)
    try await eventually(within: .seconds(40), "chunks arrive") { ((try? server.chunks())?.values.reduce(0) { $0 + $1.count } ?? 0) > 40 }
    killed.send(SIGKILL)
    _ = try await killed.result()
    let before = try server.chunks()
    let again = try await observe("--seconds", "14", environment: environment)
    #expect(again.status == 0 || again.status == 1, "\(again.err)")
    let chunks = try server.chunks()
    for (device, numbers) in chunks {
      #expect(numbers.starts(with: before[device] ?? []))
      // What the server had when the station died, and the station had not heard so, may come again; nothing comes out of order.
      var fresh: [Int] = []
      for number in numbers where number > fresh.last ?? -1 { fresh.append(number) }
      #expect(Set(fresh) == Set(numbers) && fresh.last == 299, "\(device): \(numbers.count)")
    }
    try await end(line)
  }

  @Test(.timeLimit(.minutes(4))) func aFullQueueIsSaidAndTheBoardKeepsItsChunks() async throws {
    _ = try folder.write("[station]\ndatabase = flashline.db\n[cloud]\nallowed_hosts = 127.0.0.1\nqueue = queue.db\nqueue_limit = 65536\n", to: "station.conf")
    let (line, environment) = try await line("{ board: \"*\", \(settings(2000)) }", adapters: 1, count: 1)
    let running = try BuiltProgram(["--json", "observe"], in: folder, environment: environment)
    try await eventually(within: .seconds(60), "it is full") { running.output.contains("\"observe.full\"") && running.output.contains("observe.disconnected") }
    running.send(SIGINT)
    let result = try await running.result(within: .seconds(30))
    #expect(result.err.contains("FULL"), "\(result.err)")
    let board = try #require((try finished(result)["boards"] as? [[String: Any]])?.first)
    #expect(board["received"] as? Int == (board["pending"] as? Int ?? 0) + (board["dropped"] as? Int ?? 0))
    #expect(LineFiles.delivered(folder.path + "/l") < 2000, "the board has the rest")
    try await end(line)
  }

  @Test(.timeLimit(.minutes(2))) func whatIsWrongBeforeAnythingIsTouched() async throws {
    _ = try folder.write("", to: "station.conf")
    let result = try await observe()
    #expect(result.status == 2 && result.err.contains("allowed_hosts"), "\(result.err)")
  }

  @Test(.timeLimit(.minutes(4))) func aJobTakesTheDiagnosticsOfABoardThatPassed() async throws {
    let (line, environment) = try await line("{ board: \"*\", \(settings(50)) }", adapters: 1, count: 1)
    let package = try VirtualFirmware.write(version: try #require(ImageVersion("1.2.3")), size: 4096, into: folder.path)
    let profile = try folder.write(
      "[board]\nname = line\nfamily = mcuboot\n[match]\nname_prefix = VLINE-\nmin_rssi = -90\n[firmware]\npackage = \(package)\nallow_unsigned = yes\n[observe]\nafter_pass = 6s\n",
      to: "line.profile")
    let job = try await BuiltProgram(["--json", "run", "--profile", profile, "--count", "1"], in: folder, environment: environment).result(
      within: .seconds(150))
    #expect(job.status == 0, "\(job.out)\(job.err)")
    let observed = try #require(try job.events().first { $0["event"] as? String == "board.observed" }, "\(job.out)")
    #expect(observed["chunks"] as? Int == 50 && observed["lost"] as? Int == 0, "\(observed)")
    let names = try job.events().compactMap { $0["event"] as? String }
    #expect(names.firstIndex(of: "board.finished").map { $0 < (names.firstIndex(of: "board.observed") ?? 0) } == true, "the result is kept first")
    try await end(line)
    let server = try ChunkServer(port: port, key: Self.key, in: folder)
    #expect(try await observe("--upload-only").status == 0)
    #expect(try server.chunks().values.map { $0 } == [Array(0..<50)])
  }
}

extension LineFiles {
  /// Chunks of all boards that reached a client's socket, by the line's own truth.
  static func delivered(_ folder: String) -> Int {
    guard let data = FileManager.default.contents(atPath: folder + "/truth.json"), let truth = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { return 0 }
    return (truth["boards"] as? [[String: Any]] ?? []).reduce(0) { $0 + ((($1["mds"] as? [String: Any])?["delivered"] as? Int) ?? 0) }
  }
}
