import Flashing
import Glibc

/// From the arguments to the exit status.
enum Program {
  static func run(_ arguments: [String]) -> Never {
    ParentBond.tie()
    let invocation: Invocation
    let signals: SignalReader
    do throws(ProgramError) {
      invocation = try Invocation(arguments)
      signals = try SignalReader()
    } catch {
      _ = write(error.line + "\n", to: STDERR_FILENO)
      _exit(error.exit)
    }
    switch invocation.command {
    case .help(let command): _exit(write(HelpText.page(command), to: STDOUT_FILENO) ? ExitStatus.good : ExitStatus.fault)
    case .version: _exit(write("flashline \(ToolVersion.text)\n", to: STDOUT_FILENO) ? ExitStatus.good : ExitStatus.fault)
    default: break
    }
    let console = Console(isJSON: invocation.isJSON, isQuiet: invocation.isQuiet)
    let status: Int32
    do throws(ProgramError) {
      status = try execute(invocation, CommandLoop(signals: signals, console: console))
    } catch {
      console.closeScreen()
      console.problem(error)
      status = error.exit
    }
    console.finish()
    TerminalKeys.restore()
    // Not exit(): threads of ours may still run, and nothing of C's needs an end.
    _exit(status)
  }

  private static func execute(_ invocation: Invocation, _ loop: CommandLoop) throws(ProgramError) -> Int32 {
    switch invocation.command {
    case .help, .version: ExitStatus.good
    case .adapters: try AdaptersCommand(invocation: invocation, loop: loop).execute()
    case .scan(let seconds, let mode): try ScanCommand(seconds: seconds, mode: mode, invocation: invocation, loop: loop).execute()
    case .inspect(let package, let profile): try InspectCommand(package: package, profile: profile, invocation: invocation, loop: loop).execute()
    case .run(let request): try RunCommand(request: request, job: .update, board: nil, invocation: invocation, loop: loop).execute()
    case .recover(let request): try RunCommand(request: request, job: .rescue, board: nil, invocation: invocation, loop: loop).execute()
    case .flash(let address, let unit, let request):
      try RunCommand(request: request, job: .update, board: .init(address: address, unit: unit), invocation: invocation, loop: loop).execute()
    case .smp(let address, let order): try SMPCommand(address: address, order: order, invocation: invocation, loop: loop).execute()
    case .observe(let request): try ObserveCommand(request: request, invocation: invocation, loop: loop).execute()
    case .report(let request): try ReportCommand(request: request, invocation: invocation, loop: loop).execute()
    case .summary(let filter): try SummaryCommand(filter: filter, invocation: invocation, loop: loop).execute()
    case .catalog(let request): try CatalogCommand(request: request, invocation: invocation, loop: loop).execute()
    case .ota(let request): try OTACommand(request: request, invocation: invocation, loop: loop).execute()
    case .audit(let head): try AuditCommand(expected: head, invocation: invocation, loop: loop).execute()
    case .line(let request): try LineCommand(request: request, invocation: invocation, loop: loop).execute()
    case .demo(let request, let keep): try DemoCommand(request: request, keep: keep, invocation: invocation, loop: loop).execute()
    }
  }

  /// Writes all of a text and says whether it went.
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = ArraySlice(text.utf8)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A reader that has gone (help | head) has read enough.
      if count < 0, errno == EPIPE { return true }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
