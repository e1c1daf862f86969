import Bluetooth
import Flashing
import Station

/// Says an event in an operator's words.
enum EventText {
  /// How much an operator needs to hear of it.
  enum Weight: Comparable {
    /// Told by the screen's rows; a plain log leaves it out.
    case detail
    case news
    /// A board or an adapter.
    case problem
    /// The station itself.
    case fault
  }

  struct Line: Hashable {
    var text: String
    var weight: Weight
    /// The outcome that colours it.
    var outcome: Outcome?
  }

  /// Nil for events that only move a progress bar.
  static func line(_ event: StationEvent) -> Line? {
    switch event {
    case .stationStarted(let station, let version, let database):
      Line(text: "station \(station.escaped()), flashline \(version), database \(database.escaped())", weight: .news)
    case .adapterAdded(let adapter):
      Line(text: "adapter \(adapter.label.escaped()) works (\(place(adapter)))", weight: .news)
    case .adapterRemoved(let adapter):
      Line(text: "adapter \(adapter.label.escaped()) is gone (\(adapter.path)): plug it in again, its board goes to another adapter", weight: .problem)
    case .adapterExcluded(let adapter, let reason):
      Line(text: "adapter \(adapter.label.escaped()) is not used: \(reason.escaped())", weight: .news)
    case .adapterHealing(let adapter, let remedy, let words, let obstacle):
      Line(
        text: "adapter \(adapter.label.escaped()) fails (\(words.escaped(limit: 200))); tried: \(remedy.rawValue)"
          + (obstacle.map { ", not possible (\($0.escaped(limit: 200)))" } ?? ""),
        weight: .problem)
    case .stationPaused(let inHand, let limit):
      Line(
        text:
          "paused: \(Figures.count(inHand, "board")) in hand, nothing new begins; after \(Figures.duration(limit.seconds)) the job ends (p or SIGUSR2: go on)",
        weight: .news)
    case .stationResumed(let length, let isOverdue):
      Line(
        text: isOverdue
          ? "paused for \(Figures.duration(length.seconds)), longer than [limits] pause_timeout: the job ends, the same command goes on with it"
          : "goes on after a pause of \(Figures.duration(length.seconds))",
        weight: isOverdue ? .problem : .news)
    case .batchStarted(let start): Line(text: text(start), weight: .news)
    case .boardSeen(let mac, let name, let profile, let rssi, let adapter): Line(text: seen(mac, name, profile, rssi, adapter), weight: .detail)
    case .boardAssigned(let record):
      Line(text: "\(record.mac) \(record.unitID.unitLabel)on \(record.adapterName), attempt \(record.attempt)", weight: .detail)
    case .boardPhase(let record, let phase):
      Line(text: "\(record.mac) \(phase == .upload ? record.stage.map { image($0, record) } ?? phase.rawValue : phase.rawValue)", weight: .detail)
    case .boardProgress: nil
    case .boardFinished(let record):
      Line(text: "\(record.mac) \(record.unitID.unitLabel)\(result(record))", weight: weight(record), outcome: record.outcome)
    case .boardDone: nil
    case .boardObserved(let record, let collection): observed(record, collection)
    case .batchFinished: nil
    case .stationFault(let code, let message, let adapter):
      Line(
        text: (adapter.map { "adapter \($0.label.escaped()): " } ?? "") + "\(message.escaped(limit: 400)): \(FailureRule.of(code).remedy) [\(code.rawValue)]",
        weight: .fault, outcome: .error)
    }
  }

  private static func observed(_ record: AttemptRecord, _ collection: DiagnosticCollection) -> Line {
    var text = "\(record.mac) \(record.unitID.unitLabel)\(Figures.count(collection.chunks, "chunk")) of diagnostics in the queue"
    if collection.lost > 0 { text += ", \(collection.lost) lost" }
    if let trouble = collection.trouble { text += "; its result stays: \(trouble.escaped(limit: 400))" }
    return Line(text: text, weight: collection.trouble == nil && collection.lost == 0 ? .news : .problem)
  }

  private static func place(_ adapter: LineAdapter) -> String {
    "\(adapter.path), hci\(adapter.hardware.hciIndex)" + (adapter.handle.map { ", \($0.address)" } ?? "")
  }

  private static func text(_ start: StationEvent.BatchStart) -> String {
    var text = "batch \(start.batchID) " + (start.isContinued ? "goes on" : "begins")
    text += ": \(start.profiles.map { $0.escaped() }.joined(separator: ", ")), \(start.packages.map { $0.escaped() }.joined(separator: ", "))"
    text += ", version \(start.version.escaped())"
    if let lot = start.lot { text += ", lot \(lot.escaped())" }
    if let order = start.workOrder { text += ", work order \(order.escaped())" }
    if start.alreadyDone > 0 { text += "; \(Figures.count(start.alreadyDone, "board")) done already" }
    if let wanted = start.wanted { text += "; \(Figures.count(wanted, "board")) wanted" }
    return text
  }

  private static func seen(_ mac: BluetoothAddress, _ name: String?, _ profile: String, _ rssi: Int?, _ adapter: LineAdapter) -> String {
    let strength = rssi.map { ", \($0) dBm" } ?? ""
    return "\(mac) heard on \(adapter.label.escaped())\(strength): \(name.map(\.shown) ?? "no name"), profile \(profile.escaped())"
  }

  /// Which image of a rescue begins, and over which bootloader.
  private static func image(_ stage: RescueStage, _ record: AttemptRecord) -> String {
    var text = "image \(stage.number) of \(stage.count): \(stage.part)"
    if let version = stage.version { text += " \(version.escaped(limit: 40))" }
    if let present = record.bootloaderAfter { text += ", bootloader now \(present.escaped(limit: 40))" }
    return text
  }

  /// How an attempt ended, after the board's address.
  static func result(_ record: AttemptRecord) -> String {
    guard let outcome = record.outcome else { return "is not finished" }
    switch outcome {
    case .passed, .skipped:
      var text = outcome == .skipped ? "skipped, has the firmware already" : "passed"
      if let version = record.firmwareAfter { text += ", \(version.escaped(limit: 40))" }
      if let before = record.bootloaderBefore, let after = record.bootloaderAfter, before != after {
        text += ", bootloader \(before.escaped(limit: 40)) -> \(after.escaped(limit: 40))"
      }
      if !record.good, let state = record.imageState { text += " (\(state.rawValue))" }
      if let seconds = record.duration { text += ", \(Figures.oneDecimal(seconds)) s" }
      if let speed = record.uploadSpeed { text += ", \(Figures.speed(speed))" }
      return text + " on \(record.adapterName)"
    default:
      let message = record.failureMessage.map { ": \($0.escaped(limit: 400))" } ?? ""
      return "\(outcome.rawValue)\(message)\(record.failureCode.map { " [\($0.rawValue)]" } ?? "") on \(record.adapterName)"
    }
  }

  private static func weight(_ record: AttemptRecord) -> Weight {
    record.outcome == .passed || record.outcome == .skipped ? .news : .problem
  }
}

extension AttemptRecord {
  /// What people call the adapter of this attempt.
  var adapterName: String { (adapterLabel ?? adapterPath ?? "?").escaped(limit: 40) }
}

extension Optional<String> {
  /// Of a unit number: `(U-0007) `, and nothing for a board without one.
  var unitLabel: String { map { "(\($0.escaped(limit: 40))) " } ?? "" }
}
