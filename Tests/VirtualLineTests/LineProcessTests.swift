import DBus
import FoundationEssentials
import Glibc
import Reactor
import Testing

@testable import VirtualLine

/// The line as a process: what it leaves, who sees its adapters, how it ends. `lineprobe` is the line, and the other process too.
@Suite(.serialized)
struct LineProcessTests {
  /// A child with its output in a pipe.
  struct Child {
    var process: pid_t
    var output: Int32

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
      let program = try #require(Bundle.builtProgram)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw LineError.environment("pipe") }
      var files = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&files)
      posix_spawn_file_actions_adddup2(&files, ends[1], 1)
      posix_spawn_file_actions_addclose(&files, ends[0])
      defer { posix_spawn_file_actions_destroy(&files) }
      let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
      var process: pid_t = 0
      let result = withCStrings([program] + arguments) { argv in withCStrings(variables) { posix_spawn(&process, program, &files, nil, argv, $0) } }
      close(ends[1])
      self.process = process
      output = ends[0]
      guard result == 0 else { throw LineError.environment("posix_spawn: \(result)") }
    }

    /// One line, nil at the end or after 20 s.
    func line() -> String? {
      var text: [UInt8] = []
      var byte: UInt8 = 0
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      while poll(&ready, 1, 20_000) > 0, read(output, &byte, 1) == 1 {
        if byte == 0x0A { return String(decoding: text, as: UTF8.self) }
        text.append(byte)
      }
      return nil
    }

    /// The exit status as the shell counts it, after at most 20 s.
    func end(_ signal: Int32?) -> Int32 {
      if let signal { kill(process, signal) }
      var status: Int32 = 0
      for _ in 0..<2000 {
        if waitpid(process, &status, WNOHANG) == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
        usleep(10_000)
      }
      kill(process, SIGKILL)
      waitpid(process, &status, 0)
      return -1
    }
  }

  /// A line in a folder of its own, and its environment.
  private func withLine(_ adapters: Int, faults: String? = nil, _ body: (Child, String, [String: String]) async throws -> Void) async throws {
    var template = Array("/tmp/flashline-line.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { try? FileManager.default.removeItem(atPath: folder) }
    if let faults { try Data(faults.utf8).write(to: URL(filePath: folder + "/faults.json")) }
    let child = try Child(["line", folder, String(adapters), "3"] + (faults == nil ? [] : [folder + "/faults.json"]))
    var environment: [String: String] = [:]
    for _ in 0..<3 {
      let line = try #require(child.line())
      let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
      try #require(parts.count == 2, "\(line)")
      environment[String(parts[0])] = String(parts[1].filter { $0 != "'" })
    }
    do {
      try await body(child, folder, environment)
    } catch {
      _ = child.end(SIGKILL)
      throw error
    }
    close(child.output)
  }

  private func names(_ folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

  @Test(.timeLimit(.minutes(1)), arguments: [SIGTERM, SIGHUP])
  func enumerationAndAGoodEnd(_ signal: Int32) async throws {
    try await withLine(5) { line, folder, environment in
      #expect(Set(environment.keys) == ["DBUS_SYSTEM_BUS_ADDRESS", "LD_PRELOAD", "UMOCKDEV_DIR"])
      #expect(environment["UMOCKDEV_DIR"]?.hasPrefix(folder) == true)
      let other = try Child(["udev", "0"], environment: environment)
      var found: [String] = []
      while let line = other.line() { found.append(line) }
      #expect(found.sorted() == (0..<5).map { "found hci\($0) 1-\(1 + $0 / 4).\(1 + $0 % 4) VL-ADAPTER-\($0 + 1)" })
      #expect(other.end(nil) == 0)
      let truth = try JSONDecoder().decode(LineTruth.self, from: Data(contentsOf: URL(filePath: folder + "/truth.json")))
      #expect(truth.boards.map(\.address) == ["C0:DE:00:00:00:01", "C0:DE:00:00:00:02", "C0:DE:00:00:00:03"])
      #expect(truth.boards.allSatisfy { $0.version == "1.0.0" && $0.confirmed && $0.hardware == "1.0" && $0.model == "VL-1" })
      #expect(line.end(signal) == 0)
      #expect(try names(folder) == ["truth.json"])
    }
  }

  @Test(.timeLimit(.minutes(1))) func hotPlugIsSeenByAnotherProcess() async throws {
    let faults = """
      { line: [{ do: "unplug", adapter: 1, when: { board: 0, connections: 1 }, milliseconds: 300 }] }
      """
    try await withLine(2, faults: faults) { line, _, environment in
      let other = try Child(["udev", "2"], environment: environment)
      #expect(Set([other.line(), other.line()]) == ["found hci0 1-1.1 VL-ADAPTER-1", "found hci1 1-1.2 VL-ADAPTER-2"])
      // It has listened since before it enumerated. Now the board's first link pulls the adapter out.
      try await connectFirstBoard(DBusAddress(environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""))
      #expect(other.line()?.hasPrefix("remove hci1") == true)
      #expect(other.line() == "add hci1 1-1.2 VL-ADAPTER-2")
      #expect(other.end(nil) == 0)
      #expect(line.end(SIGTERM) == 0)
    }
  }

  private func connectFirstBoard(_ address: DBusAddress) async throws {
    let client = try await DBusConnection.open(address, on: try Reactor())
    let added = try await client.signals(DBusMatch(sender: "org.bluez", member: "InterfacesAdded"), limit: StackBench.limit)
    func call(_ path: String, _ interface: String, _ member: String) async throws {
      _ = try await client.call(destination: "org.bluez", path: path, interface: interface, member: member, limit: StackBench.limit)
    }
    try await call("/org/bluez/hci0", StackFaces.adapter, "StartDiscovery")
    _ = try #require(await added.first { $0.arguments.first?.text == StackBench.board(0, on: 0) })
    try await call("/org/bluez/hci0", StackFaces.adapter, "StopDiscovery")
    try await call(StackBench.board(0, on: 0), StackFaces.board, "Connect")
    await client.close()
  }

  @Test(.timeLimit(.minutes(1))) func aKilledLineLeavesItsTruthAndNoDaemon() async throws {
    try await withLine(1) { line, folder, environment in
      let bus = try #require(environment["DBUS_SYSTEM_BUS_ADDRESS"]?.split(separator: "=").last)
      #expect(line.end(SIGKILL) == 128 + SIGKILL)
      #expect(try names(folder).contains("truth.json"))
      // The daemon ends with the line: its socket refuses soon.
      var refused = false
      for _ in 0..<500 where !refused {
        refused = !connects(String(bus))
        usleep(10_000)
      }
      #expect(refused)
    }
  }

  @Test func aFaultsFileThatIsWrongIsSaidBeforeAnythingStarts() throws {
    var template = Array("/tmp/flashline-line.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("{ boards: 3 }".utf8).write(to: URL(filePath: folder + "/faults.json"))
    let child = try Child(["line", folder, "1", "1", folder + "/faults.json"])
    #expect(child.line()?.hasPrefix(folder + "/faults.json: not a faults file: at boards:") == true)
    #expect(child.end(nil) == 2)
    #expect(try names(folder) == ["faults.json"])
  }

  private func connects(_ path: String) -> Bool {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
    }
  }
}

private enum Bundle {
  /// `lineprobe` lies beside the test bundle, wherever the package was built (`--test-bundle-path` of SwiftPM's test helper), or the test program.
  static var builtProgram: String? {
    let arguments = CommandLine.arguments
    let bundle = arguments.firstIndex(of: "--test-bundle-path").flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil } ?? arguments[0]
    let candidate = URL(filePath: bundle).absoluteURL.deletingLastPathComponent().path + "/lineprobe"
    return access(candidate, X_OK) == 0 ? candidate : nil
  }
}
