import Bluetooth
import Station

/// What the screen of `observe` shows: a row for each board, the sums, and the lines that scroll away above them.
struct ObserveTable: ScreenContent {
  private var tally = ObserveTally()
  private var lines: [EventText.Line] = []
  private var isStopping = false

  mutating func heard(_ wish: LiveTable.Wish) {
    if wish == .stop { isStopping = true }
  }

  mutating func apply(_ tally: ObserveTally, _ line: EventText.Line?, at time: Int64) {
    self.tally = tally
    guard let line, line.weight > .detail else { return }
    lines.append(EventText.Line(text: "\(Figures.clock(time)) \(line.text)", weight: line.weight, outcome: line.outcome))
    if lines.count > LiveTable.linesLimit { lines.removeFirst(lines.count - LiveTable.linesLimit) }
  }

  mutating func takeLines() -> [EventText.Line] {
    defer { lines = [] }
    return lines
  }

  func frame(columns: Int, rows height: Int, now: Int64) -> [String] {
    let room = max(1, height - 5)
    let heads = ["BOARD", "DEVICE", "RECEIVED", "PENDING", "UPLOADED", "GAPS", "STATE"]
    let rows = tally.boards.prefix(room).map { board in
      [
        board.mac.description, board.deviceID?.escaped(limit: 20) ?? "-", String(board.received), String(board.pending), String(board.uploaded),
        String(board.missing + board.dropped), state(board),
      ]
    }
    var frame = rows.isEmpty ? [] : TextTable(heads: heads, rows: Array(rows)).lines
    if tally.boards.count > room { frame.append("and \(Figures.count(tally.boards.count - room, "more board"))") }
    frame.append(sums(now))
    frame.append(keys)
    return frame.map { $0.clipped(to: columns) }
  }

  private func state(_ board: ObserveTally.Board) -> String {
    var words =
      switch board.state {
      case .unseen: tally.wanted.contains(board.mac) ? "not heard yet" : "upload"
      case .connected(let adapter): "on \(adapter.escaped(limit: 16))"
      case .away: "away"
      case .out: "left alone"
      }
    if board.held != nil { words += ", HELD" } else if let waiting = board.waiting { words += ", waits: \(waiting.escaped(limit: 60))" }
    return words
  }

  private func sums(_ now: Int64) -> String {
    let connected = tally.boards.count { if case .connected = $0.state { true } else { false } }
    var parts = ["\(connected) connected", "\(tally.received) received", "\(tally.pending) pending", "\(tally.uploaded) uploaded"]
    if let startedAt = tally.startedAt { parts.append(Figures.duration(Double(now - startedAt) / 1000)) }
    return parts.joined(separator: "  ")
  }

  private var keys: String {
    if isStopping { return Self.words(.stop) }
    return tally.isDraining ? Self.words(.drain) : "d: end observing, upload what waits    q or Ctrl-C: stop now"
  }

  /// What the operator is told about a wish.
  static func words(_ wish: LiveTable.Wish) -> String {
    switch wish {
    case .drain: "observing ends, what waits is uploaded    q or Ctrl-C: stop now, what waits stays in the queue"
    case .stop: "stopping: boards are let go, what waits stays in the queue    Ctrl-C: leave at once"
    case .pause, .resume: ""
    }
  }
}
