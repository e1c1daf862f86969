import CLinux
import FoundationEssentials
import Glibc

/// This program once more, as a child that ends with it.
final class ChildProcess {
  /// How a child ended.
  enum End: Hashable {
    case exited(Int32)
    case signalled(Int32)

    /// As a shell shows it.
    var status: Int32 {
      switch self {
      case .exited(let code): code
      case .signalled(let number): 128 + number
      }
    }
  }

  let id: pid_t
  /// Kept, for the system tells it once.
  private var end: End?
  private let leadsGroup: Bool

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - environment: beside our own.
  ///   - log: where its output goes, with nothing to read and in a process group of its own, so that Ctrl-C does not reach it; nil: it shares
  ///     our terminal.
  init(_ arguments: [String], environment: [String: String] = [:], log: String? = nil) throws(ProgramError) {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // Our signals are blocked and SIGPIPE is ignored; a child must begin without either.
    var none = sigset_t()
    var ignored = SignalReader.set
    sigemptyset(&none)
    for number in [SIGPIPE, SIGTTIN, SIGTTOU] { sigaddset(&ignored, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    if let log {
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging([ParentBond.variable: String(getpid())]) { $1 }
    var argv = (["flashline"] + arguments).map { strdup($0) }
    var envp = variables.map { strdup($0.key + "=" + $0.value) }
    defer { for pointer in argv + envp { free(pointer) } }
    argv.append(nil)
    envp.append(nil)
    var id = pid_t()
    let code = posix_spawn(&id, "/proc/self/exe", &actions, &attributes, argv, envp)
    guard code == 0 else { throw .fault("the program cannot start itself (\(String(cString: strerror(code))))", "end other programs and try again") }
    self.id = id
    leadsGroup = log != nil
  }

  /// How it ended, if it has.
  func ended() -> End? { end ?? look(WNOHANG) }

  private func look(_ options: Int32) -> End? {
    var status: Int32 = 0
    guard waitpid(id, &status, options) == id else { return nil }
    let number = status & 0x7F
    end = number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
    return end
  }

  /// Sends a signal, unless it has ended.
  func signal(_ number: Int32) { if end == nil { kill(id, number) } }

  /// Asks it to end and waits; after `limit` it is killed, and its process group if it has its own.
  func finish(within limit: Duration) {
    guard ended() == nil else { return }
    signal(SIGTERM)
    let turns = max(1, Int(limit / Self.turn))
    for _ in 0..<turns {
      if ended() != nil { return }
      usleep(useconds_t(Self.turn.components.attoseconds / 1_000_000_000_000))
    }
    if leadsGroup { kill(-id, SIGKILL) }
    signal(SIGKILL)
    _ = look(0)
  }

  private static let turn = Duration.milliseconds(20)
}

/// Ties a process to the one that started it, so that nothing is left when the parent is killed.
enum ParentBond {
  /// Holds the parent's process number.
  static let variable = "FLASHLINE_PARENT"

  /// Whether our parent asked for it.
  static var isWanted: Bool { getenv(variable).map { String(cString: $0) } == String(getppid()) }

  /// Asks the kernel for a SIGTERM when the parent ends.
  static func tie() {
    guard isWanted else { return }
    _ = flashline_die_with_parent(SIGTERM)
    // It may have ended just before.
    if !isWanted { _exit(ExitStatus.stopped) }
  }
}
