/// The pages of `--help`, in an operator's words.
enum HelpText {
  /// The list of commands, or one command's page; ends with a line end.
  static func page(_ command: CommandName?) -> String {
    (command.map(page(of:)) ?? overview).joined(separator: "\n") + "\n"
  }

  private static var overview: [String] {
    let width = CommandName.allCases.map(\.rawValue.count).max() ?? 0
    return [
      "flashline \(ToolVersion.text): flashes batches of Bluetooth LE boards, several adapters at a time.", "",
      "usage: flashline [--config FILE] [--json] [--quiet] COMMAND ...", "", "commands:",
    ] + CommandName.allCases.map { "  " + $0.rawValue.padded(to: width + 2) + $0.purpose }
      + ["", "for every command:"] + table(CommandOption.global) + [
        "",
        "example: \(CommandName.run.example)",
        "no hardware at hand: \(CommandName.demo.example)",
        "flashline COMMAND --help tells more about one.",
        "exit: 0 all good, 1 some board is not good, 2 bad usage or file, 3 the station cannot work, 130 stopped.",
      ]
  }

  private static func page(of command: CommandName) -> [String] {
    let options = command.options.filter { !$0.isHidden }
    return ["flashline \(command.rawValue): \(command.purpose).", "", "usage: " + "flashline \(command.rawValue) \(command.synopsis)".trimmed]
      + (options.isEmpty ? [] : ["", "options:"] + table(options))
      + ["", "for every command:"] + table(CommandOption.global)
      + notes(command) + ["", "example: \(command.example)"]
  }

  private static func notes(_ command: CommandName) -> [String] {
    switch command {
    case .run, .recover, .flash:
      [
        "", "p: pause, p again: go on; for scripts SIGUSR1 and SIGUSR2. Requests under way are finished, nothing new is sent, no limit runs.",
        "An image on its way to one of Nordic's bootloaders is finished first. After [limits] pause_timeout (30m) the job ends.",
        "d or SIGHUP: finish the boards in hand, start no others. q or Ctrl-C: stop now; a second Ctrl-C leaves at once.",
        "Starting the same job again after a stop goes on with the boards that are left.",
      ] + (command == .flash ? ["flash gives up when the board is not heard for 60s (--idle changes that)."] : [])
    case .smp:
      ["", "groups and commands:"] + verbs
        + [
          "", "Nothing is recorded. While a job runs on this station's database, smp ends with station.busy, and no job starts while smp runs.",
          "Exit 1: the board refused, failed or was not heard, or its shell command did not return 0. A command that its firmware lacks is named so.",
        ]
    case .observe:
      [
        "", "Without an address: every board that advertises the diagnostic service (MDS), or that a profile's [match] takes. A lost link is made again.",
        "Each chunk is on the disk before the next is taken; it goes to the host that the board names, if [cloud] allowed_hosts has it.",
        "When the time is over, every named board is left alone, or with d or SIGHUP, what waits is uploaded; q or Ctrl-C stops, and it stays in the queue.",
        "While boards are observed no job starts on this station's database, and observe does not start while one runs (station.busy).",
        "Exit 1: a board was not observed, or chunks are missing, lost, refused by the server or still waiting.",
      ]
    case .catalog:
      [
        "", "refresh copies what is new, with a SHA-256 for each file; a file that the server changed afterwards is refused.",
        "list shows the builds, verify reads every copied file again. Jobs use the copy only, never the network.",
      ]
    case .ota:
      [
        "", "Values: the option, else what the board at ADDRESS tells (SMP group 128, else its diagnostics and device information services), else the",
        "profile's [firmware]; without ADDRESS the serial is at last the station's id. Hosts and key: [cloud] in station.conf.",
        "fetch keeps the artefact in the folder ota beside the database, under its SHA-256. Jobs fetch by themselves: [firmware] source = ota.",
        "Exit 0: there is a release, or the board has it already. 1: there is none, or its artefact is not good. 2: key, values, hosts or choice.",
        "3: the network or the server.",
      ]
    case .line:
      [
        "", "The line runs until Ctrl-C. DIR/environment holds what a flashline on it needs.",
        "Boards of kind mds have diagnostics for observe; their server, key and chunks are settings of the faults file (mds, in Sources/VirtualLine/README.md).",
      ]
    case .demo: ["", "The results stay in the folder that the last lines name."]
    default: []
    }
  }

  private static var verbs: [String] {
    let width = SMPVerb.all.map(\.usage.count).max() ?? 0
    return SMPVerb.all.map { "  " + $0.usage.padded(to: width + 2) + $0.purpose }
  }

  private static func table(_ options: [CommandOption]) -> [String] {
    let names = options.map { "--" + $0.name + ($0.value.map { " " + $0 } ?? "") }
    let width = names.map(\.count).max() ?? 0
    return zip(names, options).map { name, option in "  " + name.padded(to: width + 2) + option.help }
  }
}
