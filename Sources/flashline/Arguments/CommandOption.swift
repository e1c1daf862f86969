import VirtualLine

/// An option that a command takes: its long name, what its value is called, and what it says in `--help`.
struct CommandOption: Hashable, Sendable {
  var name: String
  /// Nil for a switch.
  var value: String?
  var help: String
  /// May be given more than once.
  var isRepeated = false
  /// Accepted, but left out of `--help`: what it asks for is not there yet.
  var isHidden = false

  init(_ name: String, _ value: String? = nil, _ help: String, isRepeated: Bool = false, isHidden: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.isRepeated = isRepeated
    self.isHidden = isHidden
  }
}

extension CommandOption {
  /// Taken before and after every command.
  static let global = [
    CommandOption("config", "FILE", "station.conf to use (else ./station.conf, else /etc/flashline/station.conf)"),
    CommandOption("json", nil, "JSON on stdout for programs, people's text on stderr"),
    CommandOption("quiet", nil, "only problems and the last summary"),
    CommandOption("help", nil, "this text"),
    CommandOption("version", nil, "the version of the program"),
  ]

  /// The job options of `run`, `recover` and `flash`.
  static let job = [
    CommandOption("package", "FILE", "this package instead of the profile's"),
    CommandOption("count", "N", "end after N boards"),
    CommandOption("until", "HH:MM", "start no board after this local time"),
    CommandOption("idle", "TIME", "end when no new board came for so long, like 90s or 5m (5m when no other end is given)"),
    CommandOption("boards", "FILE", "only the boards of this list: CSV with unit_id,mac,serial_number"),
    CommandOption("lot", "LOT", "lot, kept with every result"),
    CommandOption("work-order", "ORDER", "work order, kept with every result"),
    CommandOption("operator", "NAME", "who does the job, kept with every result"),
    CommandOption("new", nil, "begin a new batch even when an unfinished one could go on"),
  ]

  /// The options of `ota`: values that go before what a board or a profile says, and how the board is reached.
  static let ota = [
    CommandOption("profile", "P", "values of this profile's [firmware] that nobody else gives; the board is paired as it says"),
    CommandOption("hardware-version", "X", "hardware version of the board"),
    CommandOption("software-type", "X", "software type of the board"),
    CommandOption("current-version", "X", "version that the board runs (else the latest release, whatever it runs)"),
    CommandOption("serial", "X", "serial under which the cloud knows the board"),
    CommandOption("artifact", "NAME", "this file, where a release has several"),
    CommandOption("board-key", nil, "with the project key that the board tells, not that of [cloud] project_key_file"),
    CommandOption("output", "FILE", "fetch: also copy the artefact to this file"),
    CommandOption("adapter", "X", "connect on this adapter: its label, USB path, address or hciN (else on the one that hears the board first)"),
    CommandOption("seconds", "N", "how long to wait for the board (1 to 600, else 10)"),
  ]

  /// The filters of `report` and `summary`.
  static let filters = [
    CommandOption("since", "TIME", "finished at this time or later: 2026-11-30 (local midnight) or 2026-11-30T14:00:00Z"),
    CommandOption("until", "TIME", "finished before this time"),
    CommandOption("after", "RECORD", "records with a higher number than this"),
    CommandOption("lot", "LOT", "of this lot"),
    CommandOption("profile", "NAME", "of this profile"),
    CommandOption("job", "KIND", "update or rescue"),
    CommandOption("batch", "N", "of this batch"),
  ]

  /// How a virtual line is made up; `line` and `demo` take them.
  static let line = [
    CommandOption("adapters", "N", "virtual adapters (1 to 16, else 4)"),
    CommandOption("boards", "N", "virtual boards (1 to 4096, else 24)"),
    CommandOption("kind", "KIND", "what they are: " + SMPKind.allCases.map(\.rawValue).joined(separator: ", ") + " (else swap)"),
    CommandOption("stranded", "N", "boards beside them that sit in their bootloader (0 to 200)"),
    CommandOption("faults", "FILE", "which boards misbehave, and where"),
    CommandOption("state", "DIR", "where the line keeps its bus and its boards' truth"),
  ]

  /// Beside them for `line` alone: how it runs.
  static let lineTuning = [
    CommandOption("time-scale", "X", "boards and stack at X times their usual times (0.01 to 100, else 1)"),
    CommandOption("seed", "N", "another choice of signal strengths (else 1)"),
    CommandOption("places", "N", "boards that lie there at once: one that is left alone makes room for the next (else all)"),
  ]
}
