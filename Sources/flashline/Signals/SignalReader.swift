import CLinux
import Glibc

/// SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 as something to read (signalfd): no code ever runs inside a signal handler.
struct SignalReader {
  struct Received: Hashable {
    var number: Int32
    /// Typed at the terminal, so every process in its foreground got it too.
    var isFromTerminal: Bool
  }

  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]
  let descriptor: Int32

  /// Blocks the signals for this thread and all that it starts. Must come before any other thread.
  init() throws(ProgramError) {
    // A reader that goes away is seen as EPIPE; a job in the background that touches its terminal gets an error instead of being stopped.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGTTIN, SIG_IGN)
    signal(SIGTTOU, SIG_IGN)
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
    if descriptor < 0 { throw .fault("the system gives no signal descriptor (\(String(cString: strerror(errno))))", "end other programs and try again") }
  }

  static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  /// Lets this thread take the signals again: for a command that handles them itself. A process that starts itself again inherits what is blocked.
  func release() {
    var set = Self.set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The next signal, if one is waiting.
  func next() -> Received? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor, &information, size) == size else { return nil }
    return Received(number: Int32(information.ssi_signo), isFromTerminal: information.ssi_code > 0)
  }
}

extension SignalReader.Received {
  var input: StopPolicy.Input {
    switch number {
    case SIGHUP: .hangUp
    case SIGUSR1: .pause
    case SIGUSR2: .resume
    default: .interrupt
    }
  }

  /// Whether it asks for an end.
  var asksForEnd: Bool { input == .interrupt || input == .hangUp }
}
