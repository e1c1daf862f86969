import CLinux
import Glibc
import Reactor

/// The signals that end a line or ask it for its truth, taken from a descriptor instead of interrupting anybody.
///
/// They must be blocked in every thread: they are blocked before the program is started a second time (`Preload`), and the mask is inherited.
struct SignalQueue: Sendable {
  static let ending = [SIGTERM, SIGINT, SIGHUP]
  static let asking = SIGUSR1

  private let descriptor: OwnedDescriptor
  private let watch: ReactorWatch

  static var all: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in ending + [asking] { sigaddset(&set, number) }
    return set
  }

  /// Calls `body` on the reactor's thread with each signal's number.
  init(on reactor: Reactor, _ body: @escaping @Sendable (Int32) -> Void) throws(LineError) {
    var set = Self.all
    let descriptor = OwnedDescriptor(signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)))
    guard descriptor.isOpen else { throw .environment("signalfd: \(String(cString: strerror(errno)))") }
    self.descriptor = descriptor
    do throws(ReactorError) {
      watch = try reactor.watch(descriptor.number, for: .readable) { _ in
        var entry = signalfd_siginfo()
        while read(descriptor.number, &entry, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
          body(Int32(bitPattern: entry.ssi_signo))
        }
      }
    } catch {
      throw .environment(error.description)
    }
  }

  func cancel() {
    watch.cancel()
    descriptor.close()
  }
}
