import Bluetooth
import Flashing
import Station

/// The last lines of a job: counts, what is not good and what to do about it, boards that are not in their application, where the results are.
struct EndSummary {
  var tally: BatchTally
  var database: String
  /// Where the daily reports lie.
  var reportFolder: String

  var lines: [String] {
    guard let end = tally.end else { return tally.start == nil ? ["no batch was begun: no board was touched"] : failures + places }
    return [head(end)] + counts(end) + failures + untaken + missing(end) + elsewhere(end) + places + ["audit head: \(end.auditHead)"]
  }

  private var places: [String] {
    ["database:   \(database.escaped(limit: 4096))"] + tally.days.sorted().map { "report:     \(reportFolder.escaped(limit: 4096))/\($0).csv" }
  }

  private func head(_ end: StationEvent.BatchEnd) -> String {
    let total = end.counts.values.reduce(0, +)
    let reason =
      switch end.reason {
      case .count: "the wanted number of boards is reached"
      case .until: "its time is over"
      case .idle: "no new board came"
      case .boards: "every board of the list is done"
      case .sameFailures: "STOPPED: too many boards in a row failed in the same way"
      case .operator: "ended by the operator"
      case .fault: "STOPPED: the station could not go on"
      }
    let nothing = tally.isRescue ? "no board was stranded in its bootloader" : "no board was there to be done"
    let done = total == 0 ? nothing : "\(end.good) of \(Figures.count(total, "board")) good"
    return "batch \(end.batchID): \(done); \(reason)."
  }

  private func counts(_ end: StationEvent.BatchEnd) -> [String] {
    let parts = Outcome.allCases.compactMap { outcome in end.counts[outcome].flatMap { $0 > 0 ? "\($0) \(outcome.rawValue)" : nil } }
    return parts.isEmpty ? [] : ["  " + parts.joined(separator: ", ")]
  }

  private var failures: [String] {
    guard tally.badCount > 0 else { return [] }
    var lines = ["not good:"]
    for record in tally.bad {
      lines.append("  \(record.mac) \(record.unitID.unitLabel)\(EventText.result(record))")
      if tally.isRescue { lines.append("    known of it: " + known(record)) }
      if let code = record.failureCode { lines.append("    " + FailureRule.of(code).remedy) }
    }
    let more = tally.badCount - tally.bad.count
    if more > 0 { lines.append("  and \(Figures.count(more, "more board")): flashline report --batch \(tally.end?.batchID ?? 0)") }
    return lines
  }

  /// What a board has said of itself, so far as it was read: who looks for it has nothing else to go by.
  private func known(_ record: AttemptRecord) -> String {
    let told: [(String, String?)] = [
      ("name", tally.name(of: record)), ("serial number", record.serialNumber), ("model", record.modelNumber), ("hardware", record.hardwareRevision),
      ("bootloader", record.bootloaderAfter ?? record.bootloaderBefore), ("firmware", record.firmwareAfter ?? record.firmwareBefore),
      ("other address", record.dfuMAC.map { "\($0)" }),
    ]
    let parts = told.compactMap { word, value in value.map { "\(word) \($0.escaped(limit: 60))" } }
    return parts.isEmpty ? "only its address" : parts.joined(separator: ", ")
  }

  /// Boards that were in a bootloader, but not for so long that they counted as stranded, or not until the end.
  private var untaken: [String] {
    guard !tally.untaken.isEmpty else { return [] }
    let boards = tally.untaken.sorted().prefix(BatchTally.listLimit).map { board in
      board.description + (tally.heard[board].flatMap { $0.isEmpty ? nil : " (\($0.escaped(limit: 40)))" } ?? "")
    }
    let more = tally.untaken.count - boards.count
    return [
      "heard in a bootloader, and not taken (not there for as long as stranded_after says, or gone again): " + boards.joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "")
    ]
  }

  private func missing(_ end: StationEvent.BatchEnd) -> [String] {
    guard !end.missing.isEmpty else { return [] }
    let more = end.missing.count - BatchTally.listLimit
    return [
      "never met: " + end.missing.prefix(BatchTally.listLimit).map { $0.escaped(limit: 40) }.joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "")
    ]
  }

  /// Every board by name, however many: somebody must go and look at them.
  private func elsewhere(_ end: StationEvent.BatchEnd) -> [String] {
    guard !end.leftElsewhere.isEmpty else { return [] }
    return ["not left in their application:"]
      + end.leftElsewhere.map { board in
        let state =
          switch board.leftAs {
          case .unconfirmed: "runs the new firmware on trial: the next restart takes it back"
          case .bootloader: "sits in its bootloader"
          default: "its state is not known"
          }
        return "  \(board.mac) \(board.unitID.unitLabel)\(state)"
      }
  }
}
