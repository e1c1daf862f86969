import Flashing
import SMP

/// The os group.
extension SMPExchange {
  func system(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .echo(let text):
      let back = try await send(EchoRequest(text: text))
      return SMPReport([BoardText.line(back, limit: EchoRequest.longestText)], [.init("text", .text(back))])
    case .consoleEcho(let isOn):
      try await send(EchoControlRequest(isOn: isOn))
      return .done("the console's echo is \(isOn ? "on" : "off")")
    case .tasks: return Self.report(try await send(TaskStatisticsRequest()))
    case .memory: return Self.report(try await send(MemoryPoolRequest()))
    case .clock:
      let time = try await send(DateTimeReadRequest())
      return SMPReport([BoardText.line(time)], [.init("datetime", .text(time))])
    case .setClock(let time):
      try await send(DateTimeWriteRequest(text: time))
      let now = try await send(DateTimeReadRequest())
      return SMPReport(["the board's clock shows \(BoardText.line(now))"], [.init("datetime", .text(now))])
    case .reset(let force, let mode):
      let isAnswered = try await sendLast(ResetRequest(force: force, bootMode: mode))
      let target = mode == .bootloader ? " into its bootloader" : ""
      let words = isAnswered ? "the board restarts\(target)" : "the link was lost before an answer came: the board restarts\(target)"
      return SMPReport([words], [.init("answered", .bool(isAnswered))])
    case .parameters:
      let parameters = try await send(ParametersRequest())
      return .values([
        ("buf_size", "\(parameters.size) bytes", .of(parameters.size)), ("buf_count", "\(parameters.count)", .of(parameters.count)),
      ])
    case .application: return try await application()
    default: return try await bootloader()
    }
  }

  private static func report(_ tasks: [TaskStatistics]) -> SMPReport {
    let table = TextTable(
      heads: ["TASK", "PRIO", "ID", "STATE", "STACK USED", "OF", "SWITCHES", "RUNTIME"],
      rows: tasks.map { task in
        [
          BoardText.line(task.name, limit: 40), cell(task.priority), cell(task.id), cell(task.state), cell(bytes(task.stackUse)), cell(bytes(task.stackSize)),
          cell(task.contextSwitches), cell(task.runtime),
        ]
      })
    let list = tasks.map { task in
      JSONText.object([
        .init("name", .text(task.name)), .init("priority", .of(task.priority)), .init("id", .of(task.id)), .init("state", .of(task.state)),
        .init("stack_used_bytes", .of(bytes(task.stackUse))), .init("stack_size_bytes", .of(bytes(task.stackSize))),
        .init("context_switches", .of(task.contextSwitches)), .init("runtime", .of(task.runtime)),
      ])
    }
    return SMPReport(tasks.isEmpty ? ["the board names no task"] : table.lines, [.init("tasks", .list(list))])
  }

  private static func report(_ pools: [MemoryPool]) -> SMPReport {
    let table = TextTable(
      heads: ["POOL", "BLOCK", "BLOCKS", "FREE", "LEAST FREE"],
      rows: pools.map { [BoardText.line($0.name, limit: 40), cell($0.blockSize), cell($0.blocks), cell($0.free), cell($0.leastFree)] })
    let list = pools.map { pool in
      JSONText.object([
        .init("name", .text(pool.name)), .init("block_bytes", .of(pool.blockSize)), .init("blocks", .of(pool.blocks)), .init("free", .of(pool.free)),
        .init("least_free", .of(pool.leastFree)),
      ])
    }
    return SMPReport(pools.isEmpty ? ["the board names no memory pool"] : table.lines, [.init("pools", .list(list))])
  }

  /// One letter a request: several come back as one line that cannot be taken apart.
  private func application() async throws -> SMPReport {
    var values: [(key: String, text: String, json: JSONText)] = []
    for detail in ApplicationRequest.Detail.allCases {
      do {
        let text = try await send(ApplicationRequest(detail))
        values.append((Self.key(detail), BoardText.line(text), .text(text)))
      } catch SMPClientError.refused(.group) {
        // A letter that this build does not know (os error 2).
        values.append((Self.key(detail), "-", .null))
      }
    }
    return .values(values)
  }

  private static func key(_ detail: ApplicationRequest.Detail) -> String {
    switch detail {
    case .kernelName: "kernel_name"
    case .nodeName: "node_name"
    case .kernelRelease: "kernel_release"
    case .kernelVersion: "kernel_version"
    case .buildTime: "build_time"
    case .machine: "machine"
    case .processor: "processor"
    case .hardwarePlatform: "hardware_platform"
    case .operatingSystem: "operating_system"
    }
  }

  private func bootloader() async throws -> SMPReport {
    let name = try await send(BootloaderNameRequest())
    let mode = try await answerIfAny(BootloaderModeRequest())
    let slot = try await answerIfAny(BootloaderActiveSlotRequest())
    return .values([
      ("bootloader", BoardText.line(name), .text(name)), ("mode", mode.map { "\($0.mode.rawValue) (\($0.mode))" } ?? "-", .of(mode?.mode.rawValue)),
      ("no_downgrade", mode.map { $0.refusesDowngrade ? "yes" : "no" } ?? "-", mode.map { .bool($0.refusesDowngrade) } ?? .null),
      ("active_b0_slot", slot.map(String.init) ?? "-", .of(slot)),
    ])
  }

  /// A question that this bootloader may not know: then nil.
  private func answerIfAny<Request: SMPRequest>(_ request: Request) async throws -> Request.Response? {
    do {
      return try await send(request)
    } catch SMPClientError.refused {
      return nil
    }
  }

  static func cell(_ number: Int?) -> String { number.map(String.init) ?? "-" }

  /// Stacks are counted in words of four bytes.
  private static func bytes(_ words: Int?) -> Int? {
    guard let words else { return nil }
    let (bytes, isTooMany) = words.multipliedReportingOverflow(by: 4)
    return isTooMany ? nil : bytes
  }
}
