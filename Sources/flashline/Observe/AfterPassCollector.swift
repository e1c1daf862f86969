import Bluetooth
import Cloud
import Flashing
import Reactor
import Station

/// Takes the diagnostics of boards that have passed into the queue; their upload is left to `observe`.
///
/// The queue is opened when the first board has passed. A queue that another process has is told with each board, and changes no result.
actor AfterPassCollector: DiagnosticCollector {
  /// For the board to be heard after its flashing link: it is back in its application.
  private static let hearing = Duration.seconds(15)

  private let cloud: CloudRules
  private let central: any Central
  private let connectLimit: Duration
  private let time: Timekeeper
  private var queue: ChunkQueue?
  private var opening: Task<Result<ChunkQueue, ChunkQueueError>, Never>?

  /// Whether a profile of the job asks for it; to be asked before anything is opened. Throws when it cannot work: no host that chunks may go to, or core
  /// files that cannot be switched off.
  static func isWanted(_ order: JobOrder, _ configuration: StationConfiguration) throws(ProgramError) -> Bool {
    guard let profile = order.kinds.map(\.profile).first(where: { $0.observe.afterPass > .zero }) else { return false }
    guard !configuration.cloud.allowedHosts.isEmpty else {
      throw .usage(
        "\(profile.file.escaped(limit: 4096)): [observe] after_pass is set, and no host is allowed to get diagnostics",
        "write [cloud] allowed_hosts = HOST in station.conf, or after_pass = 0s")
    }
    // A board's key goes through memory.
    try MemoryDumps.forbid()
    return true
  }

  init(_ configuration: StationConfiguration, central: any Central, time: Timekeeper) {
    cloud = configuration.cloud
    connectLimit = configuration.limits.connectTimeout
    self.central = central
    self.time = time
  }

  func collect(
    from board: BluetoothAddress, on adapter: LineAdapter, _ handle: AdapterHandle, pairing: PairingMethod?, for length: Duration
  ) async -> DiagnosticCollection {
    let queue: ChunkQueue
    do throws(ChunkQueueError) { queue = try await open() } catch { return DiagnosticCollection(trouble: error.description) }
    guard await !queue.isNearlyFull() else {
      return DiagnosticCollection(trouble: "the queue is nearly full: see why nothing is uploaded (flashline observe --upload-only)")
    }
    guard await hear(board, on: handle) else {
      return DiagnosticCollection(trouble: Task.isCancelled ? "stopped" : "it was not heard for \(Int(Self.hearing.seconds)) s: check its power and distance")
    }
    let account = CollectionAccount()
    let ports = VisitPorts(
      central: central, queue: queue, hosts: AllowedHosts(cloud.allowedHosts), tell: { event in account.note(event) }, time: time)
    // Bonds do not outlive their attempt: this board's is gone, and it was heard afresh.
    let visit = BoardVisit(
      board: board, adapter: adapter, handle: handle, pairing: pairing, isFresh: true, others: [handle], connectLimit: connectLimit, ports: ports,
      fail: { account.trouble($0) })
    let ending = await withTaskGroup(of: ObserveBook.Ending?.self) { group in
      let time = time
      group.addTask { await visit.run(Latch()) }
      group.addTask {
        try? await time.sleep(length)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      guard first == nil else { return first }
      for await late in group { if let late { return late } }
      return nil
    }
    return account.collection(ending)
  }

  func close() async { await queue?.close() }

  private func open() async throws(ChunkQueueError) -> ChunkQueue {
    if let queue { return queue }
    let (path, size) = (cloud.queue, cloud.queueLimit)
    let running =
      opening
      ?? Task {
        var limits = ChunkQueue.Limits()
        limits.bytes = size
        do throws(ChunkQueueError) { return .success(try await ChunkQueue(path: path, limits: limits)) } catch { return .failure(error) }
      }
    // Several workers may come here at once: they share one opening.
    opening = running
    let outcome = await running.value
    opening = nil
    let opened = try outcome.get()
    queue = opened
    return opened
  }

  /// The stack may have forgotten the board, and a board that is not back must not be waited for in a connection.
  private func hear(_ board: BluetoothAddress, on handle: AdapterHandle) async -> Bool {
    let (central, time) = (central, time)
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          for try await heard in central.discover(on: handle) where heard.address == board { return true }
        } catch {}
        return false
      }
      group.addTask {
        try? await time.sleep(Self.hearing)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
