import Glibc

/// A dbus-daemon of the test's own, in a temporary folder of its own; gone with its last reference.
public final class PrivateBus: Sendable {
  /// The address to connect to.
  public let address: String
  private let folder: String
  private let process: pid_t

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Starts the daemon and returns when it listens.
  ///
  /// - Parameter limits: `<limit>` elements for its configuration, such as the system bus' `max_replies_per_connection`.
  public init(limits: [String: Int] = [:]) throws(Failure) {
    var template = Array("/tmp/flashline-bus.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Failure(description: "mkdtemp: \(errno)") }
    folder = String(cString: made)
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
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(description: "pipe: \(errno)") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 9)
    // It complains there about descriptor limits that no test needs.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      close(ends[0])
    }
    var process: pid_t = 0
    let arguments = ["dbus-daemon", "--nofork", "--nosyslog", "--nopidfile", "--config-file=\(folder)/bus.conf", "--print-address=9"]
    var pointers = arguments.map { strdup($0) } + [nil]
    let result = posix_spawnp(&process, "dbus-daemon", &actions, nil, &pointers, environ)
    for pointer in pointers { free(pointer) }
    close(ends[1])
    guard result == 0 else { throw Failure(description: "dbus-daemon cannot be started: \(result)") }
    self.process = process
    var line = [UInt8](repeating: 0, count: 512)
    let count = read(ends[0], &line, line.count)
    guard count > 0 else { throw Failure(description: "dbus-daemon printed no address") }
    address = String(decoding: line.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
  }

  deinit {
    stop()
    for name in ["/bus", "/bus.conf"] { unlink(folder + name) }
    rmdir(folder)
  }

  /// Kills the daemon, as a crash would; safe to repeat.
  public func stop() {
    guard kill(process, SIGKILL) == 0 else { return }
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }
}
