import Bluetooth
import Cloud
import Station

/// What is known of every board that is observed or has chunks in the queue: for the screen, the last lines, `observe.finished` and the exit code.
struct ObserveTally {
  /// Boards whose figures are kept; the queue's own lanes come first.
  static let boardLimit = 1024

  struct Board: Hashable {
    enum State: Hashable {
      /// Not heard yet in this run, or only its chunks are there.
      case unseen
      case connected(adapter: String)
      /// Between two links.
      case away
      /// Left alone: why.
      case out(String)
    }

    var mac: BluetoothAddress
    var deviceID: String?
    var state = State.unseen
    /// A stream of it was open in this run.
    var wasObserved = false
    /// Of this run.
    var received = 0
    var uploaded = 0
    var missing = 0
    /// Chunks that came while the queue was full, or that could not be kept.
    var dropped = 0
    var malformed = 0
    var rejected = 0
    /// What waits in the queue, from earlier runs, too.
    var pending = 0
    /// Why its upload does not go on by itself.
    var held: String?
    /// Why its upload waits now.
    var waiting: String?
  }

  private(set) var boards: [Board] = []
  private var places: [BluetoothAddress: Int] = [:]
  private var lanes: [LaneID: BluetoothAddress] = [:]
  /// Lanes that were held in this run, with the reason.
  private(set) var held: [LaneID: String] = [:]
  private(set) var pendingByLane: [LaneID: Int] = [:]
  private(set) var fault: String?
  private(set) var wanted: [BluetoothAddress] = []
  private(set) var isDraining = false
  private(set) var startedAt: Int64?

  var pending: Int { pendingByLane.values.reduce(0, +) }
  /// Waiting chunks that the uploader still tries to send.
  var sendable: Int { pendingByLane.reduce(0) { $0 + (held[$1.key] == nil ? $1.value : 0) } }
  var received: Int { boards.reduce(0) { $0 + $1.received } }
  var uploaded: Int { boards.reduce(0) { $0 + $1.uploaded } }

  func board(_ mac: BluetoothAddress) -> Board? { places[mac].map { boards[$0] } }
  func board(of lane: LaneID) -> Board? { lanes[lane].flatMap { board($0) } }

  mutating func apply(_ event: ObserveEvent, at time: Int64) {
    switch event {
    case .started(_, _, _, let boards):
      startedAt = time
      wanted = boards
      for mac in boards { change(mac) { _ in } }
    case .connected(let mac, let adapter, let deviceID, _):
      change(mac) { board in
        board.state = .connected(adapter: adapter)
        board.deviceID = deviceID
        board.wasObserved = true
      }
    case .disconnected(let mac, _, _, _, let again):
      change(mac) { if again != nil { $0.state = .away } }
    case .chunk(let mac, _, _, _): change(mac) { $0.received += 1 }
    case .gap(let mac, _, let missing): change(mac) { $0.missing += missing }
    case .malformed(let mac, _): change(mac) { $0.malformed += 1 }
    case .full(let mac, _, let isLost):
      if isLost {
        change(mac) { board in
          board.received += 1
          board.dropped += 1
        }
      }
    case .refused(let mac, let reason): change(mac) { $0.state = .out(reason) }
    case .upload(let upload): apply(upload)
    case .standing(let status): apply(status)
    case .draining: isDraining = true
    case .fault(_, let message): fault = fault ?? message
    case .adapterAdded, .adapterRemoved, .adapterHealing, .finished: break
    }
  }

  private mutating func apply(_ upload: UploadEvent) {
    switch upload {
    case .uploaded(let lane, let chunks):
      held[lane] = nil
      change(lane) { board in
        board.uploaded += chunks
        board.waiting = nil
      }
    case .waiting(let lane, _, let reason): change(lane) { $0.waiting = reason }
    case .held(let lane, let reason):
      held[lane] = reason
      change(lane) { board in
        board.held = reason
        board.waiting = nil
      }
    case .rejected(let lane, _): change(lane) { $0.rejected += 1 }
    case .failed(let error): fault = fault ?? error.description
    case .drained: break
    }
  }

  private mutating func apply(_ status: [LaneStatus]) {
    pendingByLane = [:]
    var sums: [BluetoothAddress: Int] = [:]
    for lane in status {
      lanes[lane.lane] = lane.board
      pendingByLane[lane.lane] = lane.pending
      sums[lane.board, default: 0] += lane.pending
      // Boards of earlier runs are shown while something of theirs waits.
      guard lane.pending > 0 || places[lane.board] != nil else { continue }
      change(lane.board) { $0.deviceID = $0.deviceID ?? lane.deviceID }
    }
    for index in boards.indices {
      boards[index].pending = sums[boards[index].mac] ?? 0
      if !status.contains(where: { $0.board == boards[index].mac && held[$0.lane] != nil }) { boards[index].held = nil }
    }
  }

  private mutating func change(_ lane: LaneID, _ body: (inout Board) -> Void) {
    if let mac = lanes[lane] { change(mac, body) }
  }

  private mutating func change(_ mac: BluetoothAddress, _ body: (inout Board) -> Void) {
    if places[mac] == nil {
      guard boards.count < Self.boardLimit else { return }
      places[mac] = boards.count
      boards.append(Board(mac: mac))
    }
    if let place = places[mac] { body(&boards[place]) }
  }

  // MARK: the end

  /// Boards that were asked for, or found, and of which no stream was ever open.
  var unobserved: [Board] {
    boards.filter { board in
      guard !board.wasObserved else { return false }
      if case .out = board.state { return true }
      return wanted.contains(board.mac)
    }
  }

  /// The exit code of contract §1; what applies first.
  func exit(isStopped: Bool, hasFault: Bool) -> Int32 {
    if isStopped { return ExitStatus.stopped }
    if hasFault { return ExitStatus.fault }
    let isLossy = boards.contains { $0.missing + $0.dropped + $0.malformed + $0.rejected > 0 }
    let isLeft = boards.contains { if case .out = $0.state { true } else { false } }
    return isLossy || isLeft || !unobserved.isEmpty || pending > 0 ? ExitStatus.notGood : ExitStatus.good
  }
}
