import Bluetooth
import Cloud
import Flashing
import Station
import Testing

@testable import flashline

/// The command line against contract §1: what is understood, and what is refused with which words.
@Suite struct InvocationTests {
  private func command(_ line: String) throws -> Invocation.Command { try Invocation(words(line)).command }
  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @Test(
    "global options stand before and after the command",
    arguments: [
      "--config a.conf --json --quiet adapters", "adapters --config a.conf --json --quiet", "--json adapters --quiet --config=a.conf",
      "--config=a.conf adapters --quiet --json",
    ])
  func globals(line: String) throws {
    let invocation = try Invocation(words(line))
    #expect(invocation == Invocation(command: .adapters, config: "a.conf", isJSON: true, isQuiet: true))
  }

  @Test func everyCommandIsUnderstood() throws {
    #expect(try command("scan") == .scan(seconds: 10, mode: .application))
    #expect(try command("scan --seconds 3 --mode application") == .scan(seconds: 3, mode: .application))
    #expect(try command("scan --mode bootloader") == .scan(seconds: 10, mode: .bootloader))
    #expect(try command("recover --profile p --wait") == .recover(JobRequest(profiles: ["p"], waits: true)))
    #expect(try command("inspect a.zip --profile p") == .inspect(package: "a.zip", profile: "p"))
    #expect(try command("audit") == .audit(expect: nil))
    let head = String(repeating: "Ab", count: 32)
    #expect(try command("audit --expect \(head)") == .audit(expect: head.lowercased()))
    #expect(try command("catalog list") == .catalog(CatalogRequest(action: .list)))
    #expect(
      try command("catalog refresh --profile a --profile b --all")
        == .catalog(CatalogRequest(action: .refresh, profiles: ["a", "b"], isWhole: true)))
    var ota = OTARequest(action: .check)
    #expect(try command("ota check") == .ota(ota))
    ota = OTARequest(action: .fetch, address: BluetoothAddress("C0:DE:00:00:00:01"), profile: "p", artefact: "a.zip", takesBoardKey: true, output: "o")
    ota.values.offer("h", as: .hardwareVersion, from: .option)
    ota.values.offer("1+2", as: .currentVersion, from: .option)
    #expect(
      try command(
        "ota fetch C0:DE:00:00:00:01 --profile p --hardware-version h --current-version 1+2 --artifact a.zip --board-key --output o") == .ota(ota))
    #expect(try command("line") == .line(LineRequest()))
    #expect(
      try command("line --time-scale 0.5 --seed 7 --places 9 --boards 2000")
        == .line(LineRequest(boards: 2000, timeScale: 0.5, seed: 7, places: 9)))
    #expect(
      try command("demo --adapters 2 --boards 4 --keep d --state s --faults f")
        == .demo(LineRequest(adapters: 2, boards: 4, faults: "f", state: "s"), keep: "d"))
    #expect(try command("summary --job rescue --batch 3") == .summary(FilterRequest(job: .rescue, batch: 3)))
    let filter = FilterRequest(since: "2026-11-30", until: "2026-12-01T00:00:00Z", after: 7, lot: "L", profile: "p")
    #expect(
      try command("report --since 2026-11-30 --until 2026-12-01T00:00:00Z --after 7 --lot L --profile p --excel --output o.csv")
        == .report(ReportRequest(filter: filter, isForExcel: true, output: "o.csv")))
  }

  @Test func aJobTakesEveryOption() throws {
    let line =
      "run --profile a --profile b --count 5 --until 7:05 --idle 90s --boards b.csv --lot L1 --work-order W1 --operator anna --new"
    guard case .run(let request) = try command(line) else {
      Issue.record("not a run")
      return
    }
    #expect(request.profiles == ["a", "b"])
    #expect(request.count == 5)
    #expect(request.until?.hour == 7)
    #expect(request.until?.minute == 5)
    #expect(request.idle == .seconds(90))
    #expect(request.boards == "b.csv")
    #expect(request.lot == "L1")
    #expect(request.workOrder == "W1")
    #expect(request.operator == "anna")
    #expect(request.startsNew)
  }

  @Test func oneBoardByItsAddress() throws {
    let address = try #require(BluetoothAddress("C0:DE:00:00:00:01"))
    #expect(
      try command("flash c0:de:00:00:00:01 --profile p --unit U-7 --package x.bin")
        == .flash(address, unit: "U-7", JobRequest(profiles: ["p"], package: "x.bin")))
  }

  @Test("help needs nothing else to be right", arguments: CommandName.allCases)
  func help(name: CommandName) throws {
    #expect(try Invocation([name.rawValue, "--help"]).command == .help(name))
    #expect(try Invocation(["--help", name.rawValue]).command == .help(name))
    #expect(try Invocation([name.rawValue, "-h"]).command == .help(name))
    #expect(try Invocation([name.rawValue, "--version"]).command == .version)
    let page = HelpText.page(name)
    #expect(page.contains("example: flashline \(name.rawValue)"))
    for option in name.options where !option.isHidden { #expect(page.contains("--\(option.name)")) }
    for option in name.options where option.isHidden { #expect(!page.contains("--\(option.name)")) }
  }

  @Test(
    "bad usage is told in one line, exit 2",
    arguments: [
      ("", "no command is given"), ("rnu", "there is no command \"rnu\""), ("run", "run needs a profile"), ("run --profile", "--profile needs a value"),
      ("run --profile p --count 0", "--count \"0\" does not fit"), ("run --profile p --count 3x", "--count \"3x\" does not fit"),
      ("run --profile p --count +3", "--count \"+3\" does not fit"), ("run --profile p --count 99999999999999999999", "does not fit"),
      ("run --profile p --until 24:00", "--until \"24:00\" is no time of day"), ("run --profile p --until 7", "is no time of day"),
      ("run --profile p --idle 5", "--idle \"5\" is no duration"), ("run --profile p --idle 0s", "--idle \"0s\" is no duration"),
      ("run --profile p --lot=", "--lot is empty"), ("run --profile p --new=1", "--new takes no value"), ("run --profile p --bogus", "no option \"--bogus\""),
      ("run --profile p -x", "no option \"-x\""), ("run --profile p more", "run does not know what to do with \"more\""),
      ("run --profile a --profile b --package x", "--package goes with one profile"), ("run --profile p --count 1 --count 2", "--count is given twice"),
      ("--config a run --profile p --config b", "--config is given twice"), ("flash --profile p", "flash needs ADDRESS"),
      ("flash C0:DE:00:00:01 --profile p", "is no Bluetooth address"), ("flash C0:DE:00:00:00:01", "flash needs a profile"),
      ("catalog", "catalog needs refresh, list or verify"), ("catalog update", "catalog does not know \"update\""),
      ("catalog list verify", "catalog takes one refresh, list or verify"),
      ("ota", "ota needs check or fetch"), ("ota get", "ota does not know \"get\""), ("ota check x", "\"x\" is no Bluetooth address"),
      ("ota check C0:DE:00:00:00:01 more", "ota takes one board, not also \"more\""), ("ota check --board-key", "--board-key asks a board"),
      ("ota check --output f", "ota check fetches nothing"), ("ota fetch --serial=", "--serial is empty"),
      ("inspect", "inspect needs PACKAGE"), ("inspect a b", "inspect takes one PACKAGE"), ("scan --seconds 601", "--seconds \"601\" does not fit"),
      ("scan --mode x", "--mode \"x\""),
      ("report --format xml", "--format \"xml\" is unknown"), ("report --format json --excel", "--excel is a form of CSV"),
      ("--json report --excel", "--excel is a form of CSV"),
      ("--json report --format csv", "--json promises JSON on stdout"),
      ("summary --job night", "--job \"night\" is unknown"), ("audit --expect 12", "--expect \"12\" is no audit head"),
      ("line --adapters 17", "--adapters \"17\" does not fit"), ("line --stranded 201", "--stranded \"201\" does not fit"),
      ("recover", "recover needs a profile"), ("demo --stranded 201", "--stranded \"201\" does not fit"),
      ("demo --boards 0", "--boards \"0\" does not fit"),
    ])
  func refused(line: String, what: String) throws {
    let error = try #require(throws: ProgramError.self) { try Invocation(words(line)) }
    #expect(error.exit == 2)
    #expect(error.text.contains(what), "\(error.text)")
    #expect(error.text.contains(": "))
    #expect(error.line.hasPrefix("flashline: "))
    #expect(!error.line.contains("\n"))
  }

  @Test func whatWasTypedIsShownHarmless() throws {
    let error = try #require(throws: ProgramError.self) { try Invocation(["run\u{1B}[2J\nx"]) }
    #expect(error.line == "flashline: there is no command \"run\\u{1b}[2J\\u{a}x\": flashline --help lists them")
  }

  @Test func abbreviationsWorkAsEverywhereAndAmbiguousOnesAreRefused() throws {
    guard case .run(let request) = try command("run --prof p --work 7") else {
      Issue.record("not a run")
      return
    }
    #expect(request.profiles == ["p"])
    #expect(request.workOrder == "7")
    let error = try #require(throws: ProgramError.self) { try Invocation(words("run --profile p --o x --p y")) }
    #expect(error.text.contains("--profile or --package"))
  }
}
