import Bluetooth
import Flashing
import Foundation
import Glibc
import Locks
import Records
import Synchronization
import Testing

/// One demo at a time, so that other tests keep their time. The demo as a process: production code from libudev and D-Bus upwards, on a virtual line of its own.
@Suite(.serialized) struct DemoProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func demo(_ arguments: String..., extra: [String] = [], boards: Int = 4, out: Any? = nil) throws -> BuiltProgram {
    let line = ["demo", "--adapters", "2", "--boards", String(boards), "--keep", folder.path + "/kept", "--state", folder.path + "/l"]
    return try BuiltProgram(arguments + line + extra, in: folder, out: out)
  }

  /// Whether nothing that names this test's folder runs any more.
  private func expectNothingLeft() async throws {
    try await eventually(within: .seconds(10), "every process has ended: \(processes(naming: folder.path))") { processes(naming: folder.path).isEmpty }
  }

  private func outcomes() async throws -> [String: String] {
    let found = Locked<[String: String]>([:])
    let reader = try await RecordReader.open(folder.path + "/kept/flashline.db")
    let columns = ResultColumn.allCases
    let (mac, outcome) = (try #require(columns.firstIndex(of: .mac)), try #require(columns.firstIndex(of: .outcome)))
    try await reader.rows(Filter()) { row throws(RecordError) in
      if case .text(let board) = row[mac], case .text(let word) = row[outcome] { found.withLock { $0[board] = word } }
    }
    return found.withLock { $0 }
  }

  @Test(.timeLimit(.minutes(2))) func everyBoardPassesAndTheRecordsAgree() async throws {
    let result = try await demo("--json").result(within: .seconds(60))
    #expect(result.status == 0, "\(result.err)")
    let events = try result.events()
    let names = events.compactMap { $0["event"] as? String }
    #expect(names.count == events.count)
    #expect(names.first == "station.started")
    #expect(names.last == "batch.finished")
    #expect(names.count { $0 == "board.done" } == 4)
    #expect(names.contains("board.progress"))
    #expect(result.err.contains("4 of 4 boards good"))
    #expect(result.err.contains("checked: 4 good boards"))
    #expect(result.err.contains("database:   \(folder.path)/kept/flashline.db"))
    #expect(try await outcomes().values.sorted() == ["passed", "passed", "passed", "passed"])
    let csv = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/kept/reports")
    #expect(csv.count { $0.hasSuffix(".csv") } == 1)
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(2))) func strandedBoardsAreRescuedAndEachImageOfAChainIsTold() async throws {
    let result = try await demo(extra: ["--stranded", "2"], boards: 1).result(within: .seconds(100))
    #expect(result.status == 0, "\(result.out)\(result.err)")
    let images = [
      ("bootloader 0.2.2", "0.2.1"), ("SoftDevice and bootloader 0.3.1", "0.2.2"), ("bootloader 0.3.2", "0.3.1"), ("bootloader 0.3.3", "0.3.2"),
      ("application 1.4.5", "0.3.3"),
    ]
    for (place, image) in images.enumerated() {
      #expect(result.out.contains("image \(place + 1) of 5: \(image.0), bootloader now \(image.1)\n"))
    }
    #expect(result.out.contains("passed, 1.4.5, bootloader 0.2.1 -> 0.3.3"))
    #expect(result.out.contains("2 of 2 boards good"))
    #expect(result.out.contains("checked: 3 good boards"))
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(2))) func ctrlCLeavesValidJSONAndNoProcess() async throws {
    let program = try demo("--json")
    try await eventually(within: .seconds(30), "an upload is under way") { program.output.contains("\"board.progress\"") }
    program.send(SIGINT)
    let result = try await program.result(within: .seconds(20))
    #expect(result.status == 130, "\(result.err)")
    let events = try result.events()
    #expect(result.out.hasSuffix("\n"))
    #expect(events.last?["event"] as? String == "batch.finished")
    #expect(events.last?["end_reason"] as? String == "operator")
    #expect(try await outcomes().values.allSatisfy { $0 == "aborted" || $0 == "passed" })
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(2))) func aSecondInterruptLeavesAtOnce() async throws {
    let program = try demo("--json")
    try await eventually(within: .seconds(30), "an upload is under way") { program.output.contains("\"board.progress\"") }
    program.send(SIGINT)
    program.send(SIGTERM)
    let result = try await program.result(within: .seconds(10))
    #expect(result.status == 130)
    _ = try result.events()
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(2))) func aHangUpDrains() async throws {
    let program = try demo("--json")
    try await eventually(within: .seconds(30), "an upload is under way") { program.output.contains("\"board.progress\"") }
    program.send(SIGHUP)
    let result = try await program.result(within: .seconds(30))
    // Fewer boards than --count asked for.
    #expect(result.status == 1, "\(result.err)")
    #expect(try result.events().last?["end_reason"] as? String == "operator")
    let outcomes = try await outcomes()
    #expect((1...2).contains(outcomes.count))
    #expect(outcomes.values.allSatisfy { $0 == "passed" })
    try await expectNothingLeft()
  }

  /// SIGUSR1 and SIGUSR2, as a script sends them: nothing moves in between, and every board passes.
  @Test(.timeLimit(.minutes(2))) func signalsPauseAndResume() async throws {
    let program = try demo("--json")
    try await eventually(within: .seconds(30), "an upload is under way") { program.output.contains("\"board.progress\"") }
    program.send(SIGUSR1)
    try await eventually(within: .seconds(10), "the pause is told") { program.output.contains("\"station.paused\"") }
    // What was under way is answered, and told, within the time of one request.
    try await Task.sleep(for: .seconds(3))
    let told = program.output
    try await Task.sleep(for: .seconds(3))
    #expect(program.output == told, "nothing happens in a pause")
    program.send(SIGUSR1)
    program.send(SIGUSR2)
    let result = try await program.result(within: .seconds(60))
    #expect(result.status == 0, "\(result.err)")
    let events = try result.events()
    let paused = try #require(events.first { $0["event"] as? String == "station.paused" })
    #expect(paused["in_hand"] as? Int == 2)
    #expect(paused["pause_timeout_s"] as? Double == 1800)
    let resumed = events.filter { $0["event"] as? String == "station.resumed" }
    #expect(resumed.count == 1)
    #expect(resumed.first?["reason"] as? String == "operator")
    #expect(try #require(resumed.first?["paused_s"] as? Double) > 5)
    #expect(result.err.contains("goes on after a pause of 0:0"))
    #expect(try await outcomes().values.sorted() == ["passed", "passed", "passed", "passed"])
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(2))) func anInterruptInAPauseStopsAtOnce() async throws {
    let program = try demo("--json")
    try await eventually(within: .seconds(30), "an upload is under way") { program.output.contains("\"board.progress\"") }
    program.send(SIGUSR1)
    try await eventually(within: .seconds(10), "the pause is told") { program.output.contains("\"station.paused\"") }
    program.send(SIGINT)
    let result = try await program.result(within: .seconds(20))
    #expect(result.status == 130, "\(result.err)")
    #expect(try result.events().last?["event"] as? String == "batch.finished")
    #expect(try await outcomes().values.allSatisfy { $0 == "aborted" || $0 == "passed" })
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(2))) func aReaderThatGoesAwayDoesNotStopFlashing() async throws {
    let pipe = Pipe()
    let program = try demo("--json", boards: 2, out: pipe)
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
    try pipe.fileHandleForReading.close()
    let result = try await program.result(within: .seconds(60))
    #expect(result.status == 0, "\(result.err)")
    #expect(try await outcomes().values.sorted() == ["passed", "passed"])
  }

  @Test(.timeLimit(.minutes(2))) func whenItIsKilledNothingIsLeft() async throws {
    let program = try demo()
    try await eventually(within: .seconds(30), "the job runs") { program.output.contains("attempt 1") }
    program.send(SIGKILL)
    try await expectNothingLeft()
  }

  @Test(.timeLimit(.minutes(1))) func aSecondDemoDoesNotMixItsRecordsWithTheFirst() async throws {
    try FileManager.default.createDirectory(atPath: folder.path + "/kept", withIntermediateDirectories: true)
    _ = try folder.write("", to: "kept/flashline.db")
    let result = try await demo().result()
    #expect(result.status == 2)
    #expect(result.err.contains("holds the records of an earlier demo"))
  }

  @Test(.timeLimit(.minutes(1))) func aBadFaultsFileIsTold() async throws {
    let faults = try folder.write("{ frob: 1 }", to: "faults.json")
    let result = try await demo("--quiet", extra: ["--faults", faults]).result()
    #expect(result.status == 2)
    #expect(result.err.contains("faults.json"), "\(result.err)")
    try await expectNothingLeft()
  }
}
