import Bluetooth
import Cloud
import Flashing
import Station

extension ObserveEvent {
  /// The line of `--json`; nil for what is no event of its own.
  func json(_ tally: ObserveTally, at time: Int64) -> JSONText? {
    switch self {
    case .adapterAdded(let adapter): return StationEvent.adapterAdded(adapter).json(at: time)
    case .adapterRemoved(let adapter): return StationEvent.adapterRemoved(adapter).json(at: time)
    case .adapterHealing(let adapter, let remedy, let because, let obstacle):
      return StationEvent.adapterHealing(adapter, remedy, because: because, obstacle: obstacle).json(at: time)
    case .fault(let code, let message): return StationEvent.stationFault(code: code, message: message, adapter: nil).json(at: time)
    case .upload(.failed(let error)):
      return StationEvent.stationFault(code: .diskFailed, message: error.description, adapter: nil).json(at: time)
    default: break
    }
    guard let name else { return nil }
    return .object([.init("event", .text(name)), .init("time", .text(Timestamp.text(time)))] + members(tally))
  }

  private func members(_ tally: ObserveTally) -> [JSONText.Member] {
    switch self {
    case .started(let station, let queue, let isUploadOnly, let boards):
      [
        .init("station_id", .text(station)), .init("tool_version", .text(ToolVersion.text)), .init("queue", .text(queue)),
        .init("upload_only", .bool(isUploadOnly)), .init("boards", .list(boards.map { .text($0.description) })),
      ]
    case .connected(let mac, let adapter, let device, let host):
      Self.keys(mac, adapter) + [.init("device_id", .text(device)), .init("host", .text(host))]
    case .disconnected(let mac, let adapter, let reason, let chunks, let again):
      Self.keys(mac, adapter) + [.init("reason", .text(reason)), .init("chunks", .of(chunks)), .init("again_s", again.map { .real($0.seconds) } ?? .null)]
    case .chunk(let mac, let adapter, let number, let bytes):
      Self.keys(mac, adapter) + [.init("number", .of(number)), .init("bytes", .of(bytes)), .init("received", .of(tally.board(mac)?.received))]
    case .gap(let mac, let adapter, let missing):
      Self.keys(mac, adapter) + [.init("missing", .of(missing)), .init("missing_total", .of(tally.board(mac)?.missing))]
    case .malformed(let mac, let adapter): Self.keys(mac, adapter)
    case .full(let mac, let adapter, let isLost): Self.keys(mac, adapter) + [.init("lost", .bool(isLost)), .init("dropped", .of(tally.board(mac)?.dropped))]
    case .refused(let mac, let reason): [.init("mac", .text(mac.description)), .init("reason", .text(reason))]
    case .upload(let upload): Self.members(upload, tally)
    case .draining: [.init("pending", .of(tally.pending))]
    case .finished(let reason, let exit): Self.members(tally) + [.init("end_reason", .text(reason.rawValue)), .init("exit", .of(Int(exit)))]
    case .adapterAdded, .adapterRemoved, .adapterHealing, .standing, .fault: []
    }
  }

  private static func keys(_ mac: BluetoothAddress, _ adapter: String) -> [JSONText.Member] {
    [.init("mac", .text(mac.description)), .init("adapter", .text(adapter))]
  }

  private static func members(_ upload: UploadEvent, _ tally: ObserveTally) -> [JSONText.Member] {
    func keys(_ lane: LaneID) -> [JSONText.Member] {
      let board = tally.board(of: lane)
      return [.init("mac", .of(board?.mac.description)), .init("device_id", .of(board?.deviceID))]
    }
    return switch upload {
    case .uploaded(let lane, let chunks): keys(lane) + [.init("chunks", .of(chunks)), .init("uploaded", .of(tally.board(of: lane)?.uploaded))]
    case .waiting(let lane, let pause, let reason): keys(lane) + [.init("seconds", .real(pause.seconds)), .init("reason", .text(reason))]
    case .held(let lane, let reason): keys(lane) + [.init("reason", .text(reason))]
    case .rejected(let lane, let status): keys(lane) + [.init("status", .of(status))]
    case .drained, .failed: []
    }
  }

  /// The counts of a run, and of each board.
  private static func members(_ tally: ObserveTally) -> [JSONText.Member] {
    let boards = tally.boards.map { board -> JSONText in
      .object([
        .init("mac", .text(board.mac.description)), .init("device_id", .of(board.deviceID)), .init("observed", .bool(board.wasObserved)),
        .init("received", .of(board.received)), .init("uploaded", .of(board.uploaded)), .init("pending", .of(board.pending)),
        .init("missing", .of(board.missing)), .init("dropped", .of(board.dropped)), .init("malformed", .of(board.malformed)),
        .init("rejected", .of(board.rejected)), .init("held", .of(board.held)), .init("reason", .of(board.reason)),
      ])
    }
    return [
      .init("received", .of(tally.received)), .init("uploaded", .of(tally.uploaded)), .init("pending", .of(tally.pending)), .init("boards", .list(boards)),
    ]
  }
}

extension ObserveTally.Board {
  /// Why it is left alone.
  fileprivate var reason: String? { if case .out(let reason) = state { reason } else { nil } }
}
