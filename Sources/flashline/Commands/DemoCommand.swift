import Flashing
import FoundationEssentials
import Glibc
import Locks
import Records
import Station
import Synchronization
import VirtualLine

/// `demo`: a virtual line and a job on it, each as a process of its own; then the records are compared with the boards' truth.
struct DemoCommand {
  /// For the line to come up.
  static let readyLimit = Duration.seconds(30)
  /// For the line to end.
  static let endLimit = Duration.seconds(5)
  /// When nothing new comes for so long, the boards that are left will not come.
  static let idle = "20s"

  let request: LineRequest
  let keep: String?
  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let folder = try DemoFolder(keep: keep)
    let image = try folder.prepare(request.kind)
    if request.stranded > 0 { try folder.prepareRescue() }
    let files: LineFiles
    if let state = request.state { files = LineFiles(folder: state) } else { files = try LineFiles.makeTemporary() }
    defer { if request.state == nil { files.remove() } }
    let line = try ChildProcess(lineArguments(files), log: folder.log)
    defer { line.finish(within: Self.endLimit) }
    guard try waitUntilReady(line, files, folder) else { return ExitStatus.stopped }
    let environment = try files.environment()
    var status = ExitStatus.good
    for arguments in jobs(folder, image) where status == ExitStatus.good || status == ExitStatus.notGood {
      let ended = supervise(try ChildProcess(arguments, environment: environment)).status
      // What one job left not good stays so, whatever the next one comes to.
      status = ended == ExitStatus.good ? status : ended
    }
    line.finish(within: Self.endLimit)
    guard status != ExitStatus.stopped, status < 128 else { return status }
    let agrees = try compare(files, folder)
    return status == ExitStatus.good && !agrees ? ExitStatus.notGood : status
  }

  private func lineArguments(_ files: LineFiles) -> [String] {
    ["line", "--adapters", String(request.adapters), "--boards", String(request.boards), "--stranded", String(request.stranded), "--state", files.folder]
      + ["--kind", request.kind.rawValue] + (request.faults.map { ["--faults", $0] } ?? [])
  }

  /// The commands that an operator would give, one after the other.
  private func jobs(_ folder: DemoFolder, _ image: String) -> [[String]] {
    let head = (invocation.isJSON ? ["--json"] : []) + (invocation.isQuiet ? ["--quiet"] : []) + ["--config", folder.configuration]
    let run = ["run", "--profile", folder.profile, "--package", image, "--count", String(request.boards), "--idle", Self.idle, "--new"]
    let rescue = ["recover", "--profile", folder.rescueProfile, "--count", String(request.stranded), "--idle", Self.idle, "--new"]
    return (request.boards > 0 ? [head + run] : [])
      + (request.stranded > 0 ? [head + ["catalog", "refresh", "--profile", folder.rescueProfile], head + rescue] : [])
  }

  /// False when the operator stopped it meanwhile.
  private func waitUntilReady(_ line: ChildProcess, _ files: LineFiles, _ folder: DemoFolder) throws(ProgramError) -> Bool {
    for _ in 0..<Int(Self.readyLimit / Self.turn) {
      if files.isReady { return true }
      if let end = line.ended() {
        throw ProgramError(
          exit: end.status == ExitStatus.usage ? ExitStatus.usage : ExitStatus.fault, text: "the virtual line did not start: \(lastWords(folder))")
      }
      if nextSignal()?.asksForEnd == true { return false }
    }
    throw .fault("the virtual line is not ready after \(Self.readyLimit.components.seconds) s", "see \(folder.log.escaped(limit: 4096))")
  }

  /// The last line of the line's log: its own complaint.
  private func lastWords(_ folder: DemoFolder) -> String {
    let text = (try? Data(contentsOf: URL(filePath: folder.log))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = text.split(separator: "\n").last ?? "see \(folder.log)"
    return String(line.hasPrefix("flashline: ") ? line.dropFirst("flashline: ".count) : line)
  }

  /// Waits for the job's end and hands signals on that did not reach it by the terminal.
  private func supervise(_ job: ChildProcess) -> ChildProcess.End {
    while true {
      if let end = job.ended() { return end }
      guard let signal = nextSignal() else { continue }
      // A hang-up reaches only the leader of a session.
      if !signal.isFromTerminal || signal.number == SIGHUP { job.signal(signal.number) }
    }
  }

  private static let turn = Duration.milliseconds(50)

  /// Waits one turn for a signal.
  private func nextSignal() -> SignalReader.Received? {
    var ready = pollfd(fd: loop.signals.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 50) > 0 ? loop.signals.next() : nil
  }

  // MARK: Afterwards

  /// Whether the records say what the boards know of themselves; says so in one line.
  private func compare(_ files: LineFiles, _ folder: DemoFolder) throws(ProgramError) -> Bool {
    let data = try files.truth()
    guard let truth = try? JSONDecoder().decode(LineTruth.self, from: data) else {
      throw .fault("the boards' truth cannot be read", "see \(folder.log.escaped(limit: 4096))")
    }
    try? data.write(to: URL(filePath: folder.truth), options: .atomic)
    let (console, database) = (loop.console, folder.database)
    let found = Shared(Locked<TruthCheck?>(nil))
    let status = loop.run { _ in
      do throws(RecordError) {
        let check = TruthCheck(truth: truth, recorded: try await Self.lastResults(database))
        found.value.withLock { $0 = check }
        return ExitStatus.good
      } catch {
        console.problem(ProgramError(error))
        return ExitStatus.fault
      }
    }
    guard status == ExitStatus.good, let check = found.value.withLock({ $0 }) else { return false }
    for difference in check.differences { console.problem("the records and the boards differ: \(difference)") }
    if check.differences.isEmpty {
      console.say(
        "checked: \(Figures.count(check.agreeing, "good board")) read back from the line as recorded; everything is kept in \(folder.path.escaped(limit: 4096))"
      )
    }
    return check.differences.isEmpty
  }

  private static func lastResults(_ database: String) async throws(RecordError) -> [TruthCheck.Recorded] {
    let reader = try await RecordReader.open(database)
    let last = Shared(Locked<[String: TruthCheck.Recorded]>([:]))
    try await reader.rows(Filter()) { row throws(RecordError) in
      let recorded = TruthCheck.Recorded(row)
      last.value.withLock { $0[recorded.mac] = recorded }
    }
    return last.value.withLock { $0.values.sorted { $0.mac < $1.mac } }
  }
}
