import Bluetooth
import Cloud
import Flashing
import Reactor
import Station

/// What a visit to a board stands on.
struct VisitPorts: Sendable {
  var central: any Central
  var queue: ChunkQueue
  var hosts: AllowedHosts
  /// Hears everything that happens; returns at once.
  var tell: @Sendable (ObserveEvent) -> Void
  var time: Timekeeper
}

/// Observes boards over all usable adapters: each adapter listens and connects, one attempt at a time, and each link has a task of its own.
///
/// Whose turn it is, and what follows when a link ends, is `ObserveBook`'s; this actor holds it. Chunks go into the queue; the upload is nobody's business here.
actor ObserveStation {
  /// How often the end, missing adapters and boards that may be heard again are looked at.
  private static let tick = Duration.milliseconds(200)
  /// After a failure of an adapter or the stack, before the next worker begins.
  static let adapterPause = Duration.seconds(1)
  /// Between two tries to listen on an adapter that other links are on: remedies would end them.
  static let busyPause = Duration.seconds(30)

  enum Signal: Sendable {
    case worker(LineAdapter, AdapterHandle)
    case visit(BoardVisit, connected: Latch)
    case end
  }

  let source: any AdapterSource
  let ports: VisitPorts
  let rules: AdapterRules
  let limits: StationLimits
  private var book: ObserveBook
  private var adapters: [String: LineAdapter] = [:]
  private var workers: Set<String> = []
  private var prepared: [String: AdapterHandle] = [:]
  private var ladders: [String: HealingLadder] = [:]
  /// Adapters that failed too often, until they are plugged in again.
  private var spoilt: Set<String> = []
  /// Boards whose old bond was dropped in this run: an earlier program's is not trusted.
  private var unbonded: Set<BluetoothAddress> = []
  private var stackIsEmpty = true
  private var idleSince: Duration?
  private var isEnded = false
  private var isFull = false
  private(set) var hasFault = false
  private let signals: AsyncStream<Signal>
  private let signal: AsyncStream<Signal>.Continuation

  init(_ book: ObserveBook, rules: AdapterRules, limits: StationLimits, source: any AdapterSource, ports: VisitPorts) {
    self.source = source
    self.book = book
    self.rules = rules
    self.limits = limits
    self.ports = ports
    (signals, signal) = AsyncStream.makeStream()
  }

  /// Observes until every named board is left alone, the station cannot go on, or the task is cancelled; then every board was let go and what it had sent is in
  /// the queue. Call once.
  func run() async {
    idleSince = ports.time.now()
    await withTaskGroup(of: Void.self) { group in
      let watch = AdapterWatch(source: source, central: ports.central, join: AdapterJoin(rules: rules))
      group.addTask { await watch.run { await self.adaptersChanged($0, stackIsEmpty: $1) } }
      group.addTask { await self.keepTime() }
      loop: for await signal in signals {
        switch signal {
        case .worker(let adapter, let handle): group.addTask { await self.work(adapter, handle) }
        case .visit(let visit, let connected):
          group.addTask {
            let ending = await visit.run(connected)
            connected.open()
            await self.ended(visit, ending)
          }
        case .end: break loop
        }
      }
      isEnded = true
      group.cancelAll()
    }
  }

  func fail(_ code: FailureCode, _ message: String) {
    guard !hasFault else { return }
    hasFault = true
    ports.tell(.fault(code, message: message))
    signal.yield(.end)
  }

  // MARK: adapters

  private func adaptersChanged(_ list: [LineAdapter], stackIsEmpty: Bool) {
    self.stackIsEmpty = stackIsEmpty
    let paths = Set(list.map(\.path))
    for (path, adapter) in adapters where !paths.contains(path) {
      adapters[path] = nil
      prepared[path] = nil
      spoilt.remove(path)
      if adapter.isUsable { ports.tell(.adapterRemoved(adapter)) }
    }
    for adapter in list {
      let wasUsable = adapters[adapter.path]?.isUsable == true
      adapters[adapter.path] = adapter
      if adapter.isUsable, !wasUsable { ports.tell(.adapterAdded(adapter)) }
      if !adapter.isUsable {
        prepared[adapter.path] = nil
        if wasUsable { ports.tell(.adapterRemoved(adapter)) }
      }
    }
    startWorkers()
  }

  private func startWorkers() {
    let usable = adapters.values.filter { $0.isUsable && !spoilt.contains($0.path) }
    idleSince = usable.isEmpty ? idleSince ?? ports.time.now() : nil
    guard !isEnded else { return }
    for adapter in usable.sorted(by: { $0.path < $1.path }) {
      guard let handle = adapter.handle, workers.insert(adapter.path).inserted else { continue }
      signal.yield(.worker(adapter, handle))
    }
  }

  private func workerEnded(_ path: String) {
    workers.remove(path)
    startWorkers()
  }

  private func keepTime() async {
    while !Task.isCancelled {
      if book.isOver { signal.yield(.end) }
      // Then no board is connected, until the upload has made room.
      isFull = await ports.queue.isNearlyFull()
      checkAdapters()
      do { try await ports.time.sleep(Self.tick) } catch { return }
    }
  }

  private func checkAdapters() {
    guard let since = idleSince else { return }
    let isBus = stackIsEmpty && adapters.values.contains { $0.hardware.usbPath != nil }
    let limit = isBus ? limits.busTimeout : limits.adapterTimeout
    guard ports.time.now() - since >= limit else { return }
    fail(
      isBus ? .busGone : .adapterRemoved,
      isBus
        ? "bluetoothd does not answer (waited \(DurationText.text(limit)))"
        : "there is no usable Bluetooth adapter (waited \(DurationText.text(limit)))")
  }

  // MARK: one worker an adapter

  /// What listening came to.
  private enum Found {
    case board(BluetoothAddress, PairingMethod?)
    case nothing
    /// The adapter, or the whole stack, is away.
    case gone
    case failed(String)
  }

  private func work(_ adapter: LineAdapter, _ handle: AdapterHandle) async {
    defer { workerEnded(adapter.path) }
    while !Task.isCancelled, !isEnded {
      guard book.isLooking(ports.time.now()), !isFull, book.links(on: adapter.path) < book.limits.linksPerAdapter else {
        do { try await ports.time.sleep(Self.tick) } catch { return }
        continue
      }
      switch await listen(adapter, handle) {
      case .board(let board, let pairing):
        ladders[adapter.path]?.works()
        let connected = Latch()
        let visit = BoardVisit(
          board: board, adapter: adapter, handle: handle, pairing: pairing, isFresh: pairing == nil || !unbonded.insert(board).inserted,
          others: adapters.values.compactMap(\.handle), connectLimit: limits.connectTimeout, ports: ports, fail: { await self.fail(.diskFailed, $0) })
        signal.yield(.visit(visit, connected: connected))
        // One attempt at a time, and no listening meanwhile.
        await connected.wait()
      case .nothing: break
      case .gone:
        // The watch takes a moment to notice; without the pause the next worker would begin at once and fail again.
        prepared[adapter.path] = nil
        try? await ports.time.sleep(Self.adapterPause)
        return
      case .failed(let words):
        guard let pause = await heal(adapter, handle, because: words) else { return }
        do { try await ports.time.sleep(pause) } catch { return }
      }
    }
  }

  private func listen(_ adapter: LineAdapter, _ handle: AdapterHandle) async -> Found {
    do {
      if prepared[adapter.path] != handle || (ladders[adapter.path]?.isFailing == true && book.links(on: adapter.path) == 0) {
        try await ports.central.prepare(handle, radio: rules.radio)
        prepared[adapter.path] = handle
      }
      for try await heard in ports.central.discover(on: handle) {
        switch hear(heard, adapter) {
        case .take(let pairing): return .board(heard.address, pairing)
        case .refuse(let reason): ports.tell(.refused(heard.address, reason: reason))
        case .nothing: break
        }
        guard !isEnded, !isFull, book.isLooking(ports.time.now()) else { return .nothing }
      }
      return Task.isCancelled ? .nothing : .failed("listening ended by itself")
    } catch CentralError.adapterGone, CentralError.stackGone {
      return .gone
    } catch {
      return Task.isCancelled ? .nothing : .failed("it cannot listen (\(error))")
    }
  }

  private func hear(_ advertisement: Advertisement, _ adapter: LineAdapter) -> ObserveBook.Verdict {
    guard !isEnded, !isFull else { return .nothing }
    let fewest = adapters.values.filter(\.isUsable).map { book.links(on: $0.path) }.min() ?? 0
    return book.heard(advertisement, on: adapter.path, fewest: fewest, now: ports.time.now())
  }

  /// One step for an adapter that failed; how long to wait then, or nil when it is given up.
  private func heal(_ adapter: LineAdapter, _ handle: AdapterHandle, because words: String) async -> Duration? {
    guard book.links(on: adapter.path) == 0 else { return Self.busyPause }
    switch ladders[adapter.path, default: HealingLadder()].failed(at: ports.time.now()) {
    case .wait(let pause): return pause
    case .giveUp:
      spoilt.insert(adapter.path)
      ports.tell(.adapterRemoved(adapter))
      return nil
    case .remedy(let remedy):
      var obstacle: String?
      do {
        if remedy == .reauthorise {
          try await source.reauthorise(usbPath: adapter.path)
        } else {
          try await ports.central.heal(handle, by: remedy)
        }
      } catch {
        obstacle = (error as? AdapterSourceError)?.words ?? "\(error)"
      }
      ports.tell(.adapterHealing(adapter, remedy, because: words, obstacle: obstacle))
      return Self.adapterPause
    }
  }

  // MARK: the end of a visit

  private func ended(_ visit: BoardVisit, _ ending: ObserveBook.Ending) {
    let next = book.ended(visit.board, ending, now: ports.time.now())
    let again: Duration? = if case .again(let pause) = next, !isEnded { pause } else { nil }
    switch ending {
    case .forgotten: break
    case .observed(let end, _, let chunks): tell(visit, ObserveBook.words(end), chunks, again)
    case .failed(let failure): if again != nil { tell(visit, failure.description, 0, again) }
    case .full: tell(visit, "the queue is full", 0, again)
    case .refused: break
    case .broken: if !isEnded { tell(visit, "the queue failed", 0, again) }
    }
    if case .out(let reason) = next { ports.tell(.refused(visit.board, reason: reason)) }
  }

  private func tell(_ visit: BoardVisit, _ reason: String, _ chunks: Int, _ again: Duration?) {
    ports.tell(.disconnected(visit.board, adapter: visit.adapter.label, reason: reason, chunks: chunks, again: again))
  }
}
