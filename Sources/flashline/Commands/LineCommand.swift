import Flashing
import Glibc
import Station
import VirtualLine

/// `line`: the virtual line as a process of its own, until it is stopped.
struct LineCommand {
  let request: LineRequest
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    var options = LineOptions(state: request.state ?? Self.defaultState)
    options.adapters = request.adapters
    options.boards = request.boards
    options.kind = request.kind
    options.stranded = request.stranded
    options.faults = request.faults
    options.timeScale = request.timeScale
    options.seed = request.seed
    options.places = request.places
    options.diesWithParent = ParentBond.isWanted
    let (chosen, console) = (options, loop.console)
    // The line takes its signals itself.
    return loop.runToEnd {
      do throws(LineError) {
        try await VirtualLine.run(chosen) { environment in Self.announce(chosen, environment, console) }
        return ExitStatus.good
      } catch {
        switch error {
        case .usage(let text): console.problem("\(text)")
        case .faultsFile(let path, let reason): console.problem("\(path.escaped(limit: 4096)): \(reason): correct the faults file")
        case .environment(let text): console.problem(text)
        }
        if case .environment = error { return ExitStatus.fault }
        return ExitStatus.usage
      }
    }
  }

  /// The process number stays the same when the line starts itself again.
  private static var defaultState: String {
    (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/flashline-line-\(getpid())"
  }

  private static func announce(_ options: LineOptions, _ environment: String, _ console: Console) {
    if console.isJSON {
      console.document(
        .object([
          .init("event", .text("line.ready")), .init("time", .text(Timestamp.text(WallClock.now))), .init("state", .text(options.state)),
          .init("adapters", .of(options.adapters)), .init("boards", .of(options.boards)), .init("stranded", .of(options.stranded)),
        ]))
    }
    let stranded = options.stranded > 0 ? " and \(options.stranded) in their bootloader" : ""
    let boards = Figures.count(options.boards, "board") + stranded
    console.say("# \(Figures.count(options.adapters, "adapter")), \(boards); state in \(options.state.escaped(limit: 4096))")
    console.say("# in another shell, before flashline there:")
    for line in environment.split(separator: "\n") { console.say(String(line)) }
  }
}
