import Station

import SMP

/// One command of `smp`: how it is written, what it does, and how its words are read.
struct SMPVerb: Sendable {
  var group: String
  var command: String
  /// What stands behind the command.
  var operands: String
  var purpose: String
  var read: @Sendable (inout OperandReader) throws(ProgramError) -> SMPAction

  init(
    _ group: String, _ command: String, _ operands: String = "", _ purpose: String,
    _ read: @escaping @Sendable (inout OperandReader) throws(ProgramError) -> SMPAction
  ) {
    self.group = group
    self.command = command
    self.operands = operands
    self.purpose = purpose
    self.read = read
  }

  var usage: String { "\(group) \(command) \(operands)".trimmed }

  /// In the order of `smp --help`.
  static let all = system + image + counters + files + logs + others

  /// The groups in that order.
  static let groups = all.reduce(into: [String]()) { groups, verb in if groups.last != verb.group { groups.append(verb.group) } }

  private static let system: [SMPVerb] = [
    SMPVerb("os", "echo", "TEXT", "sends a text and shows what comes back") { words throws(ProgramError) in
      let text = ([try words.text("TEXT")] + words.rest()).joined(separator: " ")
      guard text.utf8.count <= EchoRequest.longestText else {
        throw .usage("the text has \(text.utf8.count) bytes, more than the \(EchoRequest.longestText) that boards take", "write a shorter one")
      }
      return .echo(text)
    },
    SMPVerb("os", "console-echo", "on|off", "switches the echo of the board's serial console") { words throws(ProgramError) in
      let word = try words.text("on or off")
      guard ["on", "off"].contains(word) else { throw .usage("smp os console-echo does not know \(word.shown)", "write on or off") }
      return .consoleEcho(word == "on")
    },
    SMPVerb("os", "tasks", "", "its tasks and their stacks") { _ in .tasks },
    SMPVerb("os", "memory", "", "its memory pools") { _ in .memory },
    SMPVerb("os", "datetime", "[TIME]", "shows its clock, or sets it to a time like 2026-11-30T14:00:00") { words throws(ProgramError) in
      guard let time = words.next() else { return .clock }
      guard DateTimeWriteRequest.lengths.contains(time.utf8.count), time.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .usage("\(time.shown) is no time that a board takes", "write it like 2026-11-30T14:00:00, or with .250 behind it")
      }
      return .setClock(time)
    },
    SMPVerb("os", "reset", "[force] [bootloader]", "restarts it; bootloader: into its bootloader or firmware loader") { words throws(ProgramError) in
      let wishes = words.rest()
      if let other = wishes.first(where: { !["force", "bootloader"].contains($0) }) {
        throw .usage("smp os reset does not know \(other.shown)", "write force, bootloader, both or neither")
      }
      return .reset(force: wishes.contains("force"), wishes.contains("bootloader") ? .bootloader : nil)
    },
    SMPVerb("os", "params", "", "the buffers of its SMP server") { _ in .parameters },
    SMPVerb("os", "info", "", "its operating system and application") { _ in .application },
    SMPVerb("os", "bootloader", "", "its bootloader, how that exchanges images, and the slot of an immutable one") { _ in .bootloader },
  ]

  private static let image: [SMPVerb] = [
    SMPVerb("image", "list", "", "its images and their state") { _ in .images },
    SMPVerb("image", "test", "HASH", "starts this image once, at the next restart") { words throws(ProgramError) in
      guard let hash = try words.hash() else { throw .usage("smp image test needs HASH", "copy it from flashline smp ADDRESS image list") }
      return .testImage(hash)
    },
    SMPVerb("image", "confirm", "[HASH]", "keeps an image for good (else the running one)") { words throws(ProgramError) in .confirmImage(try words.hash()) },
    SMPVerb("image", "erase", "[SLOT]", "erases a slot: 2 x image + slot (else the one that does not run)") { words throws(ProgramError) in
      .eraseImage(try words.number("SLOT", in: 0...255))
    },
    SMPVerb("image", "slots", "", "its slots and their sizes") { _ in .slots },
  ]

  private static let counters: [SMPVerb] = [
    SMPVerb("stat", "list", "", "which statistics it keeps") { _ in .statisticsList },
    SMPVerb("stat", "read", "NAME", "one group of statistics") { words throws(ProgramError) in .statistics(try words.text("NAME")) },
    SMPVerb("settings", "read", "NAME [BYTES]", "the value of a setting, at most so many bytes") { words throws(ProgramError) in
      .setting(try words.text("NAME"), largest: try words.number("BYTES", in: 1...65_535))
    },
    SMPVerb("settings", "write", "NAME VALUE", "sets a setting in its memory (--hex: VALUE is hexadecimal)") { words throws(ProgramError) in
      .setSetting(try words.text("NAME"), try words.value())
    },
    SMPVerb("settings", "delete", "NAME", "deletes a setting") { words throws(ProgramError) in .deleteSetting(try words.text("NAME")) },
    SMPVerb("settings", "commit", "", "has its firmware take over what was written") { _ in .commitSettings },
    SMPVerb("settings", "load", "", "takes the saved settings again; what was not saved is gone") { _ in .loadSettings },
    SMPVerb("settings", "save", "", "makes its settings outlast a restart") { _ in .saveSettings },
  ]

  private static let files: [SMPVerb] = [
    SMPVerb("fs", "upload", "FILE PATH", "writes a file on it and reads back length and hash") { words throws(ProgramError) in
      .upload(file: try words.text("FILE"), path: try words.text("PATH"))
    },
    SMPVerb("fs", "download", "PATH FILE", "fetches a file and compares its hash") { words throws(ProgramError) in
      .download(path: try words.text("PATH"), file: try words.text("FILE"))
    },
    SMPVerb("fs", "status", "PATH", "how long a file is") { words throws(ProgramError) in .fileStatus(try words.text("PATH")) },
    SMPVerb("fs", "hash", "PATH [KIND [OFFSET [BYTES]]]", "its hash of a file or a part; KIND like crc32 or sha256") { words throws(ProgramError) in
      .fileHash(
        try words.text("PATH"), words.next().map(FileHashKind.init(rawValue:)), offset: try words.number("OFFSET", in: 0...Int.max),
        length: try words.number("BYTES", in: 1...Int.max))
    },
    SMPVerb("fs", "hashes", "", "which hashes it can compute") { _ in .fileHashKinds },
    SMPVerb("fs", "close", "", "closes the file that it has open") { _ in .closeFile },
    SMPVerb("shell", "exec", "-- WORD...", "runs a command in its shell") { words throws(ProgramError) in
      .shell([try words.text("WORD")] + words.rest())
    },
  ]

  private static let logs: [SMPVerb] = [
    SMPVerb("log", "list", "", "which logs it has") { _ in .logs },
    SMPVerb("log", "read", "[NAME [INDEX]]", "entries of a log (else of all), from this index on") { words throws(ProgramError) in
      .log(words.next(), index: try words.number("INDEX", in: 0...Int(UInt32.max)) ?? 0)
    },
    SMPVerb("log", "clear", "", "empties its logs") { _ in .clearLogs },
    SMPVerb("log", "append", "NAME TEXT", "adds an entry to a log") { words throws(ProgramError) in
      .appendLog(try words.text("NAME"), ([try words.text("TEXT")] + words.rest()).joined(separator: " "))
    },
    SMPVerb("log", "modules", "", "the modules that write to its logs") { _ in .logModules },
    SMPVerb("log", "levels", "", "the severities of its logs") { _ in .logLevels },
  ]

  private static let others: [SMPVerb] =
    [
      SMPVerb("enum", "count", "", "how many command groups it has") { _ in .groupCount },
      SMPVerb("enum", "list", "", "which command groups it has") { _ in .groups },
      SMPVerb("enum", "single", "INDEX", "one command group by its place") { words throws(ProgramError) in
        .groupAt(try words.number("INDEX", in: 0...65_535) ?? 0)
      },
      SMPVerb("enum", "details", "[GROUP...]", "what its command groups are called") { words throws(ProgramError) in
        var groups: [SMPGroup] = []
        while let number = try words.number("GROUP", in: 0...65_535) { groups.append(SMPGroup(rawValue: UInt16(clamping: number))) }
        return .groupDetails(groups)
      },
    ]
    + CrashRequest.Kind.allCases.map { kind in SMPVerb("crash", kind.rawValue, "", crashPurpose(kind)) { _ in .crash(kind) } }
    + [
      SMPVerb("run", "list", "", "which tests its firmware has built in") { _ in .tests },
      SMPVerb("run", "test", "[NAME [TOKEN]]", "starts a built-in test (else all)") { words in .runTest(words.next(), token: words.next()) },
      SMPVerb("basic", "erase-storage", "", "erases its storage: settings, and with them bonds") { _ in .eraseStorage },
      SMPVerb("memfault", "info", "", "what its diagnostics call it") { _ in .diagnosticIdentity },
      SMPVerb("memfault", "key", "", "the project key of its diagnostics, a secret: it goes to stdout and nowhere else") { _ in .projectKey },
    ]

  private static func crashPurpose(_ kind: CrashRequest.Kind) -> String {
    switch kind {
    case .div0: "makes its firmware crash by a division by zero"
    case .jump0: "... by a jump to address 0"
    case .ref0: "... by a read at address 0"
    case .assert: "... by a failed assertion"
    case .wdog: "... by its watchdog"
    }
  }
}

extension SMPOrder {
  /// - Parameter words: what stands behind the address.
  init(_ words: ArraySlice<String>, _ values: OptionValues) throws(ProgramError) {
    guard let group = words.first else { throw .usage("smp needs GROUP and COMMAND", "write \(CommandName.smp.example)") }
    let verbs = SMPVerb.all.filter { $0.group == group }
    guard !verbs.isEmpty else { throw .usage("smp does not know the group \(group.shown)", "write one of " + SMPVerb.groups.joined(separator: ", ")) }
    let known = verbs.map(\.command).joined(separator: ", ")
    guard let command = words.dropFirst().first else { throw .usage("smp \(group) needs COMMAND", "write one of " + known) }
    guard let verb = verbs.first(where: { $0.command == command }) else {
      throw .usage("smp \(group) does not know \(command.shown)", "write one of " + known)
    }
    var reader = OperandReader(words.dropFirst(2), of: verb, isHex: values.has("hex"))
    action = try verb.read(&reader)
    try reader.end()
    self.group = group
    self.command = command
    adapter = try values.text("adapter")
    seconds = try values.integer("seconds", in: 1...600)
    profile = try values.text("profile")
  }
}
