import CLinux
import DBus
import FoundationEssentials
import Glibc
import Reactor

/// A dbus-daemon of our own with its socket in the state folder.
///
/// It ends with us whatever happens: the kernel ends it when the thread that started it does (`setpriv --pdeathsig`), so it is started and
/// ended on the reactor's thread.
struct PrivateBus: Sendable {
  /// How long the daemon may take until its socket answers, and to end.
  static let startLimit: Duration = .seconds(5)
  static let endLimit: Duration = .seconds(2)
  private static let poll: Duration = .milliseconds(10)

  let address: DBusAddress
  private let process: pid_t
  private let reactor: Reactor

  /// Starts the daemon and returns when its socket answers.
  static func start(in folder: String, on reactor: Reactor) async throws(LineError) -> PrivateBus {
    let (socket, configuration) = (folder + "/bus", folder + "/bus.conf")
    do {
      try Data(Self.configuration(socket: socket).utf8).write(to: URL(filePath: configuration), options: .atomic)
    } catch {
      throw .environment("the state folder \(folder) is not writable: \(error)")
    }
    unlink(socket)
    let arguments = ["setpriv", "--pdeathsig", "TERM", "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--config-file=" + configuration]
    let spawned: Result<pid_t, LineError> = await withCheckedContinuation { continuation in
      reactor.perform { continuation.resume(returning: spawn(arguments, log: folder + "/bus.log")) }
    }
    let bus = PrivateBus(address: DBusAddress("unix:path=" + socket), process: try spawned.get(), reactor: reactor)
    let deadline = ContinuousClock.now + startLimit
    while !answers(socket) {
      guard ContinuousClock.now < deadline, waitpid(bus.process, nil, WNOHANG) == 0 else {
        await bus.stop()
        throw .environment("dbus-daemon did not start: install the packages dbus-daemon and util-linux, and see \(folder)/bus.log")
      }
      await reactor.sleep(poll)
    }
    return bus
  }

  /// Between the socket's appearance and the daemon's ear for it a connection is refused.
  private static func answers(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
    }
  }

  /// Ends the daemon, at the latest by force.
  func stop() async {
    kill(process, SIGTERM)
    let deadline = ContinuousClock.now + Self.endLimit
    while waitpid(process, nil, WNOHANG) == 0 {
      if ContinuousClock.now >= deadline {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        return
      }
      await reactor.sleep(Self.poll)
    }
  }

  /// Type session: with type system the same policy refused clients (swift-on-linux.md §2). The limit is the system bus' own.
  private static func configuration(socket: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
      <limit name="max_replies_per_connection">128</limit>
      <limit name="max_match_rules_per_connection">512</limit>
    </busconfig>
    """
  }

  /// The child does not get our preloaded library, nor signals that a library of ours has blocked.
  private static func spawn(_ arguments: [String], log: String) -> Result<pid_t, LineError> {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&files, 1, 2)
    let kept = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" && !$0.key.hasPrefix("DBUS_") }
    var process: pid_t = 0
    let result = withCStrings(arguments) { argv in
      withCStrings(kept.map { $0.key + "=" + $0.value }) { environment in
        posix_spawnp(&process, arguments[0], &files, &attributes, argv, environment)
      }
    }
    guard result == 0 else { return .failure(.environment("\(arguments[0]) did not start: \(String(cString: strerror(result)))")) }
    return .success(process)
  }
}

/// Calls `body` with a list of C strings that ends with a null pointer.
func withCStrings<Result>(_ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  var list = copies + [nil]
  return list.withUnsafeMutableBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("a list with an element has an address") }
    return body(base)
  }
}
