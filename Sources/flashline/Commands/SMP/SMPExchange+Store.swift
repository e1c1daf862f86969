import Firmware
import Flashing
import SMP
import Station

/// The groups for statistics and settings.
extension SMPExchange {
  func store(_ action: SMPAction) async throws -> SMPReport {
    switch action {
    case .statisticsList:
      let names = try await send(StatisticsListRequest())
      return SMPReport(names.isEmpty ? ["the board keeps no statistics"] : names.map { BoardText.line($0) }, [.init("groups", Self.texts(names))])
    case .statistics(let name):
      let reading = try await send(StatisticsReadRequest(name: name))
      let width = reading.fields.map { BoardText.line($0.name, limit: 60).columns }.max() ?? 0
      return SMPReport(
        reading.fields.map { BoardText.line($0.name, limit: 60).padded(to: width + 2) + "\($0.value)" },
        [.init("name", .text(name)), .init("fields", .object(reading.fields.map { .init($0.name, Self.number($0.value)) }))])
    case .setting(let name, let largest): return Self.report(try await send(SettingReadRequest(name: name, largest: largest)), of: name)
    case .setSetting(let name, let bytes):
      try await send(SettingWriteRequest(name: name, bytes: bytes))
      return .done("\(name.escaped()) is set; settings save makes it outlast a restart")
    case .deleteSetting(let name):
      try await send(SettingDeleteRequest(name: name))
      return .done("\(name.escaped()) is deleted; settings save makes that outlast a restart")
    case .commitSettings:
      try await send(SettingsCommitRequest())
      return .done("the firmware has taken over the settings")
    case .loadSettings:
      try await send(SettingsLoadRequest())
      return .done("the saved settings are loaded")
    default:
      try await send(SettingsSaveRequest())
      return .done("the settings are saved")
    }
  }

  private static func report(_ value: SettingValue, of name: String) -> SMPReport {
    let text = BoardText.text(of: value.bytes)
    return .values([
      ("name", name.escaped(), .text(name)), ("bytes", "\(value.bytes.count)", .of(value.bytes.count)),
      ("value_hex", value.bytes.isEmpty ? "-" : value.bytes.hex, .text(value.bytes.hex)),
      ("value_text", text.map { $0.escaped(limit: 1000) } ?? "-", .of(text)), ("max_size", value.largest.map(String.init) ?? "-", .of(value.largest)),
    ])
  }
}
