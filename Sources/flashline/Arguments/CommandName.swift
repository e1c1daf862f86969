/// The commands of the program, in the order in which `--help` lists them.
enum CommandName: String, CaseIterable, Sendable {
  case adapters, scan, inspect, run, recover, flash, smp, report, summary, catalog, ota, observe, audit, line, demo

  /// One line for the list of commands.
  var purpose: String {
    switch self {
    case .adapters: "which Bluetooth adapters the station has, and which of them it can use"
    case .scan: "which boards are in radio range"
    case .inspect: "what is in a firmware package, and whether it may be flashed"
    case .run: "the line job: flash every board that a profile admits, several adapters at a time"
    case .recover: "the night job: flash every board that is stranded in its bootloader"
    case .flash: "flash one board, by its address"
    case .smp: "ask one board something over SMP: its system, images, settings, files, shell, statistics, logs"
    case .observe: "carry boards' diagnostics to the cloud, through a queue on the disk"
    case .report: "the results, one row an attempt, as CSV or JSON"
    case .summary: "yield, failures, durations and throughput"
    case .catalog: "the firmware catalogues of the profiles, and their pinned local copies"
    case .ota: "which release of nRF Cloud or Memfault a board ought to have, and fetch it"
    case .audit: "check that no record was changed, removed or reordered"
    case .line: "a virtual line without hardware, as a process of its own"
    case .demo: "a virtual line and a job on it, with one command"
    }
  }

  /// What stands behind the command's name.
  var synopsis: String {
    switch self {
    case .adapters: ""
    case .scan: "[--seconds N] [--mode application|bootloader]"
    case .inspect: "PACKAGE [--profile P]"
    case .run: "--profile P... [job options]"
    case .recover: "--profile P... [--wait] [job options]"
    case .flash: "ADDRESS --profile P [--unit ID] [job options]"
    case .smp: "ADDRESS GROUP COMMAND [arguments...] [--adapter X] [--seconds N] [--profile P]"
    case .observe: "[ADDRESS...] [--profile P...] [--seconds N | --until HH:MM] [--pairing METHOD] [--upload-only]"
    case .report: "[filters] [--format csv|json] [--excel] [--output FILE]"
    case .summary: "[filters]"
    case .catalog: "refresh|list|verify [--profile P...] [--all]"
    case .ota: "check|fetch [ADDRESS] [--profile P] [values] [--artifact NAME] [--board-key] [--output FILE]"
    case .audit: "[--expect HEAD]"
    case .line: "[--adapters N] [--boards N] [--kind KIND] [--faults FILE] [--state DIR]"
    case .demo: "[--adapters N] [--boards N] [--kind KIND] [--faults FILE] [--state DIR] [--keep DIR]"
    }
  }

  var example: String {
    switch self {
    case .adapters: "flashline adapters"
    case .scan: "flashline scan --seconds 5"
    case .inspect: "flashline inspect app_update.bin --profile mcuboot"
    case .run: "flashline run --profile mcuboot --count 50 --lot L2026-48 --operator anna"
    case .recover: "flashline recover --profile metamotion --wait --until 05:30"
    case .flash: "flashline flash C0:DE:00:00:00:01 --profile mcuboot --unit U-0007"
    case .smp: "flashline smp C0:DE:00:00:00:01 image list"
    case .observe: "flashline observe C0:DE:00:00:00:01 --seconds 600"
    case .report: "flashline report --since 2026-11-30 --lot L2026-48 --output L2026-48.csv"
    case .summary: "flashline summary --since 2026-11-30"
    case .catalog: "flashline catalog refresh --profile metamotion"
    case .ota: "flashline ota check C0:DE:00:00:00:01 --profile mcuboot"
    case .audit: "flashline audit --expect 3f5a..."
    case .line: "flashline line --adapters 4 --boards 24 --state /tmp/line"
    case .demo: "flashline demo --adapters 4 --boards 24"
    }
  }

  /// The options of the command besides the global ones.
  var options: [CommandOption] {
    switch self {
    case .adapters: []
    case .scan:
      [
        CommandOption("seconds", "N", "how long to listen (1 to 600, else 10)"),
        CommandOption("mode", "MODE", "application (else), or bootloader: boards that are in their bootloader"),
      ]
    case .inspect: [CommandOption("profile", "P", "check the package against this profile")]
    case .run: [CommandOption("profile", "P", "boards of this profile: a name in the profiles folder, or a file", isRepeated: true)] + CommandOption.job
    case .recover:
      [
        CommandOption("profile", "P", "boards of this profile: a name in the profiles folder, or a file", isRepeated: true),
        CommandOption("wait", nil, "go on waiting for boards until --until, or until it is stopped"),
      ] + CommandOption.job
    case .flash:
      [
        CommandOption("profile", "P", "the profile of the board: a name in the profiles folder, or a file"),
        CommandOption("unit", "ID", "the unit number to record with the board"),
      ] + CommandOption.job
    case .smp:
      [
        CommandOption("adapter", "X", "connect on this adapter: its label, USB path, address or hciN (else on the one that hears the board first)"),
        CommandOption("seconds", "N", "how long to wait for the board, and for each answer (1 to 600; else 10, and what the command needs)"),
        CommandOption("profile", "P", "pair the board as this profile says"),
        CommandOption("hex", nil, "settings write: the value is hexadecimal"),
      ]
    case .observe:
      [
        CommandOption("profile", "P", "boards of this profile (without an address), paired as it says", isRepeated: true),
        CommandOption("seconds", "N", "observe for so long (1 to \(ObserveRequest.longestSeconds)), then upload what waits"),
        CommandOption("until", "HH:MM", "the same until this local time"),
        CommandOption("pairing", "METHOD", "none, just-works, or the six digits of the boards' passkey (else as the profile says)"),
        CommandOption("upload-only", nil, "only upload what waits from earlier runs; needs no Bluetooth"),
      ]
    case .report:
      CommandOption.filters + [
        CommandOption("format", "csv|json", "CSV (else), or JSON with one object a line"),
        CommandOption("excel", nil, "CSV for spreadsheets with comma decimals: semicolons, numbers of boards kept as text"),
        CommandOption("output", "FILE", "write this file instead of stdout"),
      ]
    case .summary: CommandOption.filters
    case .catalog:
      [
        CommandOption("profile", "P", "the catalogue of this profile (else of all in the profiles folder)", isRepeated: true),
        CommandOption("all", nil, "refresh: all builds of the catalogue, not only those for the profile's boards"),
      ]
    case .ota: CommandOption.ota
    case .audit: [CommandOption("expect", "HEAD", "the chain must also hold this head, kept from an earlier job")]
    case .line: CommandOption.line + CommandOption.lineTuning
    case .demo: CommandOption.line + [CommandOption("keep", "DIR", "keep everything here: results, profile, image, log (else ./demo)")]
    }
  }

  /// What the operand is called, for the commands that take one.
  var operand: String? {
    switch self {
    case .inspect: "PACKAGE"
    case .flash, .smp: "ADDRESS"
    case .catalog: "refresh, list or verify"
    case .ota: "check or fetch"
    default: nil
    }
  }
}
