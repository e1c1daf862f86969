import Firmware
import Flashing
import SMP
import Station

/// Mynewt's groups: logs, crash, run.
extension SMPExchange {
  func log(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .log(let name, let index): return Self.report(try await send(LogReadRequest(name: name, index: index)))
    case .clearLogs:
      try await send(LogClearRequest())
      return .done("the logs are empty")
    case .appendLog(let name, let text):
      try await send(LogAppendRequest(name: name, message: text))
      return .done("the entry is in the log \(name.escaped())")
    case .logModules: return Self.report(try await send(LogModuleListRequest()), "modules")
    case .logLevels: return Self.report(try await send(LogLevelListRequest()), "levels")
    case .crash(let kind):
      let isAnswered = try await sendLast(CrashRequest(kind))
      return SMPReport([isAnswered ? "the board crashes" : "the link was lost: the board crashed"], [.init("answered", .bool(isAnswered))])
    case .runTest(let name, let token):
      try await send(RunTestRequest(name: name, token: token))
      return .done("\(name.map { "the test \($0.escaped())" } ?? "all tests") started; the result goes to the board's log")
    case .tests:
      let names = try await send(RunListRequest())
      return SMPReport(names.isEmpty ? ["the firmware has no tests"] : names.map { BoardText.line($0) }, [.init("tests", Self.texts(names))])
    default:
      let names = try await send(LogListRequest())
      return SMPReport(names.isEmpty ? ["the board has no logs"] : names.map { BoardText.line($0) }, [.init("logs", Self.texts(names))])
    }
  }

  private static func report(_ numbers: [NamedNumber], _ key: String) -> SMPReport {
    let table = TextTable(heads: ["NUMBER", "NAME"], rows: numbers.map { ["\($0.number)", BoardText.line($0.name)] })
    let list = numbers.map { JSONText.object([.init("name", .text($0.name)), .init("number", .of($0.number))]) }
    return SMPReport(numbers.isEmpty ? ["the board names none"] : table.lines, [.init(key, .list(list))])
  }

  private static func report(_ response: LogReadRequest.Response) -> SMPReport {
    let rows = response.logs.flatMap { log in
      log.entries.map { entry in
        [BoardText.line(log.name, limit: 40), "\(entry.index)", "\(entry.time)", "\(entry.module)", "\(entry.level)", message(entry)]
      }
    }
    let table = TextTable(heads: ["LOG", "INDEX", "TIME", "MODULE", "LEVEL", "MESSAGE"], rows: rows)
    let logs = response.logs.map { log in
      JSONText.object([
        .init("name", .text(log.name)), .init("type", .of(log.kind)),
        .init(
          "entries",
          .list(
            log.entries.map { entry in
              .object([
                .init("index", .of(entry.index)), .init("time_us", .of(entry.time)), .init("module", .of(entry.module)), .init("level", .of(entry.level)),
                .init("type", .of(entry.kind)), .init("message", .text(message(entry))),
              ])
            })),
      ])
    }
    return SMPReport(
      rows.isEmpty ? ["no entries"] : table.lines + ["next index: \(response.nextIndex)"],
      [.init("next_index", .of(response.nextIndex)), .init("logs", .list(logs))])
  }

  /// Text as text, everything else in hexadecimal.
  private static func message(_ entry: LogEntry) -> String {
    guard entry.kind == nil || entry.kind == "str" else { return entry.message.hex }
    return BoardText.line(entry.text, limit: 1000)
  }
}
