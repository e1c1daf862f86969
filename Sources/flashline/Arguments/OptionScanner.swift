import CLinux
import Glibc
import Locks
import Station
import Synchronization

/// What getopt_long found on a command line.
struct ScannedOptions: Hashable {
  struct Found: Hashable {
    var option: CommandOption
    var value: String?
  }

  var found: [Found] = []
  /// What is no option, in order.
  var operands: [String] = []
}

/// Reads options with the C library's getopt_long, so that `--name value`, `--name=value`, `--` and abbreviations work as everywhere.
enum OptionScanner {
  /// getopt keeps its state in globals: one reader at a time.
  private static let gate = Locked(())
  /// Above every character, for options without a short name.
  private static let firstCode: Int32 = 256

  /// - Parameter stopsAtOperand: whether everything after the first operand belongs to somebody else (`flashline --json run …`).
  static func scan(_ arguments: [String], for options: [CommandOption], stopsAtOperand: Bool) throws(ProgramError) -> ScannedOptions {
    let outcome = gate.withLock { _ in read(arguments, options, stopsAtOperand) }
    return try outcome.get()
  }

  private static func read(_ arguments: [String], _ options: [CommandOption], _ stopsAtOperand: Bool) -> Result<ScannedOptions, ProgramError> {
    var argv = (["flashline"] + arguments).map { strdup($0) }
    let names = options.map { strdup($0.name) }
    defer { for pointer in argv + names { free(pointer) } }
    let count = Int32(argv.count)
    argv.append(nil)
    var table = zip(options.indices, options).map { index, option in
      CLinux.option(name: names[index], has_arg: option.value == nil ? 0 : 1, flag: nil, val: firstCode + Int32(index))
    }
    table.append(CLinux.option())

    flashline_reset_getopt()
    var scanned = ScannedOptions()
    while true {
      let current = Int(max(1, flashline_optind()))
      let code = getopt_long(count, &argv, stopsAtOperand ? "+:h" : "-:h", table, nil)
      switch code {
      case -1:
        scanned.operands += argv[min(Int(flashline_optind()), argv.count)...].compactMap { $0.map { String(cString: $0) } }
        return .success(scanned)
      case 1:
        scanned.operands.append(value ?? "")
      case Int32(UInt8(ascii: "h")):
        scanned.found.append(.init(option: CommandOption("help", nil, ""), value: nil))
      case Int32(UInt8(ascii: ":")):
        let option = options.indices.contains(Int(flashline_optopt() - firstCode)) ? options[Int(flashline_optopt() - firstCode)] : nil
        return .failure(.usage("--\(option?.name ?? "option") needs a value", "write --\(option?.name ?? "option") \(option?.value ?? "VALUE")"))
      case Int32(UInt8(ascii: "?")):
        let text = argv.indices.contains(current) ? argv[current].map { String(cString: $0) } ?? "" : ""
        return .failure(refusal(of: text, options))
      default:
        let index = Int(code - firstCode)
        guard options.indices.contains(index) else { return .failure(refusal(of: "", options)) }
        scanned.found.append(.init(option: options[index], value: options[index].value == nil ? nil : value))
      }
    }
  }

  private static var value: String? { flashline_optarg().map { String(cString: $0) } }

  private static func refusal(of text: String, _ options: [CommandOption]) -> ProgramError {
    let name = text.prefix { $0 != "=" }
    if name.hasPrefix("--") {
      let word = name.dropFirst(2)
      if let option = options.first(where: { $0.name == word }), option.value == nil {
        return .usage("\(name) takes no value", "write \(name) alone")
      }
      let similar = options.filter { !$0.isHidden && $0.name.hasPrefix(word) }.map { "--\($0.name)" }
      if similar.count > 1 { return .usage("\(name.shown) may be \(similar.joined(separator: " or "))", "write it out") }
    }
    return .usage("there is no option \(name.shown)", "flashline COMMAND --help lists them")
  }
}
