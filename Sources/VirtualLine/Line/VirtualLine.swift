import DBus
import Glibc
import Reactor

/// The virtual line as the program runs it: `flashline line`.
public enum VirtualLine {
  /// How often a changed truth is written.
  static let truthInterval: Duration = .seconds(1)

  /// Runs a line until SIGTERM, SIGINT or SIGHUP (or the parent's end, if asked for).
  ///
  /// The first call does not return: it starts the same program with the same arguments again, under umockdev's preload library. So call it
  /// early, before anything that must not happen twice. All that the line leaves is in its state folder.
  /// - Parameter ready: called when a station can start, with the shell lines of `environment`.
  public static func run(_ options: LineOptions, ready: (String) -> Void) async throws(LineError) {
    try options.check()
    let script = try LineBoards.script(options)
    let folder = try LineFolder(options.state)
    guard let parent = Preload.parent else { throw Preload.restart() }
    let boards = try LineBoards.make(options, script)
    let reactor: Reactor
    do throws(ReactorError) {
      reactor = try Reactor()
    } catch {
      throw .environment(error.description)
    }
    let bus = try await PrivateBus.start(in: folder.path, on: reactor)
    let line = LineHost(options, script: script, boards: boards, address: bus.address, reactor: reactor)
    let result = await work(line, folder, bus.address, options.diesWithParent ? parent : nil, ready)
    await line.stop()
    await bus.stop()
    folder.close()
    try result.get()
  }

  /// Everything between the bus' start and its end.
  ///
  /// - Parameter parent: the line ends within `truthInterval` of this process' end. Looked for, not told by the kernel: its signal would come
  ///   with the end of the thread that started us.
  private static func work(
    _ line: LineHost, _ folder: LineFolder, _ bus: DBusAddress, _ parent: pid_t?, _ ready: (String) -> Void
  ) async -> Result<Void, LineError> {
    let end = Latch()
    do throws(LineError) {
      let signals = try SignalQueue(on: line.reactor) { number in
        // A truth that cannot be written now is written, or complained about, by the next turn of the loop.
        if number == SignalQueue.asking { try? folder.write(line.assumeIsolated { $0.truth() }) } else { end.open() }
      }
      defer { signals.cancel() }
      let testbed = try await line.openTestbed(in: folder.path)
      do throws(DBusError) {
        try await line.start()
      } catch {
        throw LineError.environment("the virtual bluetoothd could not take its name: \(error)")
      }
      try folder.write(await line.truth())
      ready(try folder.writeEnvironment(bus: bus, testbed: testbed))
      try folder.writeReady()
      while !end.isOpen, parent == nil || getppid() == parent {
        await waitOnce(end, line.reactor)
        if let truth = await line.changedTruth() { try folder.write(truth) }
      }
      try folder.write(await line.truth())
      await line.closeTestbed()
      return .success(())
    } catch {
      await line.closeTestbed()
      return .failure(error)
    }
  }

  /// Returns after the interval, or at the end.
  private static func waitOnce(_ end: Latch, _ reactor: Reactor) async {
    await withTaskGroup { group in
      group.addTask { await end.wait() }
      group.addTask { await reactor.sleep(truthInterval) }
      await group.next()
      group.cancelAll()
    }
  }
}
