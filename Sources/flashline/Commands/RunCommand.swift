import Firmware
import Flashing
import Reactor
import Records
import Station

/// `run`, `recover` and `flash`: a job, from the preflight check to the last summary.
struct RunCommand {
  let request: JobRequest
  let job: JobKind
  /// For `flash`; nil takes every admitted board.
  let board: JobPreparation.OneBoard?
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let console = loop.console
    let readsKeys = console.terminal.isInteractive && !console.isJSON && !console.isQuiet
    return loop.run(keys: readsKeys, cancels: false) { stopSwitch in
      do throws(ProgramError) {
        return try await run(configuration, stopSwitch)
      } catch {
        console.closeScreen()
        console.fault(error)
        return error.exit
      }
    }
  }

  /// First everything that can be wrong without touching anything (exit 2), then what the station needs (exit 3), then the job.
  private func run(_ configuration: StationConfiguration, _ stopSwitch: StopSwitch) async throws(ProgramError) -> Int32 {
    let console = loop.console
    let reactor = try RadioStack.makeReactor()
    let time = Timekeeper(ReactorClock(on: reactor), wall: { WallClock.now })
    let releases = ReleasePreparation(request: request, job: job, configuration: configuration, console: console, stopSwitch: stopSwitch)
    let order = try await JobPreparation.order(request, job: job, board: board, configuration, releases: releases)
    let bounds = try JobPreparation.bounds(request, board: board, configuration, patience: patience(order), now: time.now(), wall: time.wall())
    guard let calendar = LocalCalendar(timeZone: configuration.timezone) else {
      throw .usage("this computer does not know the time zone \(configuration.timezone.shown)", "set [station] timezone in station.conf")
    }
    if !console.isQuiet { for warning in order.warnings { console.people.write("warning: \(warning)") } }

    let collects = try AfterPassCollector.isWanted(order, configuration)
    let stack = try await RadioStack.open(on: reactor)
    let store: RecordBook
    do throws(RecordError) {
      let place = RecordPlace(database: configuration.database, reports: configuration.reports, calendar: calendar)
      store = try await RecordBook.open(place, time: time)
    } catch {
      await stack.close()
      throw ProgramError(error)
    }
    // Stopped before anything was begun: no batch is opened.
    guard !stopSwitch.isEnding else {
      await stack.close()
      _ = await close(store)
      return ExitStatus.stopped
    }
    let collector = collects ? AfterPassCollector(configuration, central: stack.central, time: time) : nil
    let tally = TallySink()
    let sinks = SinkGroup(sinks: [tally] + console.eventSinks(configuration.log))
    let ports = StationPorts(source: stack.source, central: stack.central, store: store, events: sinks, time: time, collector: collector)
    let controller = StationController(job: lineJob(order, bounds, configuration), ports: ports)
    stopSwitch.connect(
      StopSwitch.Work(
        pause: { controller.pause() }, resume: { controller.resume() }, drain: { Task { await controller.drain() } },
        stop: { Task { await controller.stop() } }))

    // On the reactor's thread: no hop between the sessions and the bus (facts/swift-on-linux.md §2: half the processor time per call).
    let status = await withTaskExecutorPreference(reactor) { await controller.run() }
    await stack.close()
    console.closeScreen()
    let closed = await close(store)
    await collector?.close()
    console.say(EndSummary(tally: tally.tally, database: configuration.database, reportFolder: configuration.reports).lines)
    return closed || status != ExitStatus.good ? status : ExitStatus.fault
  }

  /// A rescue has nothing to do before the first board counts as stranded; that is no idle time.
  private func patience(_ order: JobOrder) -> Duration {
    job == .rescue ? order.kinds.map(\.profile.rescue.strandedAfter).max() ?? .zero : .zero
  }

  private func lineJob(_ order: JobOrder, _ bounds: BatchBounds, _ configuration: StationConfiguration) -> LineJob {
    LineJob(
      job: job, modes: board != nil ? [.application, .bootloader] : job == .rescue ? [.bootloader] : [.application], stationID: configuration.id,
      toolVersion: ToolVersion.text, database: configuration.database,
      kinds: order.kinds, lot: request.lot, workOrder: request.workOrder, operator: request.operator, bounds: bounds, startsNew: request.startsNew,
      liftsQuarantine: board != nil,
      limits: configuration.limits, adapters: configuration.adapters)
  }

  /// False when the last write failed; the operator is told.
  private func close(_ store: RecordBook) async -> Bool {
    do throws(RecordError) {
      try await store.close()
      return true
    } catch {
      loop.console.problem(ProgramError(error))
      return false
    }
  }
}
