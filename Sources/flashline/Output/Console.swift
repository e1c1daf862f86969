import CLinux
import Flashing
import Glibc
import Locks
import Station
import Synchronization

/// Where the words of this invocation go: documents and JSON to stdout, people's text to stdout or, with `--json`, to stderr; problems to stderr.
final class Console: Sendable {
  /// How long a reader that blocks may hold up the program's end.
  static let finishLimit = Duration.seconds(2)

  let isJSON: Bool
  let isQuiet: Bool
  let terminal: Terminal
  let out: LineWriter
  let err: LineWriter
  private let screen = Locked<(any OpenScreen)?>(nil)

  init(isJSON: Bool, isQuiet: Bool, terminal: Terminal = Terminal()) {
    self.isJSON = isJSON
    self.isQuiet = isQuiet
    self.terminal = terminal
    out = LineWriter(descriptor: STDOUT_FILENO)
    err = LineWriter(descriptor: STDERR_FILENO)
  }

  /// Where people's text goes.
  var people: LineWriter { isJSON ? err : out }

  func say(_ line: String) { people.write(line) }
  func say(_ lines: [String]) { for line in lines { say(line) } }

  /// One line on stderr.
  func problem(_ text: String) { err.write(ProgramError(exit: 0, text: text).line) }
  func problem(_ error: ProgramError) { err.write(error.line) }

  /// A JSON document on stdout.
  func document(_ json: JSONText) { out.write(json.line) }

  // MARK: The live screen

  /// Draws on the terminal from now on; nil when there is none, or when text goes elsewhere.
  func openScreen<Content: ScreenContent>(_ content: sending Content) -> LiveScreen<Content>? {
    guard terminal.isInteractive, !isJSON, !isQuiet else { return nil }
    let opened = LiveScreen(content, out, hasColor: terminal.hasColor)
    screen.withLock { $0 = opened }
    return opened
  }

  /// Who listens to a job: JSON Lines where asked for, people's text as a screen or as lines, and the journal where configured.
  func eventSinks(_ log: LogRules) -> [any EventSink] {
    let least = isQuiet ? max(EventText.Weight.problem, log.level.weight) : log.level.weight
    var sinks: [any EventSink] = []
    if log.journal {
      if let journal = JournalLines(least: log.level.weight) {
        sinks.append(journal)
      } else {
        problem("[log] journal = yes, but the systemd journal does not answer: start systemd-journald, or write journal = no")
      }
    }
    if isJSON {
      sinks += [JSONLines(writer: out), PlainLines(err, least: least)]
    } else {
      sinks.append(openScreen(LiveTable()) ?? PlainLines(out, least: least))
    }
    return sinks
  }

  /// Tells a fault that kept the job from starting, also to programs.
  func fault(_ error: ProgramError) {
    problem(error)
    if isJSON, let code = error.code { JSONLines(writer: out).emit(.stationFault(code: code, message: error.text, adapter: nil), at: WallClock.now) }
  }

  func closeScreen() {
    let open = screen.withLock { screen in
      defer { screen = nil }
      return screen
    }
    open?.finish()
  }

  /// Tells the operator that the wish was heard.
  ///
  /// - Parameter words: what is said where no screen shows it.
  func confirm(_ wish: LiveTable.Wish, _ words: (LiveTable.Wish) -> String = \.text) {
    if let screen = screen.withLock({ $0 }) { return screen.show(wish) }
    // A pause and its end are events: they have lines of their own.
    if wish == .drain || wish == .stop { people.write(words(wish)) }
  }

  // MARK: The end

  /// Writes out what waits, at most `finishLimit`, and says what was lost.
  func finish() {
    closeScreen()
    let account = out.finish(within: Self.finishLimit)
    if account.lost > 0, account.failure == nil {
      problem("\(Figures.count(account.lost, "line")) of output did not reach the reader of stdout: read faster, or write to a file")
    } else if let failure = account.failure, failure != EPIPE {
      problem("stdout cannot be written (\(String(cString: strerror(failure)))): the results are in the database all the same")
    }
    err.finish(within: Self.finishLimit)
  }

  /// Leaves at once, with the terminal as it was.
  func leave(_ status: Int32) -> Never {
    TerminalKeys.restore()
    if screen.withLock({ $0 != nil }) {
      let text = Terminal.showCursor + "\n"
      _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
    }
    _exit(status)
  }
}
