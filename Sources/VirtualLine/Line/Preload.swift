import CLinux
import Glibc

/// Starts this program again under umockdev's preload library, once: its testbed only works in a process that was started so.
enum Preload {
  /// Set in the second start, to this process' id, so that a child which inherits it is not taken for one.
  static let mark = "FLASHLINE_LINE_PRELOADED"

  static var isActive: Bool { getenv(mark).map { String(cString: $0) } == String(getpid()) }

  /// Returns only when the program could not be started again.
  ///
  /// - Parameter temporary: where umockdev makes its folder: in the state folder, so that a killed line leaves nothing elsewhere.
  static func restart(temporary: String) -> LineError {
    setenv(mark, String(getpid()), 1)
    let others = getenv("LD_PRELOAD").map { String(cString: $0) } ?? ""
    setenv("LD_PRELOAD", others.isEmpty ? UdevTestbed.preload : UdevTestbed.preload + ":" + others, 1)
    setenv("TMPDIR", temporary, 1)
    unsetenv("UMOCKDEV_DIR")
    var set = SignalQueue.all
    pthread_sigmask(SIG_BLOCK, &set, nil)
    _ = withCStrings(CommandLine.arguments) { execv("/proc/self/exe", $0) }
    return .environment("the program could not be started again under \(UdevTestbed.preload): \(String(cString: strerror(errno)))")
  }
}
