import Bluetooth
import Flashing
import Station
import VirtualLine

extension Invocation {
  /// Reads the arguments behind the program's name. Pure: looks at nothing but its input.
  init(_ arguments: [String]) throws(ProgramError) {
    let before = try OptionScanner.scan(arguments, for: CommandOption.global, stopsAtOperand: true)
    guard let word = before.operands.first else {
      try self.init(withoutCommand: before)
      return
    }
    guard let name = CommandName(rawValue: word) else {
      throw .usage("there is no command \(word.shown)", "flashline --help lists them")
    }
    let rest = Array(before.operands.dropFirst())
    let after = try OptionScanner.scan(rest, for: CommandOption.global + name.options, stopsAtOperand: false)
    let values = try OptionValues(before.found + after.found)
    if values.has("help") {
      self.init(command: .help(name))
    } else if values.has("version") {
      self.init(command: .version)
    } else {
      let operands = name == .smp || name == .ota ? Array(after.operands.prefix(1)) : name == .observe ? [] : after.operands
      let more = name == .observe ? after.operands[...] : after.operands.dropFirst()
      let command = try Command.read(name, values, try Self.operand(of: name, operands), more)
      self.init(command: command, config: try values.text("config"), isJSON: values.has("json"), isQuiet: values.has("quiet"))
    }
  }

  private init(withoutCommand scanned: ScannedOptions) throws(ProgramError) {
    let values = try OptionValues(scanned.found)
    if values.has("help") {
      self.init(command: .help(nil))
    } else if values.has("version") {
      self.init(command: .version)
    } else {
      throw .usage("no command is given", "flashline --help lists them")
    }
  }

  private static func operand(of name: CommandName, _ operands: [String]) throws(ProgramError) -> String {
    guard let wanted = name.operand else {
      if let extra = operands.first { throw .usage("\(name.rawValue) does not know what to do with \(extra.shown)", "flashline \(name.rawValue) --help") }
      return ""
    }
    guard let operand = operands.first, !operand.isEmpty else {
      throw .usage("\(name.rawValue) needs \(wanted)", "write " + name.example)
    }
    if operands.count > 1 { throw .usage("\(name.rawValue) takes one \(wanted), not also \(operands[1].shown)", "call it once for each") }
    return operand
  }
}

extension Invocation.Command {
  /// - Parameters:
  ///   - operand: empty for a command that takes none.
  ///   - more: the words behind it, for the commands that take any.
  static func read(_ name: CommandName, _ values: OptionValues, _ operand: String, _ more: ArraySlice<String>) throws(ProgramError) -> Self {
    switch name {
    case .adapters: return .adapters
    case .scan: return .scan(seconds: try values.integer("seconds", in: 1...600) ?? 10, mode: try values.choice("mode", of: BoardMode.self) ?? .application)
    case .inspect: return .inspect(package: operand, profile: try values.text("profile"))
    case .run: return .run(try JobRequest(values, command: name))
    case .recover: return .recover(try JobRequest(values, command: name))
    case .flash:
      return .flash(try address(operand), unit: try values.label("unit"), try JobRequest(values, command: name))
    case .smp: return .smp(try address(operand), try SMPOrder(more, values))
    case .observe: return .observe(try ObserveRequest(more, values))
    case .report: return .report(try ReportRequest(values))
    case .summary: return .summary(try FilterRequest(values))
    case .catalog: return .catalog(try CatalogRequest(operand, values))
    case .ota: return .ota(try OTARequest(operand, more, values))
    case .audit: return .audit(expect: try head(values))
    case .line: return .line(try LineRequest(values))
    case .demo: return .demo(try LineRequest(values), keep: try values.text("keep"))
    }
  }

  static func address(_ operand: String) throws(ProgramError) -> BluetoothAddress {
    guard let address = BluetoothAddress(operand) else {
      throw .usage("\(operand.shown) is no Bluetooth address", "write six pairs of digits, like C0:DE:00:00:00:01")
    }
    return address
  }

  /// A head of the audit chain: 64 hexadecimal digits.
  private static func head(_ values: OptionValues) throws(ProgramError) -> String? {
    guard let text = try values.text("expect")?.lowercased() else { return nil }
    guard text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw .usage("--expect \(text.shown) is no audit head", "copy the 64 digits that a job or flashline summary printed")
    }
    return text
  }
}

extension JobRequest {
  init(_ values: OptionValues, command: CommandName) throws(ProgramError) {
    profiles = try values.all("profile")
    guard !profiles.isEmpty else {
      throw .usage("\(command.rawValue) needs a profile", "write --profile NAME, the name of a file in the profiles folder")
    }
    package = try values.text("package")
    count = try values.integer("count", in: 1...1_000_000)
    until = try values.timeOfDay("until")
    idle = try values.duration("idle")
    boards = try values.text("boards")
    lot = try values.label("lot")
    workOrder = try values.label("work-order")
    `operator` = try values.label("operator")
    startsNew = values.has("new")
    waits = values.has("wait")
    if waits, idle != nil { throw .usage("--wait and --idle contradict each other", "leave one of them out") }
    if package != nil, profiles.count > 1 {
      throw .usage("--package goes with one profile, and there are \(profiles.count)", "name the package in each profile's [firmware] section instead")
    }
  }
}

extension FilterRequest {
  init(_ values: OptionValues) throws(ProgramError) {
    since = try values.text("since")
    until = try values.text("until")
    after = try values.integer("after", in: 0...Int.max).map(Int64.init)
    lot = try values.text("lot")
    profile = try values.text("profile")
    job = try values.choice("job", of: JobKind.self)
    batch = try values.integer("batch", in: 1...Int.max).map(Int64.init)
  }
}

extension ReportRequest {
  init(_ values: OptionValues) throws(ProgramError) {
    filter = try FilterRequest(values)
    format = try values.choice("format", of: Format.self)
    isForExcel = values.has("excel")
    output = try values.text("output")
    let wantsJSON = values.has("json")
    if isForExcel, format == .json || (wantsJSON && output == nil) {
      throw .usage("--excel is a form of CSV", "leave out --excel, or what asks for JSON")
    }
    if wantsJSON, format == .csv, output == nil {
      throw .usage("--json promises JSON on stdout, and --format csv asks for CSV there", "leave one of them out, or write --output FILE")
    }
  }
}

extension LineRequest {
  init(_ values: OptionValues) throws(ProgramError) {
    adapters = try values.integer("adapters", in: 1...16) ?? 4
    stranded = try values.integer("stranded", in: 0...200) ?? 0
    // A line of stranded boards only is a line too.
    boards = try values.integer("boards", in: (stranded > 0 ? 0 : 1)...LineOptions.boardLimit) ?? 24
    kind = try values.choice("kind", of: SMPKind.self) ?? .swap
    faults = try values.text("faults")
    state = try values.text("state")
    timeScale = try values.number("time-scale", in: 0.01...100) ?? 1
    seed = try values.integer("seed", in: 0...Int.max).map(UInt64.init) ?? 1
    places = try values.integer("places", in: 1...LineOptions.boardLimit)
  }
}
