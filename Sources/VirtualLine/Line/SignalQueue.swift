import CLinux
import Glibc
import Reactor
import Synchronization

/// Where the handler writes; one queue a process. Blocked signals and a signalfd would be simpler, but libdispatch unblocks them on the main thread.
private let writeEnd = Atomic<Int32>(-1)

/// The signals that end a line or ask it for its truth, as values on the reactor's thread.
struct SignalQueue: Sendable {
  static let ending = [SIGTERM, SIGINT, SIGHUP]
  static let asking = SIGUSR1

  private let readEnd: OwnedDescriptor
  private let writeEndOwner: OwnedDescriptor
  private let watch: ReactorWatch

  /// Calls `body` on the reactor's thread with each signal's number. What was ignored when the program began stays ignored (nohup, shells' jobs).
  init(on reactor: Reactor, _ body: @escaping @Sendable (Int32) -> Void) throws(LineError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .environment("socketpair: \(String(cString: strerror(errno)))") }
    let readEnd = OwnedDescriptor(ends[0])
    self.readEnd = readEnd
    writeEndOwner = OwnedDescriptor(ends[1])
    do throws(ReactorError) {
      watch = try reactor.watch(readEnd.number, for: .readable) { _ in
        var number: UInt8 = 0
        while read(readEnd.number, &number, 1) == 1 { body(Int32(number)) }
      }
    } catch {
      throw .environment(error.description)
    }
    writeEnd.store(ends[1], ordering: .releasing)
    for number in Self.ending + [Self.asking] { Self.handle(number) }
    // The program may have blocked them in its other threads; one that takes them is enough.
    reactor.perform {
      var set = sigset_t()
      sigemptyset(&set)
      for number in Self.ending + [Self.asking] { sigaddset(&set, number) }
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
  }

  /// From now on the signals do nothing: the line is on its way out already.
  func cancel() {
    writeEnd.store(-1, ordering: .releasing)
    watch.cancel()
    readEnd.close()
    writeEndOwner.close()
  }

  private static func handle(_ number: Int32) {
    var action = sigaction()
    sigaction(number, nil, &action)
    if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return }
    action = sigaction()
    action.__sigaction_handler.sa_handler = { @Sendable number in
      // Only what POSIX allows in a handler: one send, errno kept.
      let kept = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = send(writeEnd.load(ordering: .acquiring), &byte, 1, Int32(MSG_NOSIGNAL))
      errno = kept
    }
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }
}
