import Glibc
import Synchronization

/// A dbus-daemon of the test's own, in a temporary folder of its own; gone with its last reference.
public final class PrivateBus: Sendable {
  private let folder: String
  /// The daemon's process, 0 when it is stopped.
  private let process: Atomic<pid_t>

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Starts the daemon and returns when it listens.
  ///
  /// - Parameter limits: `<limit>` elements for its configuration, such as the system bus' `max_replies_per_connection`.
  public init(limits: [String: Int] = [:]) throws(Failure) {
    var template = Array("/tmp/flashline-bus.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "mkdtemp: \(errno)") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try Self.configure(folder, limits)
    process = Atomic(try Self.start(folder))
  }

  deinit {
    stop()
    for name in ["/bus", "/bus.conf"] { unlink(folder + name) }
    rmdir(folder)
  }

  /// The address to connect to.
  public var address: String { "unix:path=\(folder)/bus" }

  /// Kills the daemon, as a crash would; safe to repeat.
  public func stop() {
    let running = process.exchange(0, ordering: .relaxed)
    guard running > 0 else { return }
    kill(running, SIGKILL)
    var status: Int32 = 0
    waitpid(running, &status, 0)
  }

  /// Starts another daemon at the same address, after `stop`.
  public func restart() throws(Failure) {
    unlink(folder + "/bus")
    process.store(try Self.start(folder), ordering: .relaxed)
  }

  private static func configure(_ folder: String, _ limits: [String: Int]) throws(Failure) {
    let lines = limits.map { "<limit name=\"\($0.key)\">\($0.value)</limit>" }.joined(separator: "\n")
    // Type session: with type system the daemon refuses clients under the same policy (facts/swift-on-linux.md §2).
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
      \(lines)</busconfig>
      """
    guard let file = fopen(folder + "/bus.conf", "w") else { throw Failure(description: "bus.conf: \(errno)") }
    fputs(configuration, file)
    fclose(file)
  }

  private static func start(_ folder: String) throws(Failure) -> pid_t {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(description: "pipe: \(errno)") }
    // Others may start their daemons at the same moment: theirs shall not hold our pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 99)
    // It complains there about descriptor limits that no test needs.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      close(ends[0])
    }
    let arguments = ["dbus-daemon", "--nofork", "--nosyslog", "--nopidfile", "--config-file=\(folder)/bus.conf", "--print-address=99"]
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, "dbus-daemon", &actions, nil, &pointers, environ)
    close(ends[1])
    guard result == 0 else { throw Failure(description: "dbus-daemon cannot be started: \(result)") }
    // Its address is printed when it listens.
    var line = [UInt8](repeating: 0, count: 512)
    guard read(ends[0], &line, line.count) > 0 else {
      var status: Int32 = 0
      waitpid(process, &status, 0)
      throw Failure(description: "dbus-daemon did not start: \(status)")
    }
    return process
  }
}
