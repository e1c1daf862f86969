import CLinux
import Glibc
import Locks
import Synchronization

/// Keys without Return: the terminal's line editing and echo are switched off, and always switched on again.
///
/// Ctrl-C and Ctrl-Z keep their meaning.
final class TerminalKeys: Sendable {
  /// What the terminal was set to before; nil when nothing has to be restored.
  private static let before = Locked<termios?>(nil)

  private let isEnded = Atomic(false)

  /// Starts to read; nil when stdin is no terminal of ours.
  init?(_ pressed: @escaping @Sendable (Character) -> Void) {
    // A job in the background must neither read nor set the terminal.
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return nil }
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    let old = settings
    Self.before.withLock { $0 = old }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
    ProgramThread.start { [weak self] in
      while self?.isEnded.load(ordering: .acquiring) == false, Self.read(pressed) {}
    }
  }

  /// Restores the terminal and stops reading. Safe to repeat.
  func end() {
    isEnded.store(true, ordering: .releasing)
    Self.restore()
  }

  /// Puts the terminal back as it was; also for an end in a hurry.
  static func restore() {
    let settings = before.withLock { settings in
      defer { settings = nil }
      return settings
    }
    if var settings { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
  }

  /// Waits a moment for a key; false when there will be none any more.
  private static func read(_ pressed: (Character) -> Void) -> Bool {
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let count = poll(&ready, 1, 200)
    if count == 0 { return true }
    guard count > 0 else { return errno == EINTR }
    guard tcgetpgrp(STDIN_FILENO) == getpgrp() else {
      // Sent to the background: look again later, without reading the shell's keys.
      usleep(200_000)
      return true
    }
    var byte: UInt8 = 0
    guard Glibc.read(STDIN_FILENO, &byte, 1) == 1 else { return errno == EINTR }
    pressed(Character(Unicode.Scalar(byte)))
    return true
  }
}
