import Flashing
import Glibc
import Station

/// What a live screen shows, as a value.
protocol ScreenContent: SendableMetatype {
  /// Takes a wish of the operator in, before anything has answered it.
  mutating func heard(_ wish: LiveTable.Wish)
  /// Lines that have not scrolled yet; they are handed over once.
  mutating func takeLines() -> [EventText.Line]
  /// The rows that are drawn over, each at most `columns` wide and together at most `rows` high.
  func frame(columns: Int, rows: Int, now: Int64) -> [String]
}

/// A screen that is open, whatever it shows.
protocol OpenScreen: Sendable {
  /// Shows that the operator's wish was heard.
  func show(_ wish: LiveTable.Wish)
  /// Writes what has not scrolled yet, takes the rows away and shows the cursor again.
  func finish()
}

/// Draws its content on a terminal, at most ten times a second, on a thread of its own.
///
/// Only the last lines of the screen are drawn over; results scroll away above them and stay in the terminal's history.
final class LiveScreen<Content: ScreenContent>: OpenScreen {
  private struct State {
    var table: Content
    var isDirty = true
    var isEnding = false
    var isEnded = false
  }

  /// Between two drawings.
  private static var pause: Duration { .milliseconds(100) }
  /// Between two drawings when nothing happens: the clock goes on, and the size may have changed.
  private static var idlePause: Duration { .seconds(1) }

  private let state: Monitor<State>

  init(_ content: sending Content, _ writer: LineWriter, hasColor: Bool) {
    let state = Monitor(State(table: content))
    self.state = state
    let started = ProgramThread.start {
      var painter = FramePainter(hasColor: hasColor)
      while Self.draw(state, writer, &painter) {}
      writer.send(painter.erase() + Terminal.showCursor)
      state.with { $0.isEnded = true }
    }
    if !started { state.with { $0.isEnded = true } }
  }

  /// Changes what is shown.
  func change(_ body: (inout Content) -> Void) {
    state.with { state in
      body(&state.table)
      state.isDirty = true
    }
  }

  func show(_ wish: LiveTable.Wish) {
    state.with { state in
      state.table.heard(wish)
      state.isDirty = true
    }
  }

  func finish() {
    state.with { $0.isEnding = true }
    _ = state.wait(limit: .seconds(1)) { $0.isEnded ? true : nil }
  }

  /// One drawing and the pause before it; false after the last one.
  private static func draw(_ state: Monitor<State>, _ writer: LineWriter, _ painter: inout FramePainter) -> Bool {
    _ = state.wait(limit: idlePause) { $0.isDirty || $0.isEnding ? true : nil }
    let size = Terminal.size
    // A terminal that stands still (Ctrl-S) gets no further frames; the table keeps what has to scroll.
    if writer.isIdle {
      let (lines, frame) = state.with { state in
        state.isDirty = false
        return (state.table.takeLines(), state.table.frame(columns: size.columns, rows: size.rows, now: WallClock.now))
      }
      writer.send(painter.paint(lines, frame, columns: size.columns), isDroppable: false)
    }
    return state.wait(limit: pause) { $0.isEnding ? true : nil } == nil
  }
}

extension LiveTable: ScreenContent {}

extension LiveScreen: EventSink where Content == LiveTable {
  func emit(_ event: StationEvent, at time: Int64) {
    change { $0.apply(event, at: time) }
  }
}

/// Turns lines and frames into what the terminal is sent (ECMA-48: CUU, ED, SGR).
struct FramePainter {
  let hasColor: Bool
  /// The lines of the last frame, as wide as they were drawn.
  private var drawn: [String] = []

  init(hasColor: Bool) {
    self.hasColor = hasColor
  }

  /// Puts `lines` above a new frame.
  mutating func paint(_ lines: [EventText.Line], _ frame: [String], columns: Int) -> String {
    var text = Terminal.hideCursor + back(columns)
    for line in lines { text += colored(line) + "\n" }
    text += frame.joined(separator: "\n") + "\n"
    drawn = frame
    return text
  }

  /// Takes the frame away.
  mutating func erase() -> String {
    defer { drawn = [] }
    return back(Terminal.size.columns)
  }

  /// Back to the first line of the last frame and everything below it cleared. After the terminal became narrower a line takes several rows.
  private func back(_ columns: Int) -> String {
    let rows = drawn.reduce(0) { $0 + max(1, ($1.columns + columns - 1) / max(1, columns)) }
    return rows == 0 ? "" : "\u{1B}[\(rows)A\r\u{1B}[J"
  }

  private func colored(_ line: EventText.Line) -> String {
    guard hasColor, let outcome = line.outcome else { return line.text }
    let color =
      switch outcome {
      case .passed: 32
      case .skipped: 36
      case .refused, .aborted: 33
      case .failed, .timeout, .error: 31
      }
    return "\u{1B}[\(color)m\(line.text)\u{1B}[0m"
  }
}
