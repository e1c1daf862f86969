import Bluetooth
import Cloud
import Flashing
import Station

/// Says what `observe` tells in an operator's words.
enum ObserveText {
  /// Nil for what only moves figures.
  static func line(_ event: ObserveEvent, _ tally: ObserveTally) -> EventText.Line? {
    switch event {
    case .started(let station, let queue, let isUploadOnly, let boards):
      let whom = isUploadOnly ? "uploads only" : boards.isEmpty ? "every board with diagnostics in range" : Figures.count(boards.count, "board")
      return .init(text: "station \(station.escaped()), flashline \(ToolVersion.text), queue \(queue.escaped(limit: 4096)): \(whom)", weight: .news)
    case .adapterAdded(let adapter): return EventText.line(.adapterAdded(adapter))
    case .adapterRemoved(let adapter):
      return .init(text: "adapter \(adapter.label.escaped()) is gone (\(adapter.path)): plug it in again", weight: .problem)
    case .adapterHealing(let adapter, let remedy, let because, let obstacle):
      return EventText.line(.adapterHealing(adapter, remedy, because: because, obstacle: obstacle))
    case .connected(let mac, let adapter, let device, let host):
      return .init(text: "\(mac) connected on \(adapter.escaped()): device \(device.escaped(limit: 64)), chunks for \(host.escaped(limit: 80))", weight: .news)
    case .disconnected(let mac, let adapter, let reason, let chunks, let again):
      let next = again.map { $0 >= .seconds(2) ? ", again after \(Int($0.seconds)) s" : "" } ?? ""
      return .init(
        text: "\(mac) not connected any more on \(adapter.escaped()): \(reason.escaped(limit: 300)); \(Figures.count(chunks, "chunk")) came\(next)",
        weight: reason == "stopped" ? .news : .problem)
    case .chunk, .standing: return nil
    case .gap(let mac, _, let missing):
      return .init(text: "\(mac) GAP: at least \(Figures.count(missing, "chunk")) never came", weight: .problem, outcome: .failed)
    case .malformed(let mac, _): return .init(text: "\(mac) sent a notification without a chunk: correct its firmware", weight: .problem)
    case .full(let mac, _, let isLost):
      let what = isLost ? "THE QUEUE IS FULL: a chunk is lost, the board is stopped" : "THE QUEUE IS NEARLY FULL: the board is stopped and keeps its chunks"
      return .init(text: "\(mac) \(what); raise [cloud] queue_limit, or see why nothing is uploaded", weight: .fault, outcome: .error)
    case .refused(let mac, let reason): return .init(text: "\(mac) is not observed: \(reason.escaped(limit: 500))", weight: .problem, outcome: .failed)
    case .upload(let upload): return line(upload, tally)
    case .draining:
      return tally.sendable == 0 ? nil : .init(text: "no board is observed any more; \(waiting(tally.sendable)) for the upload", weight: .news)
    case .fault(let code, let message):
      return .init(text: "\(message.escaped(limit: 400)): \(FailureRule.of(code).remedy) [\(code.rawValue)]", weight: .fault, outcome: .error)
    case .finished: return nil
    }
  }

  private static func line(_ upload: UploadEvent, _ tally: ObserveTally) -> EventText.Line? {
    func name(_ lane: LaneID) -> String { tally.board(of: lane).map { $0.mac.description } ?? "\(lane)" }
    switch upload {
    case .uploaded, .drained: return nil
    case .waiting(let lane, let pause, let reason):
      return .init(text: "\(name(lane)) upload waits \(Int(pause.seconds.rounded(.up))) s: \(reason.escaped(limit: 300))", weight: .problem)
    case .held(let lane, let reason): return .init(text: "\(name(lane)) UPLOAD HELD: \(reason.escaped(limit: 400))", weight: .problem, outcome: .failed)
    case .rejected(let lane, let status):
      return .init(text: "\(name(lane)) the server does not take a chunk (status \(status)): it is set aside in the queue", weight: .problem, outcome: .failed)
    case .failed(let error): return .init(text: "the queue failed: \(error.description.escaped(limit: 400))", weight: .fault, outcome: .error)
    }
  }

  static func waiting(_ count: Int) -> String { "\(Figures.count(count, "chunk")) wait\(count == 1 ? "s" : "")" }

  // MARK: the last lines

  /// What became of everything, and what is left to do.
  static func summary(_ tally: ObserveTally, queue: String, isUploadOnly: Bool) -> [String] {
    var lines: [String] = []
    let observed = tally.boards.filter(\.wasObserved).count
    if !isUploadOnly {
      lines.append(
        observed == 0 && tally.unobserved.isEmpty
          ? "no board with diagnostics was in range"
          : "\(Figures.count(observed, "board")) observed, \(Figures.count(tally.received, "chunk")) received, \(tally.uploaded) uploaded")
    } else {
      lines.append(tally.uploaded == 0 && tally.pending == 0 ? "nothing waited for an upload" : "\(Figures.count(tally.uploaded, "chunk")) uploaded")
    }
    for board in tally.boards {
      let parts = [
        ("received", board.received), ("uploaded", board.uploaded), ("waiting", board.pending), ("never came", board.missing), ("lost", board.dropped),
        ("without a chunk", board.malformed), ("not taken by the server", board.rejected),
      ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
      let name = board.deviceID.map { " (\($0.escaped(limit: 64)))" } ?? ""
      lines.append("  \(board.mac)\(name): \(parts.isEmpty ? "nothing" : parts.joined(separator: ", "))")
      if case .out(let reason) = board.state { lines.append("    not observed: \(reason.escaped(limit: 500))") }
      if !board.wasObserved, board.state == .unseen, tally.wanted.contains(board.mac) {
        lines.append("    not heard: check its power and distance, and that nothing else is connected to it")
      }
      if let held = board.held { lines.append("    upload held: \(held.escaped(limit: 400))") }
    }
    if tally.pending > 0 {
      lines.append(
        "\(waiting(tally.pending)) in \(queue.escaped(limit: 4096)): flashline observe --upload-only goes on with \(tally.pending == 1 ? "it" : "them")")
    }
    return lines
  }
}
