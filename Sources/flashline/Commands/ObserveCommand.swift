import Bluetooth
import Cloud
import Flashing
import Reactor
import Records
import Station

/// `observe`: carries boards' diagnostics into the queue, and the queue's chunks to the cloud.
///
/// While boards are observed it holds the lock of the station's database, as a job does, so that it is never on a link or an adapter that is flashing. What
/// waits is uploaded meanwhile and afterwards, without the lock.
struct ObserveCommand {
  let request: ObserveRequest
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    var profiles: [BoardProfile] = []
    for asked in request.profiles { profiles.append(try JobPreparation.profile(asked, configuration)) }
    guard !configuration.cloud.allowedHosts.isEmpty else {
      throw .usage("no host is allowed to get diagnostics", "write [cloud] allowed_hosts = HOST in station.conf")
    }
    let length = try length(configuration)
    try MemoryDumps.forbid()
    let console = loop.console
    let (request, book) = (request, ObserveBook(wanted: Set(request.boards), profiles: profiles, pairing: request.pairing))
    let readsKeys = console.terminal.isInteractive && !console.isJSON && !console.isQuiet
    return loop.run(keys: readsKeys, cancels: false, pauses: false, words: ObserveTable.words) { stopSwitch in
      do throws(ProgramError) {
        return try await ObserveRun(request: request, configuration: configuration, length: length, console: console, stopSwitch: stopSwitch).run(book)
      } catch {
        console.closeScreen()
        console.fault(error)
        return error.exit
      }
    }
  }

  /// How long boards are observed; nil is without an end.
  private func length(_ configuration: StationConfiguration) throws(ProgramError) -> Duration? {
    if let seconds = request.seconds { return .seconds(seconds) }
    guard let until = request.until else { return nil }
    guard let local = LocalTime(zone: configuration.timezone), let wait = until.wait(from: WallClock.now, in: local) else {
      throw .usage("--until cannot be reckoned in the time zone \(configuration.timezone.shown)", "set [station] timezone in station.conf")
    }
    return wait
  }
}

/// One run of `observe`, from the locks to the last lines.
struct ObserveRun: Sendable {
  /// Between two looks at how the queue stands: while boards are observed, and when only the upload is waited for.
  private static let look = Duration.milliseconds(500)
  private static let drainLook = Duration.milliseconds(100)

  let request: ObserveRequest
  let configuration: StationConfiguration
  let length: Duration?
  let console: Console
  let stopSwitch: StopSwitch

  /// What ends the parts of a run: each opens once.
  private struct Ends: Sendable {
    /// No board is observed any more.
    let observing = Latch()
    /// Nothing is done any more.
    let all = Latch()
    /// The station could not go on.
    let fault = Latch()
  }

  func run(_ book: ObserveBook) async throws(ProgramError) -> Int32 {
    var lock = request.isUploadOnly ? nil : try RecordsAccess.jobLock(configuration)
    let reactor = try RadioStack.makeReactor()
    var stack: RadioStack?
    if !request.isUploadOnly { stack = try await openStack(reactor) }
    let queue: ChunkQueue
    do throws(ProgramError) {
      queue = try await openQueue()
    } catch {
      await stack?.close()
      throw error
    }
    let sink = ObserveSink(console, configuration.log)
    let ends = Ends()
    stopSwitch.connect(
      StopSwitch.Work(
        drain: { ends.observing.open() },
        stop: {
          ends.observing.open()
          ends.all.open()
        }))
    sink.emit(.started(station: configuration.id, queue: configuration.cloud.queue, isUploadOnly: request.isUploadOnly, boards: request.boards))
    await look(at: queue, sink)
    let hosts = AllowedHosts(configuration.cloud.allowedHosts)
    let reason = await withTaskGroup(of: Void.self) { group in
      group.addTask { await upload(queue, hosts, sink, ends) }
      group.addTask { await watch(queue, sink, reactor) }
      var reason = ObserveEvent.EndReason.drained
      if let opened = stack {
        let time = Timekeeper(ReactorClock(on: reactor), wall: { WallClock.now })
        let ports = VisitPorts(central: opened.central, queue: queue, hosts: hosts, tell: { sink.emit($0) }, time: time)
        let station = ObserveStation(book, rules: configuration.adapters, limits: configuration.limits, source: opened.source, ports: ports)
        reason = await withTaskExecutorPreference(reactor) { await observe(station, ends, reactor) }
        await opened.close()
        stack = nil
        // From here on a job may begin.
        lock = nil
        await look(at: queue, sink)
        if !ends.all.isOpen { sink.emit(.draining) }
      }
      await drain(queue, sink, ends, reactor)
      group.cancelAll()
      return reason
    }
    withExtendedLifetime(lock) {}
    return await finish(queue, sink, ends, reason)
  }

  private func finish(_ queue: ChunkQueue, _ sink: ObserveSink, _ ends: Ends, _ observed: ObserveEvent.EndReason) async -> Int32 {
    await look(at: queue, sink)
    await queue.close()
    let (tally, hasFault) = (sink.tally, ends.fault.isOpen)
    let exit = tally.exit(isStopped: stopSwitch.isStopping, hasFault: hasFault)
    sink.emit(.finished(reason: stopSwitch.isStopping ? .operator : hasFault ? .fault : observed, exit: exit))
    console.closeScreen()
    for line in ObserveText.summary(tally, queue: configuration.cloud.queue, isUploadOnly: request.isUploadOnly) { console.people.write(line) }
    return exit
  }

  // MARK: opening

  private func openStack(_ reactor: Reactor) async throws(ProgramError) -> RadioStack {
    let stack = try await RadioStack.open(on: reactor)
    let adapters = await stack.adapters(configuration.adapters, limit: AdaptersCommand.limit)
    guard adapters.contains(where: \.isUsable) else {
      await stack.close()
      throw AdapterReport(adapters: adapters).noneUsable
    }
    return stack
  }

  private func openQueue() async throws(ProgramError) -> ChunkQueue {
    var limits = ChunkQueue.Limits()
    limits.bytes = configuration.cloud.queueLimit
    do throws(ChunkQueueError) {
      return try await ChunkQueue(path: configuration.cloud.queue, limits: limits)
    } catch {
      let code: FailureCode = if case .inUse = error { .stationBusy } else { .diskFailed }
      throw ProgramError(exit: ExitStatus.fault, text: "\(error.description) [\(code.rawValue)]", code: code)
    }
  }

  // MARK: observing

  /// Until the time is over, the boards are done, or somebody wants an end.
  private func observe(_ station: ObserveStation, _ ends: Ends, _ reactor: Reactor) async -> ObserveEvent.EndReason {
    let reason = await withTaskGroup(of: ObserveEvent.EndReason.self) { group in
      group.addTask {
        await station.run()
        return .boards
      }
      group.addTask {
        await ends.observing.wait()
        return .operator
      }
      if let length {
        group.addTask {
          await reactor.sleep(length)
          return .time
        }
      }
      let first = await group.next() ?? .boards
      group.cancelAll()
      for await _ in group {}
      return first
    }
    guard await station.hasFault else { return reason }
    ends.fault.open()
    return .fault
  }

  // MARK: uploading

  private func upload(_ queue: ChunkQueue, _ hosts: AllowedHosts, _ sink: ObserveSink, _ ends: Ends) async {
    await ChunkUploader(queue: queue, hosts: hosts).run(until: false) { event in
      sink.emit(.upload(event))
      if case .failed = event { ends.fault.open() }
    }
    // It only returns by itself when the queue has failed.
    guard ends.fault.isOpen else { return }
    ends.observing.open()
    ends.all.open()
  }

  /// Until nothing is left that could be sent, or somebody wants an end. The uploader is not stopped in the middle of a request that is answered in time.
  private func drain(_ queue: ChunkQueue, _ sink: ObserveSink, _ ends: Ends, _ reactor: Reactor) async {
    while !ends.all.isOpen {
      await look(at: queue, sink)
      if sink.tally.sendable == 0 { return }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await ends.all.wait() }
        group.addTask { await reactor.sleep(Self.drainLook) }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private func watch(_ queue: ChunkQueue, _ sink: ObserveSink, _ reactor: Reactor) async {
    while !Task.isCancelled {
      await look(at: queue, sink)
      await reactor.sleep(Self.look)
    }
  }

  /// What cannot be read now is read at the next look; the uploader tells when the queue fails for good.
  private func look(at queue: ChunkQueue, _ sink: ObserveSink) async {
    if let status = try? await queue.status() { sink.emit(.standing(status)) }
  }
}
