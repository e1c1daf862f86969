import CLinux
import Glibc

/// Starts this program again under umockdev's preload library, once: its testbed only works in a process that was started so.
enum Preload {
  /// Set in the second start, to this process' id and its parent's, so that a child which inherits it is not taken for one.
  static let mark = "FLASHLINE_LINE_PRELOADED"

  /// The parent at the first start; nil when this is no second start.
  static var parent: pid_t? {
    let parts = getenv(mark).map { String(cString: $0) }?.split(separator: " ") ?? []
    return parts.count == 2 && parts[0] == String(getpid()) ? pid_t(parts[1]) : nil
  }

  /// Returns only when the program could not be started again.
  static func restart() -> LineError {
    setenv(mark, "\(getpid()) \(getppid())", 1)
    let others = getenv("LD_PRELOAD").map { String(cString: $0) } ?? ""
    setenv("LD_PRELOAD", others.isEmpty ? UdevTestbed.preload : UdevTestbed.preload + ":" + others, 1)
    unsetenv("UMOCKDEV_DIR")
    _ = withCStrings(CommandLine.arguments) { execv("/proc/self/exe", $0) }
    return .environment("the program could not be started again under \(UdevTestbed.preload): \(String(cString: strerror(errno)))")
  }
}
