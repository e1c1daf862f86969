import BlueZ
import Bluetooth
import Flashing
import Locks
import Reactor
import Station
import Synchronization

/// `scan`: which boards are in radio range, in one mode.
struct ScanCommand {
  let seconds: Int
  let mode: BoardMode
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let (profiles, complaints) = Self.profiles(in: configuration.profiles)
    let (console, seconds, mode) = (loop.console, seconds, mode)
    for complaint in complaints { console.problem("this profile is left out: \(complaint)") }
    return loop.run { stop in
      do throws(ProgramError) {
        let stack = try await RadioStack.open(on: RadioStack.makeReactor())
        let adapters = await stack.adapters(configuration.adapters, limit: AdaptersCommand.limit)
        let usable = adapters.filter(\.isUsable)
        guard !usable.isEmpty else {
          await stack.close()
          throw AdapterReport(adapters: adapters).noneUsable
        }
        if !console.isQuiet { console.people.write("listening for \(seconds) s on \(usable.map { $0.label.escaped() }.joined(separator: ", "))") }
        let began = ContinuousClock.now
        let log = await Self.listen(on: usable, stack, seconds, since: began, console)
        let heardUntil = ContinuousClock.now - began
        await stack.close()
        let report = ScanReport(log: log, admission: Admission(profiles: profiles, modes: [mode]), mode: mode, at: heardUntil)
        if console.isJSON { console.document(report.json) } else { console.say(report.lines) }
        return stop.isStopping ? ExitStatus.stopped : ExitStatus.good
      } catch {
        console.problem(error)
        return error.exit
      }
    }
  }

  /// Listens on all adapters at once until the time is over or the operator stops it.
  private static func listen(
    on adapters: [LineAdapter], _ stack: RadioStack, _ seconds: Int, since began: ContinuousClock.Instant, _ console: Console
  ) async -> ScanLog {
    let log = Shared(Locked(ScanLog()))
    await withTaskGroup(of: Void.self) { group in
      for adapter in adapters {
        group.addTask { await listen(on: adapter, stack, log, since: began, console) }
      }
      group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
      // The time is over, or the task was cancelled; an adapter that fails early does not end the others.
      var running = adapters.count + 1
      let end = ContinuousClock.now + .seconds(seconds)
      while running > 0, ContinuousClock.now < end, !Task.isCancelled {
        await group.next()
        running -= 1
      }
      group.cancelAll()
    }
    return log.value.withLock { $0 }
  }

  private static func listen(
    on adapter: LineAdapter, _ stack: RadioStack, _ log: Shared<Locked<ScanLog>>, since began: ContinuousClock.Instant, _ console: Console
  ) async {
    guard let handle = adapter.handle else { return }
    do {
      try await stack.central.prepare(handle, radio: .kernel)
      for try await advertisement in stack.central.discover(on: handle) {
        log.value.withLock { $0.note(advertisement, on: adapter.label, at: ContinuousClock.now - began) }
      }
    } catch {
      if !Task.isCancelled { console.problem("adapter \(adapter.label.escaped()) cannot listen (\("\(error)".escaped(limit: 200))): plug it in again") }
    }
  }

  /// All profiles that can be read; what is wrong with the others.
  private static func profiles(in folder: String) -> (profiles: [BoardProfile], complaints: [String]) {
    var profiles: [BoardProfile] = []
    var complaints: [String] = []
    for path in FolderList.files(in: folder, suffix: ".profile") {
      do throws(ConfigurationError) { profiles.append(try BoardProfile(path: path)) } catch { complaints.append(error.description) }
    }
    return (profiles, complaints)
  }
}
