import Bluetooth
import Flashing
import Station

/// What the live screen shows, as a value: a row for each adapter, the counts of the batch, and the lines that scroll away above them.
struct LiveTable {
  struct Row: Hashable {
    var label: String
    var path: String
    /// The board in hand; nil while the adapter waits.
    var board: AttemptRecord?
    var phase: Phase?
    var bytes = 0
    var total = 0
    var speed = 0.0
    /// The last result stays visible while the adapter waits.
    var last: AttemptRecord?
    var isGone = false
  }

  /// Most lines that wait to scroll; when a terminal stands still for long, the oldest go.
  static let linesLimit = 500

  private(set) var rows: [Row] = []
  private var lines: [EventText.Line] = []
  private var counts: [Outcome: Int] = [:]
  private var batch: StationEvent.BatchStart?
  private var startedAt: Int64?
  /// How the operator wants it to end, shown in the last line.
  private var ending = Wish.resume
  private var isPaused = false

  /// What the operator asks for.
  enum Wish: Hashable {
    case pause, resume, drain, stop

    /// The keys that have a meaning then.
    var text: String {
      switch self {
      case .pause: "paused: nothing new begins    p: go on    d: go on, then end    q: stop now"
      case .resume: "p: pause    d: finish the boards in hand, then end    q or Ctrl-C: stop now"
      case .drain: "no new boards: the boards in hand are finished    p: pause    q: stop now"
      case .stop: "stopping: links are closed    Ctrl-C: leave at once"
      }
    }
  }

  /// Takes a wish in, before the station has answered it.
  mutating func heard(_ wish: Wish) {
    isPaused = wish == .pause
    if wish == .drain || wish == .stop { ending = wish }
  }

  /// Takes an event in.
  mutating func apply(_ event: StationEvent, at time: Int64) {
    if let line = EventText.line(event), line.weight > .detail {
      lines.append(EventText.Line(text: "\(Figures.clock(time)) \(line.text)", weight: line.weight, outcome: line.outcome))
      if lines.count > Self.linesLimit { lines.removeFirst(lines.count - Self.linesLimit) }
    }
    switch event {
    case .stationStarted: startedAt = time
    case .adapterAdded(let adapter): add(adapter)
    case .adapterRemoved(let adapter): change(adapter.path) { $0.isGone = true }
    case .batchStarted(let start): batch = start
    case .stationPaused: isPaused = true
    case .stationResumed: isPaused = false
    case .boardAssigned(let record):
      change(record.adapterPath) { row in
        row = Row(label: row.label, path: row.path, board: record, last: row.last)
      }
    case .boardPhase(let record, let phase):
      change(record.adapterPath, record) { row in
        row.phase = phase
        if row.board?.stage != record.stage { (row.bytes, row.total, row.speed) = (0, 0, 0) }
        row.board = record
      }
    case .boardProgress(let record, let bytes, let total, let speed):
      change(record.adapterPath, record) { row in
        row.bytes = bytes
        row.total = total
        row.speed = speed
      }
    case .boardFinished(let record):
      change(record.adapterPath, record) { row in
        row = Row(label: row.label, path: row.path, last: record, isGone: row.isGone)
      }
    case .boardDone(let record):
      if let outcome = record.outcome { counts[outcome, default: 0] += 1 }
    case .adapterExcluded, .adapterHealing, .boardSeen, .boardObserved, .batchFinished, .stationFault: break
    }
  }

  private mutating func add(_ adapter: LineAdapter) {
    let row = Row(label: adapter.label.escaped(limit: 32), path: adapter.path)
    if let index = rows.firstIndex(where: { $0.path == adapter.path }) {
      rows[index] = row
    } else {
      rows.append(row)
      rows.sort { $0.path < $1.path }
    }
  }

  private mutating func change(_ path: String?, _ board: AttemptRecord? = nil, _ change: (inout Row) -> Void) {
    guard let index = rows.firstIndex(where: { $0.path == path }) else { return }
    if let board, !(rows[index].board.map { Self.isSame($0, board) } ?? false) { return }
    change(&rows[index])
  }

  /// A board of a rescue gets another address in the middle of its attempt, once its application is met.
  private static func isSame(_ one: AttemptRecord, _ other: AttemptRecord) -> Bool {
    if let number = one.attemptID, let another = other.attemptID { return number == another }
    return one.mac == other.mac
  }

  /// The lines that have not scrolled yet; they are handed over once.
  mutating func takeLines() -> [EventText.Line] {
    defer { lines = [] }
    return lines
  }

  /// The rows and the two last lines, each at most `columns` wide and together at most `rows` high.
  func frame(columns: Int, rows height: Int, now: Int64) -> [String] {
    let room = max(1, height - 4)
    let labelWidth = min(16, rows.map(\.label.columns).max() ?? 0)
    var lines = rows.prefix(room).map { text($0, labelWidth, columns) }
    if rows.count > room { lines.append("and \(Figures.count(rows.count - room, "more adapter"))") }
    lines.append(countLine(now))
    lines.append((isPaused ? Wish.pause : ending).text)
    return lines.map { $0.clipped(to: columns) }
  }

  private func text(_ row: Row, _ labelWidth: Int, _ columns: Int) -> String {
    let label = row.label.clipped(to: labelWidth).padded(to: labelWidth)
    guard let board = row.board else {
      let state = row.isGone ? "unplugged" : "waiting"
      return "\(label)  \(state)" + (row.last.map { "  (last: \($0.mac) \($0.outcome?.rawValue ?? "?"))" } ?? "")
    }
    var head = "\(label)  \(board.mac)  \((row.phase?.rawValue ?? "begins").padded(to: 9))"
    if let stage = board.stage { head += " \(stage.number)/\(stage.count)" }
    // An image on its way to one of Nordic's bootloaders is finished first; what goes over SMP has an upgrade mode.
    let standsStill = isPaused && (board.stage == nil || board.upgradeMode != nil || row.phase != .upload)
    guard row.total > 0, row.phase == .upload else { return head + (standsStill ? " paused" : "") }
    let speed = standsStill ? "paused" : Figures.speed(row.speed)
    let figures = "\(Figures.percent(row.bytes, of: row.total)) %".paddedLeft(to: 6) + speed.paddedLeft(to: 12)
    let room = min(30, columns - head.columns - figures.columns - 5)
    guard room >= 5 else { return head + figures }
    let full = Int(Double(room) * min(1, Double(max(0, row.bytes)) / Double(row.total)))
    return head + " [" + String(repeating: "#", count: full) + String(repeating: "-", count: room - full) + "]" + figures
  }

  private func countLine(_ now: Int64) -> String {
    let done = counts.values.reduce(batch?.alreadyDone ?? 0, +)
    var parts = [batch?.wanted.map { "\(done) of \($0) done" } ?? "\(done) done"]
    for outcome in Outcome.allCases { if let count = counts[outcome], count > 0 { parts.append("\(count) \(outcome.rawValue)") } }
    parts.append("\(rows.count { $0.board != nil }) in hand")
    if let startedAt { parts.append(Figures.duration(Double(now - startedAt) / 1000)) }
    return parts.joined(separator: "  ")
  }
}
