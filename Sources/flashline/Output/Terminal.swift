import CLinux
import Glibc

/// What is known of the terminal, if there is one.
struct Terminal: Sendable {
  /// Whether a screen may be drawn on stdout.
  var isInteractive: Bool
  /// `NO_COLOR` (https://no-color.org) is honoured.
  var hasColor: Bool

  init(environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }, isTerminal: Bool = isOurs) {
    let type = environment("TERM") ?? ""
    isInteractive = isTerminal && !type.isEmpty && type != "dumb"
    hasColor = isInteractive && (environment("NO_COLOR") ?? "").isEmpty
  }

  /// Whether stdout is a terminal and we are in its foreground: a job in the background must not draw over what the operator types.
  private static var isOurs: Bool { isatty(STDOUT_FILENO) == 1 && tcgetpgrp(STDOUT_FILENO) == getpgrp() }

  /// Columns and rows now; 80 by 24 when the terminal does not tell.
  static var size: (columns: Int, rows: Int) {
    let columns = Int(flashline_terminal_columns(STDOUT_FILENO))
    let rows = Int(flashline_terminal_rows(STDOUT_FILENO))
    return (columns > 0 ? columns : 80, rows > 0 ? rows : 24)
  }

  static let hideCursor = "\u{1B}[?25l"
  static let showCursor = "\u{1B}[?25h"
}
