import Bluetooth
import Cloud
import Flashing
import Station

/// Puts the chunks of one stream into the queue, and keeps account of what could not be.
actor ChunkKeeper {
  /// How often a chunk is offered to a queue whose disk is full or busy, and how long between: meanwhile the board waits (`StreamFlow`).
  private static let tries = 10
  private static let pause = Duration.seconds(1)

  struct Account: Sendable {
    /// On the disk.
    var kept = 0
    /// The queue has no room any more, or nearly none.
    var isFull = false
    /// Why the queue cannot be written; the chunks since then are lost.
    var failure: String?
  }

  private let board: BluetoothAddress
  private let adapter: String
  private let lane: LaneID
  private let ports: VisitPorts
  private var account = Account()
  /// Lost chunks that are not in the queue's count yet.
  private var unrecorded = 0

  init(board: BluetoothAddress, adapter: String, deviceID: String, destination: ChunkDestination, _ ports: VisitPorts) async throws(ChunkQueueError) {
    self.board = board
    self.adapter = adapter
    self.ports = ports
    lane = try await ports.queue.open(DiagnosticSource(board: board, deviceID: deviceID, destination: destination))
    ports.tell(.standing(try await ports.queue.status()))
  }

  /// Returns when the chunk is safe, or counted as lost.
  func keep(_ received: DiagnosticStream.Received) async -> DiagnosticStream.Demand {
    let missing = received.reading.missing
    if missing > 0 {
      unrecorded += missing
      ports.tell(.gap(board, adapter: adapter, missing: missing))
    }
    guard case .malformed = received.reading else { return await store(received) }
    ports.tell(.malformed(board, adapter: adapter))
    return account.failure == nil ? .more : .enough
  }

  private func store(_ received: DiagnosticStream.Received) async -> DiagnosticStream.Demand {
    let number: Int =
      switch received.reading {
      case .next(let number), .gap(_, let number): number
      case .malformed: 0
      }
    do throws(ChunkQueueError) {
      let appended = try await patiently { queue, lane throws(ChunkQueueError) in try await queue.append(received.chunk, number: number, to: lane) }
      switch appended {
      case .stored:
        account.kept += 1
        ports.tell(.chunk(board, adapter: adapter, number: number, bytes: received.chunk.count))
        guard await ports.queue.isNearlyFull() else { return .more }
        if !account.isFull { ports.tell(.full(board, adapter: adapter, isLost: false)) }
        account.isFull = true
        return .enough
      case .full:
        account.isFull = true
        ports.tell(.full(board, adapter: adapter, isLost: true))
        return .enough
      }
    } catch {
      account.failure = account.failure ?? error.description
      unrecorded += 1
      ports.tell(.full(board, adapter: adapter, isLost: true))
      return .enough
    }
  }

  /// Does something with the queue, after what was lost before it was recorded; waits a while for a disk that is full.
  private func patiently<Value: Sendable>(
    _ body: (ChunkQueue, LaneID) async throws(ChunkQueueError) -> Value
  ) async throws(ChunkQueueError) -> Value {
    var tries = 0
    while true {
      do throws(ChunkQueueError) {
        if unrecorded > 0 {
          try await ports.queue.recordGap(unrecorded, on: lane)
          unrecorded = 0
        }
        return try await body(ports.queue, lane)
      } catch {
        tries += 1
        // Once it has failed for good, what still comes is only counted.
        guard error.mayPass, account.failure == nil, tries < Self.tries else { throw error }
        try? await ports.time.sleep(Self.pause)
      }
    }
  }

  /// The end of the stream: what was lost is recorded, where that is possible.
  func close() async -> Account {
    if unrecorded > 0 {
      do throws(ChunkQueueError) {
        try await ports.queue.recordGap(unrecorded, on: lane)
      } catch {
        account.failure = account.failure ?? error.description
      }
    }
    return account
  }
}
