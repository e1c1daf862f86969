import Firmware
import Foundation
import Glibc
import Testing
import VirtualLine

@testable import flashline

/// Examples/upgrade-one-board against a virtual line: the library as another program uses it, over the BlueZ room.
@Suite(.serialized) struct ExampleProcessTests {
  private let folder: TemporaryFolder
  private let line: BuiltProgram
  private let environment: [String: String]
  private let package: String
  private let board: String

  init() async throws {
    folder = try TemporaryFolder()
    let state = folder.path + "/l"
    line = try BuiltProgram(["line", "--adapters", "1", "--boards", "1", "--state", state], in: folder)
    let files = LineFiles(folder: state)
    try await eventually(within: .seconds(20), "the line is ready") { files.isReady }
    environment = try files.environment()
    package = try VirtualFirmware.write(version: try #require(ImageVersion("7.0.0")), size: 120_000, into: folder.path)
    board = try #require(try JSONDecoder().decode(LineTruth.self, from: try files.truth()).boards.first?.address)
  }

  private func start() throws -> BuiltProgram {
    try BuiltProgram([package, board], in: folder, program: "upgrade-one-board", environment: environment)
  }

  private func end() async throws {
    line.send(SIGTERM)
    #expect(try await line.result(within: .seconds(10)).status == 0)
  }

  @Test(.timeLimit(.minutes(2))) func oneBoardIsUpgradedAndThenHasNothingToDo() async throws {
    let result = try await start().result(within: .seconds(60))
    #expect(result.status == 0, "\(result.out)\(result.err)")
    #expect(result.out.contains("upload\n"))
    #expect(result.out.contains("-> 7.0.0"))
    #expect(result.outLines.last?.hasPrefix("passed: ") == true)
    let again = try await start().result(within: .seconds(30))
    #expect(again.status == 0)
    #expect(again.outLines.last?.hasPrefix("skipped: ") == true)
    try await end()
  }

  /// The program is killed in the middle of an upload; started again, it goes on at the byte at which the board stands.
  @Test(.timeLimit(.minutes(2))) func afterACrashTheUploadGoesOn() async throws {
    let first = try start()
    try await eventually(within: .seconds(40), "an upload is under way: \(first.output)") {
      first.output.split(separator: "\n").count { $0.hasSuffix(" bytes") } >= 5
    }
    first.send(SIGKILL)
    _ = try await first.result(within: .seconds(5))
    let second = try await start().result(within: .seconds(60))
    #expect(second.status == 0, "\(second.out)\(second.err)")
    #expect(second.outLines.last?.contains(", went on at byte ") == true, "\(second.out)")
    try await end()
  }
}
