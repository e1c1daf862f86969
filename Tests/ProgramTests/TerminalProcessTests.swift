// Plain Foundation: Process is not in FoundationEssentials.
import Foundation
import Glibc
import Testing

/// The demo on a real (pseudo) terminal, made by script(1).
@Suite(.serialized) struct TerminalProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var screen: String { (try? String(contentsOfFile: folder.path + "/screen", encoding: .utf8)) ?? "" }

  private func start(_ keys: Pipe, environment: [String: String] = [:]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/script")
    // The trap: Ctrl-C reaches the shell, too, which must live on to show the terminal.
    let command = "trap : INT; \(BuiltProgram.path) demo --adapters 2 --boards 6 --keep \(folder.path)/kept --state \(folder.path)/l; stty -a"
    process.arguments = ["-q", "-e", "-f", "-c", command, folder.path + "/screen"]
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 }.merging(environment) { $1 }
    process.standardInput = keys
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  @Test(.timeLimit(.minutes(2))) func rowsAreDrawnKeysWorkAndTheTerminalIsRestored() async throws {
    let keys = Pipe()
    let process = try start(keys, environment: ["NO_COLOR": "1"])
    defer { if process.isRunning { process.terminate() } }
    try await eventually(within: .seconds(40), "an upload is drawn: \(screen)") { screen.contains("upload") && screen.contains("kB/s") }
    keys.fileHandleForWriting.write(Data("d".utf8))
    try await eventually(within: .seconds(40), "the job drains: \(screen)") { !process.isRunning }
    let text = screen
    #expect(text.contains("no new boards: the boards in hand are finished"))
    #expect(text.contains("2 in hand"))
    #expect(text.contains("2 of 2 boards good; ended by the operator."))
    let hidden = try #require(text.range(of: "\u{1B}[?25l", options: .backwards))
    let shown = try #require(text.range(of: "\u{1B}[?25h", options: .backwards))
    #expect(hidden.lowerBound < shown.lowerBound, "the cursor is shown again")
    #expect(!text.contains("\u{1B}[32m"), "NO_COLOR is honoured")
    #expect(text.contains(" icanon ") && text.contains(" echo "), "line editing and echo are on again")
    try await eventually(within: .seconds(10), "nothing is left") { processes(naming: folder.path + "/l").isEmpty }
  }

  @Test(.timeLimit(.minutes(2))) func theKeysPauseGoOnAndCancel() async throws {
    let keys = Pipe()
    let process = try start(keys)
    defer { if process.isRunning { process.terminate() } }
    try await eventually(within: .seconds(40), "an upload is drawn: \(screen)") { screen.contains("upload") && screen.contains("kB/s") }
    #expect(screen.contains("p: pause    d: finish the boards in hand"))
    keys.fileHandleForWriting.write(Data("p".utf8))
    try await eventually(within: .seconds(10), "the pause is drawn: \(screen)") {
      screen.contains("paused: nothing new begins") && screen.contains("paused: 2 boards in hand")
    }
    keys.fileHandleForWriting.write(Data("p".utf8))
    try await eventually(within: .seconds(10), "the job goes on: \(screen)") { screen.contains("goes on after a pause of") }
    keys.fileHandleForWriting.write(Data("q".utf8))
    try await eventually(within: .seconds(20), "the job stops: \(screen)") { !process.isRunning }
    let text = screen
    #expect(text.contains("stopping: links are closed"))
    #expect(text.contains("ended by the operator"))
    #expect(text.contains(" icanon ") && text.contains(" echo "))
    try await eventually(within: .seconds(10), "nothing is left") { processes(naming: folder.path + "/l").isEmpty }
  }

  @Test(.timeLimit(.minutes(2))) func ctrlCAtTheTerminalStopsOnce() async throws {
    let keys = Pipe()
    let process = try start(keys)
    defer { if process.isRunning { process.terminate() } }
    try await eventually(within: .seconds(40), "an upload is drawn: \(screen)") { screen.contains("upload") && screen.contains("kB/s") }
    keys.fileHandleForWriting.write(Data([3]))
    try await eventually(within: .seconds(20), "the job stops: \(screen)") { !process.isRunning }
    let text = screen
    #expect(text.contains("stopping: links are closed"))
    #expect(text.contains("ended by the operator"))
    #expect(text.contains(" icanon ") && text.contains(" echo "))
    try await eventually(within: .seconds(10), "nothing is left") { processes(naming: folder.path + "/l").isEmpty }
  }
}
