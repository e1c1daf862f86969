import Bluetooth
import Flashing
import Station
import Testing

@testable import flashline

/// Events in, rows out: what an operator sees on the live screen.
@Suite struct LiveTableTests {
  private let adapters = ["1-1.1": "left", "1-1.2": "right \u{1B}[31m"].sorted { $0.key < $1.key }.map { path, label in
    LineAdapter(
      hardware: AdapterHardware(hciIndex: 0, usbPath: path), label: label,
      handle: AdapterHandle(hciIndex: 0, address: BluetoothAddress(bits: 0x02F1_0000_0001)), usability: .usable)
  }

  private func record(_ number: UInt64, on path: String, outcome: Outcome? = nil) -> AttemptRecord {
    var record = AttemptRecord(
      batchID: 1, stationID: "s", profile: "p", job: .update, mac: BluetoothAddress(bits: 0xC0DE_0000_0000 | number), addressType: .random, attempt: 1,
      startedAt: 0, toolVersion: "0")
    record.adapterPath = path
    record.adapterLabel = path
    record.outcome = outcome
    record.good = outcome == .passed
    return record
  }

  private func table(_ events: [StationEvent]) -> LiveTable {
    var table = LiveTable()
    for event in events { table.apply(event, at: 1000) }
    return table
  }

  private func frame(_ table: LiveTable, columns: Int = 100, rows: Int = 24) -> [String] { table.frame(columns: columns, rows: rows, now: 43_000) }

  @Test func aRowForEachAdapterAndTheCountsBelow() {
    let events: [StationEvent] = [
      .stationStarted(station: "s", version: "0", database: "d"), .adapterAdded(adapters[1]), .adapterAdded(adapters[0]),
      .boardAssigned(record(1, on: "1-1.1")), .boardPhase(record(1, on: "1-1.1"), .upload),
      .boardProgress(record(1, on: "1-1.1"), bytes: 50, total: 100, kBPerSecond: 31.25), .boardDone(record(9, on: "1-1.2", outcome: .passed)),
    ]
    let lines = frame(table(events))
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("left"))
    #expect(lines[0].contains("C0:DE:00:00:00:01  upload"))
    #expect(lines[0].contains("[###############---------------]"))
    #expect(lines[0].contains("50 %"))
    #expect(lines[0].contains("31.3 kB/s"))
    #expect(lines[1].contains("waiting"))
    #expect(lines[2] == "1 done  1 passed  1 in hand  0:42")
    #expect(lines[3] == "p: pause    d: finish the boards in hand, then end    q or Ctrl-C: stop now")
  }

  @Test func aPauseStandsInTheRowsAndInTheKeyLine() {
    var table = table([
      .adapterAdded(adapters[0]), .adapterAdded(adapters[1]), .boardAssigned(record(1, on: "1-1.1")), .boardPhase(record(1, on: "1-1.1"), .upload),
      .boardProgress(record(1, on: "1-1.1"), bytes: 50, total: 100, kBPerSecond: 31.25), .boardAssigned(record(2, on: "1-1.2")),
      .boardPhase(record(2, on: "1-1.2"), .reconnect),
    ])
    table.heard(.pause)
    table.apply(.stationPaused(inHand: 2, limit: .seconds(1800)), at: 1000)
    var lines = frame(table)
    #expect(lines[0].contains("50 %"))
    #expect(lines[0].hasSuffix("paused"))
    #expect(!lines[0].contains("kB/s"))
    #expect(lines[1].hasSuffix("reconnect paused"))
    #expect(lines[3].hasPrefix("paused: nothing new begins    p: go on"))
    #expect(table.takeLines().last?.text.contains("paused: 2 boards in hand, nothing new begins; after 30:00 the job ends") == true)
    table.heard(.resume)
    table.apply(.stationResumed(after: .seconds(30), isOverdue: false), at: 31_000)
    lines = frame(table)
    #expect(lines[0].hasSuffix("31.3 kB/s"))
    #expect(lines[3].hasPrefix("p: pause"))
    #expect(table.takeLines().last?.text.contains("goes on after a pause of 0:30") == true)
    table.heard(.drain)
    table.heard(.pause)
    #expect(frame(table)[3].hasPrefix("paused"))
    table.heard(.resume)
    #expect(frame(table)[3].hasPrefix("no new boards"))
  }

  @Test func anImageOnItsWayToABootloaderIsFinishedFirst() {
    var staged = record(1, on: "1-1.1")
    staged.stage = RescueStage(number: 1, count: 2, part: "bootloader", version: nil)
    var table = table([
      .adapterAdded(adapters[0]), .boardAssigned(record(1, on: "1-1.1")), .boardPhase(staged, .upload),
      .boardProgress(staged, bytes: 50, total: 100, kBPerSecond: 5),
    ])
    table.heard(.pause)
    #expect(frame(table)[0].hasSuffix("5.0 kB/s"))
    table.apply(.boardPhase(staged, .reconnect), at: 2000)
    #expect(frame(table)[0].hasSuffix("1/2 paused"))
  }

  @Test func aRowTellsWhichImageOfAChainIsOnItsWay() {
    func stage(_ number: Int) -> AttemptRecord {
      var record = record(1, on: "1-1.1")
      record.stage = RescueStage(number: number, count: 3, part: "bootloader", version: nil)
      return record
    }
    var table = table([
      .adapterAdded(adapters[0]), .boardAssigned(record(1, on: "1-1.1")), .boardPhase(stage(1), .upload),
      .boardProgress(stage(1), bytes: 100, total: 100, kBPerSecond: 5),
    ])
    #expect(frame(table)[0].contains("upload    1/3 ["))
    #expect(frame(table)[0].contains("100 %"))
    table.apply(.boardPhase(stage(2), .upload), at: 2000)
    #expect(frame(table)[0].hasSuffix("upload    2/3"), "the image before is no progress of this one")
  }

  @Test func aBoardWhoseApplicationHasAnotherAddressKeepsItsRow() {
    var (bootloader, application) = (record(1, on: "1-1.1"), record(2, on: "1-1.1", outcome: .passed))
    (bootloader.attemptID, application.attemptID) = (7, 7)
    var table = table([.adapterAdded(adapters[0]), .boardAssigned(bootloader), .boardPhase(application, .verify)])
    #expect(frame(table)[0].contains("C0:DE:00:00:00:02  verify"))
    table.apply(.boardFinished(application), at: 2000)
    #expect(frame(table)[0].contains("waiting  (last: C0:DE:00:00:00:02 passed)"))
  }

  @Test func labelsNeverControlTheTerminal() {
    let lines = frame(table([.adapterAdded(adapters[1])]))
    #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 })
    #expect(lines[0].contains("right \\u{1b}"))
  }

  @Test func theLastResultStaysUntilTheNextBoardBegins() {
    var table = table([.adapterAdded(adapters[0]), .boardAssigned(record(1, on: "1-1.1")), .boardFinished(record(1, on: "1-1.1", outcome: .failed))])
    #expect(frame(table)[0].contains("waiting  (last: C0:DE:00:00:00:01 failed)"))
    table.apply(.boardAssigned(record(2, on: "1-1.1")), at: 2000)
    #expect(frame(table)[0].contains("C0:DE:00:00:00:02"))
    table.apply(.boardProgress(record(1, on: "1-1.1"), bytes: 1, total: 2, kBPerSecond: 1), at: 2000)
    #expect(!frame(table)[0].contains("%"), "progress of a board that has gone does not move another's bar")
  }

  @Test func linesScrollOnceAndStayBounded() {
    var table = LiveTable()
    for number in 0..<2000 { table.apply(.boardFinished(record(UInt64(number), on: "1-1.1", outcome: .passed)), at: 0) }
    #expect(table.takeLines().count == LiveTable.linesLimit)
    #expect(table.takeLines().isEmpty)
  }

  @Test("every line fits the terminal, however small", arguments: [(20, 5), (40, 3), (80, 24), (5, 1)])
  func fits(columns: Int, rows: Int) {
    var events: [StationEvent] = []
    for number in 0..<12 {
      let path = "1-\(number)"
      events.append(
        .adapterAdded(LineAdapter(hardware: AdapterHardware(hciIndex: number, usbPath: path), label: "長い名前\(number)", handle: nil, usability: .usable)))
      events.append(.boardAssigned(record(UInt64(number), on: path)))
      events.append(.boardPhase(record(UInt64(number), on: path), .upload))
      events.append(.boardProgress(record(UInt64(number), on: path), bytes: 7, total: 9, kBPerSecond: 12_345.6))
    }
    let lines = frame(table(events), columns: columns, rows: rows)
    #expect(lines.allSatisfy { $0.columns <= columns })
    #expect(lines.count <= max(4, rows))
  }

  @Test func aFrameIsDrawnOverTheLastOneAlsoWhenTheTerminalBecameNarrower() {
    var painter = FramePainter(hasColor: false)
    let first = painter.paint([], [String(repeating: "a", count: 100), "b"], columns: 100)
    #expect(!first.contains("\u{1B}[J"))
    let second = painter.paint([.init(text: "done", weight: .news)], ["c"], columns: 50)
    #expect(second.contains("\u{1B}[3A\r\u{1B}[Jdone\nc\n"))
  }

  @Test func coloursOnlyWhereTheyAreWanted() {
    let line = EventText.Line(text: "x", weight: .problem, outcome: .failed)
    var plain = FramePainter(hasColor: false)
    var colored = FramePainter(hasColor: true)
    #expect(!plain.paint([line], [], columns: 80).contains("\u{1B}[31m"))
    #expect(colored.paint([line], [], columns: 80).contains("\u{1B}[31mx\u{1B}[0m"))
    #expect(!Terminal(environment: { ["TERM": "xterm", "NO_COLOR": "1"][$0] }, isTerminal: true).hasColor)
    #expect(Terminal(environment: { ["TERM": "xterm"][$0] }, isTerminal: true).hasColor)
    #expect(!Terminal(environment: { ["TERM": "dumb"][$0] }, isTerminal: true).isInteractive)
    #expect(!Terminal(environment: { ["TERM": "xterm"][$0] }, isTerminal: false).isInteractive)
  }
}
