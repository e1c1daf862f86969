import Flashing
import SMP

/// Shell, enumeration, Zephyr's basic group, Memfault.
extension SMPExchange {
  func other(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .shell(let words):
      let answer = try await send(ShellRequest(words: words))
      let code = answer.code == 0 ? [] : ["the command returned \(answer.code)"]
      return SMPReport(
        BoardText.lines(answer.output) + code, [.init("output", .text(answer.output)), .init("return_code", .of(answer.code))], isGood: answer.code == 0)
    case .groupCount:
      let count = try await send(GroupCountRequest())
      return SMPReport(["\(count)"], [.init("count", .of(count))])
    case .groups:
      let groups = try await send(GroupListRequest())
      let table = TextTable(heads: ["NUMBER", "GROUP"], rows: groups.map { ["\($0.rawValue)", $0.description] })
      let list = groups.map { JSONText.object([.init("group", .of(Int($0.rawValue))), .init("name", .text($0.description))]) }
      return SMPReport(table.lines, [.init("groups", .list(list))])
    case .groupAt(let index):
      let answer = try await send(GroupAtRequest(index: index))
      return .values([
        ("group", "\(answer.group.rawValue)", .of(Int(answer.group.rawValue))), ("name", answer.group.description, .text(answer.group.description)),
        ("last", answer.isLast ? "yes" : "no", .bool(answer.isLast)),
      ])
    case .groupDetails(let wanted): return Self.report(try await send(GroupDetailsRequest(groups: wanted)))
    case .eraseStorage:
      try await send(EraseStorageRequest())
      return .done("the board's storage is erased: settings and bonds are gone")
    case .projectKey:
      // The only place where it is printed: somebody asked for it.
      let key = try await send(ProjectKeyRequest())
      return SMPReport([BoardText.line(key.secret)], [.init("project_key", .text(key.secret))])
    default:
      let identity = try await send(DiagnosticIdentityRequest())
      return .values([
        ("device_serial", BoardText.line(identity.serial), .text(identity.serial)),
        ("hardware_version", BoardText.line(identity.hardwareVersion), .text(identity.hardwareVersion)),
        ("software_type", BoardText.line(identity.softwareType), .text(identity.softwareType)),
        ("current_version", BoardText.line(identity.currentVersion), .text(identity.currentVersion)),
      ])
    }
  }

  private static func report(_ details: [GroupDetailsRequest.Detail]) -> SMPReport {
    let table = TextTable(
      heads: ["NUMBER", "NAME", "COMMANDS"],
      rows: details.map { ["\($0.group.rawValue)", $0.name.map { BoardText.line($0, limit: 60) } ?? "-", cell($0.handlers)] })
    let list = details.map {
      JSONText.object([.init("group", .of(Int($0.group.rawValue))), .init("name", .of($0.name)), .init("handlers", .of($0.handlers))])
    }
    return SMPReport(details.isEmpty ? ["the board names no such group"] : table.lines, [.init("groups", .list(list))])
  }
}
