import Bluetooth
import Flashing
import Station
import Testing

@testable import flashline

/// The words of the last lines and of plain output.
@Suite struct SummaryTextTests {
  private func record(_ outcome: Outcome, _ code: FailureCode? = nil, leftAs: LeftAs = .application) -> AttemptRecord {
    var record = AttemptRecord(
      batchID: 3, stationID: "s", profile: "p", job: .update, mac: BluetoothAddress(bits: 0xC0DE_0000_0001), addressType: .random, attempt: 1, startedAt: 0,
      toolVersion: "0")
    record.outcome = outcome
    record.good = outcome == .passed
    record.failureCode = code
    record.failureMessage = code == nil ? nil : "the board\u{1B}[2J went away"
    record.leftAs = leftAs
    record.adapterLabel = "left"
    record.reportDay = "2026-11-30"
    record.unitID = "U-7"
    return record
  }

  private func summary(_ records: [AttemptRecord], missing: [String] = [], elsewhere: [AttemptRecord] = []) -> [String] {
    var tally = BatchTally()
    var counts: [Outcome: Int] = [:]
    for record in records {
      tally.apply(.boardFinished(record))
      tally.apply(.boardDone(record))
      counts[record.outcome ?? .error, default: 0] += 1
    }
    tally.apply(
      .batchFinished(
        .init(
          batchID: 3, counts: counts, good: records.count { $0.good }, missing: missing,
          leftElsewhere: elsewhere.map { LeftBoard(mac: $0.mac, unitID: $0.unitID, leftAs: $0.leftAs) }, reason: .idle, auditHead: "abc",
          exitCode: 1)))
    return EndSummary(tally: tally, database: "d.db", reportFolder: "reports").lines
  }

  @Test func failuresComeWithCodeMessageAndRemedy() {
    let lines = summary([record(.passed), record(.failed, .linkLost)])
    #expect(lines.contains("batch 3: 1 of 2 boards good; no new board came."))
    #expect(lines.contains("  1 passed, 1 failed"))
    #expect(lines.contains("  C0:DE:00:00:00:01 (U-7) failed: the board\\u{1b}[2J went away [link.lost] on left"))
    #expect(lines.contains("    " + FailureRule.of(.linkLost).remedy))
    #expect(lines.suffix(3) == ["database:   d.db", "report:     reports/2026-11-30.csv", "audit head: abc"])
  }

  @Test func boardsThatAreNotInTheirApplicationAreNamed() {
    let lines = summary([], elsewhere: [record(.aborted, .operatorStopped, leftAs: .unconfirmed), record(.failed, .linkLost, leftAs: .unknown)])
    #expect(lines.contains("not left in their application:"))
    #expect(lines.contains("  C0:DE:00:00:00:01 (U-7) runs the new firmware on trial: the next restart takes it back"))
    #expect(lines.contains("  C0:DE:00:00:00:01 (U-7) its state is not known"))
  }

  @Test func nothingToDoIsSaidPlainly() {
    #expect(summary([]).first == "batch 3: no board was there to be done; no new board came.")
    #expect(EndSummary(tally: BatchTally(), database: "d", reportFolder: "r").lines == ["no batch was begun: no board was touched"])
    #expect(summary([], missing: ["U-1", "x\ny"]).contains("never met: U-1, x\\u{a}y"))
  }

  @Test func longListsAreCutAndSayWhereTheRestIs() {
    let lines = summary((0..<50).map { _ in record(.failed, .linkLost) })
    #expect(lines.count { $0.contains("[link.lost]") } == BatchTally.listLimit)
    #expect(lines.contains("  and 30 more boards: flashline report --batch 3"))
  }

  // MARK: rescue

  /// A summary of `recover`: the boards that were heard, with their names, those that were taken, and their results.
  private func rescue(heard: [(UInt64, String?)] = [], taken: [AttemptRecord] = []) -> [String] {
    let adapter = LineAdapter(
      hardware: AdapterHardware(hciIndex: 0, usbPath: "1-1"), label: "left",
      handle: AdapterHandle(hciIndex: 0, address: BluetoothAddress(bits: 0x02F1_0000_0001)), usability: .usable)
    var tally = BatchTally()
    tally.apply(
      .batchStarted(
        .init(
          batchID: 3, isContinued: false, job: .rescue, profiles: ["p"], packages: ["c"], version: "latest", lot: nil, workOrder: nil, alreadyDone: 0,
          wanted: nil)))
    for (board, name) in heard { tally.apply(.boardSeen(mac: BluetoothAddress(bits: board), name: name, profile: "p", rssi: -50, adapter: adapter)) }
    var counts: [Outcome: Int] = [:]
    for record in taken {
      var begun = record
      begun.mac = record.admittedAs
      begun.dfuMAC = nil
      tally.apply(.boardAssigned(begun))
      tally.apply(.boardFinished(record))
      tally.apply(.boardDone(record))
      counts[record.outcome ?? .error, default: 0] += 1
    }
    tally.apply(
      .batchFinished(
        .init(
          batchID: 3, counts: counts, good: taken.count { $0.good }, missing: [], leftElsewhere: [], reason: .until, auditHead: "abc", exitCode: 0)))
    return EndSummary(tally: tally, database: "d.db", reportFolder: "reports").lines
  }

  private func stranded(_ outcome: Outcome, _ code: FailureCode? = nil) -> AttemptRecord {
    var record = record(outcome, code, leftAs: .bootloader)
    record.job = .rescue
    return record
  }

  @Test func aBoardThatNobodyCouldIdentifyIsListedWithWhatIsKnownOfIt() {
    var record = stranded(.refused, .dfuUnidentified)
    (record.serialNumber, record.bootloaderBefore, record.bootloaderAfter) = ("0200CE", "0.2.2", "0.3.1")
    record.hardwareRevision = "0.4\u{1B}"
    let lines = rescue(heard: [(0xC0DE_0000_0001, "MetaBoot")], taken: [record])
    let known = "    known of it: name MetaBoot, serial number 0200CE, hardware 0.4\\u{1b}, bootloader 0.3.1"
    let place = lines.firstIndex { $0.hasPrefix("  C0:DE:00:00:00:01") && $0.contains("[\(FailureCode.dfuUnidentified.rawValue)]") }
    #expect(place.map { Array(lines[($0 + 1)...($0 + 2)]) } == [known, "    " + FailureRule.of(.dfuUnidentified).remedy])
  }

  @Test func theNameIsFoundByTheAddressUnderWhichTheBoardWasHeard() {
    var record = stranded(.failed, .verifyOtherFirmware)
    (record.mac, record.dfuMAC) = (BluetoothAddress(bits: 0xC0DE_0000_0001), BluetoothAddress(bits: 0xC0DE_0000_0002))
    let lines = rescue(heard: [(0xC0DE_0000_0002, "DfuTarg"), (0xC0DE_0000_0009, "other")], taken: [record])
    #expect(lines.contains("    known of it: name DfuTarg, other address C0:DE:00:00:00:02"))
  }

  @Test func ofABoardThatSaidNothingOnlyTheAddressIsKnown() {
    #expect(rescue(taken: [stranded(.failed, .linkConnect)]).contains("    known of it: only its address"))
  }

  @Test func everyBoardOfARescueIsListedHoweverManyThereAre() {
    let lines = rescue(taken: (0..<50).map { _ in stranded(.failed, .linkLost) })
    #expect(lines.count { $0.contains("[link.lost]") } == 50)
  }

  @Test func boardsThatWereHeardAndNotTakenAreNamed() {
    let lines = rescue(heard: [(2, "MetaBoot"), (1, nil), (0xC0DE_0000_0001, "MetaBoot")], taken: [stranded(.passed)])
    #expect(lines.count { $0.hasPrefix("heard in a bootloader, and not taken") } == 1)
    #expect(lines.contains { $0.hasSuffix(": 00:00:00:00:00:01, 00:00:00:00:00:02 (MetaBoot)") })
    #expect(!rescue(taken: [stranded(.passed)]).contains { $0.hasPrefix("heard in a bootloader") })
  }

  @Test func aNightWithoutABoardIsSaidInOneLine() {
    #expect(rescue().first == "batch 3: no board was stranded in its bootloader; its time is over.")
  }

  @Test func eachImageOfAChainIsToldWhenItBegins() {
    var record = stranded(.passed)
    record.stage = RescueStage(number: 2, count: 5, part: "bootloader", version: "0.3.2")
    record.bootloaderAfter = "0.3.1"
    #expect(EventText.line(.boardPhase(record, .upload))?.text == "C0:DE:00:00:00:01 image 2 of 5: bootloader 0.3.2, bootloader now 0.3.1")
    #expect(EventText.line(.boardPhase(record, .verify))?.text == "C0:DE:00:00:00:01 verify")
    record.stage = nil
    #expect(EventText.line(.boardPhase(record, .upload))?.text == "C0:DE:00:00:00:01 upload")
    (record.bootloaderBefore, record.bootloaderAfter, record.firmwareAfter) = ("0.2.2", "0.3.3", "1.7.3")
    #expect(EventText.result(record) == "passed, 1.7.3, bootloader 0.2.2 -> 0.3.3 on left")
  }

  @Test func progressIsToldByQuarters() {
    var steps = ProgressSteps()
    let board = BluetoothAddress(bits: 1)
    let told = [0, 10, 25, 26, 49, 80, 99, 100].map { steps.step(board, $0, of: 100) }
    #expect(told == [nil, nil, 25, nil, nil, 75, nil, 100])
    #expect(steps.step(board, 0, of: 100) == nil)
    #expect(steps.step(board, 50, of: 100) == 50)
  }

  @Test("figures as people read them", arguments: [(0.0, "0:00"), (59.9, "0:59"), (725, "12:05"), (3723, "1:02:03"), (-1, "-"), (.nan, "-")])
  func durations(seconds: Double, text: String) {
    #expect(Figures.duration(seconds) == text)
  }

  @Test func figuresNeverClaimTooMuch() {
    #expect(Figures.percent(999_999, of: 1_000_000) == 99)
    #expect(Figures.percent(5, of: 0) == 0)
    #expect(Figures.oneDecimal(-0.04) == "0.0")
    #expect(Figures.oneDecimal(-61.25) == "-61.3")
    #expect(Figures.oneDecimal(.infinity) == "-")
  }

  @Test func textFromTheAirIsHarmless() {
    #expect("a\u{7}\u{202E}b".escaped() == "a\\u{7}\\u{202e}b")
    #expect("x\u{0}".escaped() == "x\\u{0}")
    #expect("\u{E9}".escaped() == "\u{E9}")
    #expect(String(repeating: "x", count: 200).escaped(limit: 3) == "xxx…")
    #expect("長い".columns == 4)
    #expect("長い名".clipped(to: 5) == "長い…")
  }
}
