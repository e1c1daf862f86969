import Bluetooth

/// The command groups of a virtual board beside os and image: a request in, an answer out (smp.md §§3.3 to 3.10).
struct ApplicationGroups: Sendable {
  private let settings: BoardSettings
  private let identity: BoardIdentity
  private var statistics = StatisticsGroup()
  private var files: FileGroup

  init(settings: BoardSettings, identity: BoardIdentity) {
    self.settings = settings
    self.identity = identity
    files = FileGroup(settings: settings)
  }

  /// What lived in RAM is gone; files stay.
  mutating func reset() {
    statistics = StatisticsGroup()
    files.close()
  }

  func has(_ group: UInt16) -> Bool { settings.groups.built.contains(Int(group)) }

  /// - Parameters:
  ///   - store: of the settings group.
  ///   - running: version of the running image.
  ///   - others: numbers of the groups that the board has beside these.
  mutating func handle(
    _ frame: ServerFrame, _ body: RequestMap, _ store: inout SettingsStore, running: String, others: [UInt16]
  ) throws(Refusal) -> ServerAnswer {
    guard has(frame.group) else { throw .status(8) }
    statistics.count(frame)
    switch frame.group {
    case StatisticsGroup.number: return ServerAnswer(try statistics.handle(frame, body, files: files.count))
    case SettingsGroup.number: return ServerAnswer(try SettingsGroup.handle(frame, body, &store))
    case FileGroup.number: return ServerAnswer(try files.handle(frame, body))
    case ShellGroup.number: return ServerAnswer(try ShellGroup.handle(frame, body))
    case EnumerationGroup.number:
      return ServerAnswer(try EnumerationGroup(numbers: (others + settings.groups.built.map { UInt16(clamping: $0) }).sorted()).handle(frame, body))
    case MemfaultGroup.number: return ServerAnswer(try MemfaultGroup.handle(frame, settings.groups, identity, running: running))
    default: throw .status(8)
    }
  }
}

/// Group 2 as a server: what the board counts of its own management (smp.md §3.3).
struct StatisticsGroup: Sendable {
  static let number: UInt16 = 2
  static let name = "smp"

  private var requests: UInt64 = 0
  private var bytes: UInt64 = 0

  mutating func count(_ frame: ServerFrame) {
    requests &+= 1
    bytes &+= UInt64(frame.payload.count)
  }

  func handle(_ frame: ServerFrame, _ body: RequestMap, files: Int) throws(Refusal) -> [ReplyField] {
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0):
      guard let name = try body.text("name") else { throw .status(3) }
      // An unknown group is answered with the number for an unknown name (smp.md §1.5).
      guard name == Self.name else { throw .group(Self.number, 3) }
      let fields = [
        ReplyField("requests", .unsigned(requests)), ReplyField("bytes", .unsigned(bytes)), ReplyField("files", .unsigned(UInt64(files))),
      ]
      return [ReplyField("name", .text(name)), ReplyField("fields", .map(fields))]
    case (ServerFrame.read, 1): return [ReplyField("stat_list", .list([.text(Self.name)]))]
    default: throw .status(8)
    }
  }
}

/// Group 3 as a server, over the board's storage (smp.md §3.4).
enum SettingsGroup {
  static let number: UInt16 = 3

  static func handle(_ frame: ServerFrame, _ body: RequestMap, _ store: inout SettingsStore) throws(Refusal) -> [ReplyField] {
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0):
      guard let value = store.values[try name(body)] else { throw .group(number, 3) }
      guard let most = try body.unsigned("max_size"), most < value.count else { return [ReplyField("val", .bytes(value))] }
      return [ReplyField("val", .bytes(Array(value.prefix(most)))), ReplyField("max_size", .unsigned(UInt64(most)))]
    case (ServerFrame.write, 0):
      guard let value = try body.bytes("val") else { throw .status(3) }
      guard store.write(try name(body), value) else { throw .status(2) }
    case (ServerFrame.write, 1): guard store.delete(try name(body)) else { throw .group(number, 3) }
    case (ServerFrame.write, 2): break
    case (ServerFrame.read, 3): store.load()
    case (ServerFrame.write, 3): store.save()
    default: throw .status(8)
    }
    return []
  }

  private static func name(_ body: RequestMap) throws(Refusal) -> String {
    guard let name = try body.text("name"), !name.isEmpty else { throw .status(3) }
    guard name.utf8.count <= SettingsStore.nameLimit else { throw .group(number, 2) }
    return name
  }
}

/// Group 9 as a server: a shell with two commands (smp.md §3.6).
enum ShellGroup {
  static let number: UInt16 = 9
  /// Bytes of a command line, as Zephyr's `SHELL_CMD_BUFF_SIZE`.
  private static let lineLimit = 256
  /// Zephyr's number for a command that does not exist: −ENOEXEC.
  private static let unknownCommand: Int64 = -8

  static func handle(_ frame: ServerFrame, _ body: RequestMap) throws(Refusal) -> [ReplyField] {
    guard frame.operation == ServerFrame.write, frame.command == 0 else { throw .status(8) }
    guard let words = try body.texts("argv") else { throw .status(3) }
    guard !words.isEmpty else { throw .group(number, 3) }
    let line = words.joined(separator: " ")
    guard line.utf8.count < lineLimit else { throw .group(number, 2) }
    let (output, code): (String, Int64) =
      switch words[0] {
      case "echo": (words.dropFirst().joined(separator: " ") + "\r\n", 0)
      case "kernel" where words.count == 2 && words[1] == "version": ("Zephyr version 4.4.0\r\n", 0)
      default: ("\u{1B}[1;31m\(words[0]): command not found\r\n\u{1B}[m", unknownCommand)
      }
    return [ReplyField("o", .text(output)), ReplyField("ret", .signed(code))]
  }
}

/// Group 10 as a server: which groups there are (smp.md §3.7).
struct EnumerationGroup {
  static let number: UInt16 = 10
  private static let names: [UInt16: (name: String, handlers: UInt64)] = [
    0: ("os mgmt", 9), 1: ("img mgmt", 7), 2: ("stat mgmt", 2), 3: ("settings mgmt", 4), 8: ("fs mgmt", 5), 9: ("shell mgmt", 1), 10: ("enum mgmt", 4),
    63: ("zephyr basic mgmt", 1), 128: ("memfault mgmt", 2),
  ]

  /// Ascending.
  let numbers: [UInt16]

  func handle(_ frame: ServerFrame, _ body: RequestMap) throws(Refusal) -> [ReplyField] {
    switch (frame.operation, frame.command) {
    case (ServerFrame.read, 0): return [ReplyField("count", .unsigned(UInt64(numbers.count)))]
    case (ServerFrame.read, 1): return [ReplyField("groups", .list(numbers.map { .unsigned(UInt64($0)) }))]
    case (ServerFrame.read, 2):
      let index = try body.unsigned("index") ?? 0
      guard numbers.indices.contains(index) else { throw .group(Self.number, 4) }
      return [ReplyField("group", .unsigned(UInt64(numbers[index])))] + (index == numbers.count - 1 ? [ReplyField("end", .flag(true))] : [])
    case (ServerFrame.read, 3):
      let wanted = try body.numbers("groups")
      if let wanted, wanted.count > numbers.count { throw .group(Self.number, 2) }
      let listed = numbers.filter { wanted?.contains(UInt64($0)) ?? true }
      return [ReplyField("groups", .list(listed.map(details)))]
    default: throw .status(8)
    }
  }

  private func details(_ number: UInt16) -> ReplyValue {
    let known = Self.names[number]
    return .map(
      [ReplyField("group", .unsigned(UInt64(number)))]
        + (known.map { [ReplyField("name", .text($0.name)), ReplyField("handlers", .unsigned($0.handlers))] } ?? []))
  }
}

/// Group 128 as a server: Memfault's (smp.md §3.10).
enum MemfaultGroup {
  static let number: UInt16 = 128

  static func handle(_ frame: ServerFrame, _ settings: GroupSettings, _ identity: BoardIdentity, running: String) throws(Refusal) -> [ReplyField] {
    guard frame.operation == ServerFrame.read, frame.command <= 1 else { throw .status(8) }
    guard !settings.isDiagnosticsDenied else { throw .status(11) }
    guard frame.command == 1 else {
      return [
        ReplyField("device_serial", .text(settings.deviceSerial ?? identity.serial)),
        ReplyField("hardware_version", .text(settings.hardwareVersion ?? identity.hardware)),
        ReplyField("software_type", .text(settings.softwareType)), ReplyField("current_version", .text(settings.currentVersion ?? running)),
      ].filter { !settings.withheld.contains($0.key) }
    }
    guard !settings.projectKey.isEmpty else { throw .group(number, 2) }
    return [ReplyField("project_key", .text(settings.projectKey))]
  }
}
