// Plain Foundation: Process and ProcessInfo are not in FoundationEssentials.
import Foundation
import Glibc
import Testing

/// The built program as a process: what it prints, and how it ends.
final class BuiltProgram: Sendable {
  struct Result {
    var status: Int32
    var out: String
    var err: String

    var outLines: [Substring] { out.split(separator: "\n") }

    /// The lines of stdout as JSON objects; a line that is none fails the test.
    func events() throws -> [[String: Any]] {
      try outLines.map { line in
        let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(value as? [String: Any], "no JSON object: \(line)")
      }
    }
  }

  /// Beside the test bundle.
  static var path: String { path(of: "flashline") }

  static func path(of program: String) -> String {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: program).path
  }

  private let process = Process()
  private let folder: TemporaryFolder
  private let name = UUID().uuidString

  /// Starts it with its output going to files, so that nothing blocks.
  ///
  /// - Parameter program: another one of the package than flashline.
  init(
    _ arguments: [String], in folder: TemporaryFolder, program: String = "flashline", environment: [String: String] = [:], out: Any? = nil
  ) throws {
    self.folder = folder
    process.executableURL = URL(filePath: Self.path(of: program))
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder.path)
    // A test on a machine with a real station must not touch it.
    let safe = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/no-bus", "TMPDIR": folder.path]
    process.environment = ProcessInfo.processInfo.environment.merging(safe) { $1 }.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    if let out { process.standardOutput = out } else { process.standardOutput = try Self.handle(folder.path + "/\(name).out") }
    process.standardError = try Self.handle(folder.path + "/\(name).err")
    try process.run()
  }

  private static func handle(_ path: String) throws -> FileHandle {
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    return try #require(FileHandle(forWritingAtPath: path))
  }

  var id: pid_t { process.processIdentifier }
  var output: String { (try? String(contentsOfFile: folder.path + "/\(name).out", encoding: .utf8)) ?? "" }

  /// Waits for its end; it is killed and the test fails when that takes longer than `limit`.
  func result(within limit: Duration = .seconds(20)) async throws -> Result {
    try await eventually(within: limit, "the program ends") { !self.process.isRunning }
    let err = (try? String(contentsOfFile: folder.path + "/\(name).err", encoding: .utf8)) ?? ""
    return Result(status: process.terminationStatus, out: output, err: err)
  }

  func send(_ signal: Int32) { kill(id, signal) }

  deinit { if process.isRunning { kill(id, SIGKILL) } }

  /// Runs to the end.
  static func run(_ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]) async throws -> Result {
    try await BuiltProgram(arguments, in: folder, environment: environment).result()
  }
}

/// Waits until something outside this process has happened; a real process has no clock to turn.
func eventually(within limit: Duration, _ what: String, _ condition: () -> Bool) async throws {
  let end = ContinuousClock.now + limit
  while !condition() {
    try #require(ContinuousClock.now < end, "not within \(limit): \(what)")
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// Processes whose command line names a folder: what a test left behind.
func processes(naming folder: String) -> [String] {
  let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
  return ids.compactMap { id in
    guard let bytes = try? Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline")) else { return nil }
    let line = String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
    return line.contains(folder) ? "\(id) \(line)" : nil
  }
}
