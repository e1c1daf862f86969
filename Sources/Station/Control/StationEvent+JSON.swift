import Bluetooth
public import Flashing

extension StationEvent {
  /// The event's name in contract §3.
  public var name: String {
    switch self {
    case .stationStarted: "station.started"
    case .adapterAdded: "adapter.added"
    case .adapterRemoved: "adapter.removed"
    case .adapterExcluded: "adapter.excluded"
    case .adapterHealing: "adapter.healing"
    case .batchStarted: "batch.started"
    case .stationPaused: "station.paused"
    case .stationResumed: "station.resumed"
    case .boardSeen: "board.seen"
    case .boardAssigned: "board.assigned"
    case .boardPhase: "board.phase"
    case .boardProgress: "board.progress"
    case .boardFinished: "board.finished"
    case .boardDone: "board.done"
    case .boardObserved: "board.observed"
    case .batchFinished: "batch.finished"
    case .stationFault: "station.fault"
    }
  }

  /// The line of `--json`: `event` and `time` first, then what belongs to it.
  public func json(at time: Int64) -> JSONText {
    .object([.init("event", .text(name)), .init("time", .text(Timestamp.text(time)))] + members)
  }

  private var members: [JSONText.Member] {
    switch self {
    case .stationStarted(let station, let version, let database):
      [.init("station_id", .text(station)), .init("tool_version", .text(version)), .init("database", .text(database))]
    case .adapterAdded(let adapter), .adapterRemoved(let adapter): adapter.json
    case .adapterExcluded(let adapter, let reason): adapter.json + [.init("reason", .text(reason))]
    case .adapterHealing(let adapter, let remedy, let words, let obstacle):
      adapter.json + [.init("remedy", .text(remedy.rawValue)), .init("reason", .text(words)), .init("obstacle", .of(obstacle))]
    case .batchStarted(let start): start.json
    case .stationPaused(let inHand, let limit): [.init("in_hand", .of(inHand)), .init("pause_timeout_s", .real(limit.seconds))]
    case .stationResumed(let length, let isOverdue): [.init("paused_s", .real(length.seconds)), .init("reason", .text(isOverdue ? "limit" : "operator"))]
    case .boardSeen(let mac, let name, let profile, let rssi, let adapter):
      [
        .init("mac", .text(mac.description)), .init("name", .of(name)), .init("profile", .text(profile)), .init("rssi_dbm", .of(rssi)),
        .init("adapter", .text(adapter.label)),
      ]
    case .boardAssigned(let record): record.keys + [.init("attempt", .of(record.attempt)), .init("rssi_dbm", .of(record.rssi))]
    case .boardPhase(let record, let phase): record.keys + [.init("phase", .text(phase.rawValue))]
    case .boardProgress(let record, let bytes, let total, let speed):
      record.keys + [.init("bytes", .of(bytes)), .init("total", .of(total)), .init("kB_per_s", .real(speed))]
    case .boardFinished(let record), .boardDone(let record): [.init("adapter", .of(record.adapterLabel))] + record.json
    case .boardObserved(let record, let collection):
      record.keys + [.init("chunks", .of(collection.chunks)), .init("lost", .of(collection.lost)), .init("reason", .of(collection.trouble))]
    case .batchFinished(let end): end.json
    case .stationFault(let code, let message, let adapter):
      [.init("failure_code", .text(code.rawValue)), .init("message", .text(message)), .init("adapter", .of(adapter?.label))]
    }
  }
}

extension LineAdapter {
  var json: [JSONText.Member] {
    [
      .init("adapter", .text(label)), .init("adapter_path", .text(path)), .init("hci", .text("hci\(hardware.hciIndex)")),
      .init("adapter_mac", .of(handle?.address.description)),
    ]
  }
}

extension AttemptRecord {
  /// The keys by which every event of an attempt is found.
  var keys: [JSONText.Member] {
    [
      .init("batch_id", .integer(batchID)), .init("attempt_id", attemptID.map(JSONText.integer) ?? .null), .init("mac", .text(mac.description)),
      .init("adapter", .of(adapterLabel)),
    ]
  }
}

extension StationEvent.BatchStart {
  var json: [JSONText.Member] {
    [
      .init("batch_id", .integer(batchID)), .init("continued", .bool(isContinued)), .init("job", .text(job.rawValue)),
      .init("profiles", .list(profiles.map(JSONText.text))), .init("packages", .list(packages.map(JSONText.text))), .init("version", .text(version)),
      .init("lot", .of(lot)), .init("work_order", .of(workOrder)), .init("already_done", .of(alreadyDone)), .init("wanted", .of(wanted)),
    ]
  }
}

extension StationEvent.BatchEnd {
  var json: [JSONText.Member] {
    [
      .init("batch_id", .integer(batchID)),
      .init("counts", .object(Outcome.allCases.map { .init($0.rawValue, .of(counts[$0] ?? 0)) })),
      .init("good", .of(good)), .init("missing", .list(missing.map(JSONText.text))),
      .init(
        "left_elsewhere",
        .list(leftElsewhere.map { .object([.init("mac", .text($0.mac.description)), .init("left_as", .text($0.leftAs.rawValue))]) })),
      .init("end_reason", .text(reason.rawValue)), .init("audit_head", .text(auditHead)), .init("exit", .of(Int(exitCode))),
    ]
  }
}
