import Bluetooth
import Flashing
import FoundationEssentials
import Station
import Testing

@testable import flashline

/// What a scan makes of the air.
@Suite struct ScanReportTests {
  private let profile: BoardProfile

  init() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.profile"
    try Data("[board]\nname = a\nfamily = mcuboot\n[match]\nname_prefix = A-\nmin_rssi = -70\n".utf8).write(to: URL(filePath: path))
    profile = try BoardProfile(path: path)
  }

  private func heard(_ number: UInt64, name: String?, rssi: [Int], services: [UInt16] = []) -> [Advertisement] {
    var services = Set(services.map { BluetoothUUID(short: $0) })
    services.insert(.simpleManagement)
    return rssi.map {
      Advertisement(address: BluetoothAddress(bits: 0xC0DE_0000_0000 | number), addressType: .random, name: name, rssi: $0, services: services)
    }
  }

  private func report(_ advertisements: [(String, Advertisement)]) -> ScanReport {
    var log = ScanLog()
    for (adapter, advertisement) in advertisements { log.note(advertisement, on: adapter) }
    return ScanReport(log: log, admission: Admission(profiles: [profile]))
  }

  @Test func theMedianOfTheAdapterThatHearsBestCounts() throws {
    let air = heard(1, name: "A-1", rssi: [-60, -40, -61]).map { ("left", $0) } + heard(1, name: nil, rssi: [-50, -52, -90]).map { ("right", $0) }
    let row = try #require(report(air).rows.first)
    #expect(row.board.best?.adapter == "right")
    #expect(row.board.best?.rssi == -52)
    #expect(row.board.advertisement.name == "A-1")
    #expect(row.profiles == ["a"])
    #expect(row.reason == nil)
  }

  @Test func admittedBoardsComeFirstAndBootloadersAreNotListed() {
    let air =
      heard(1, name: "other", rssi: [-20]) + heard(2, name: "A-2", rssi: [-60]) + heard(3, name: "A-3", rssi: [-80])
      + heard(4, name: "DfuTarg", rssi: [-10], services: [0xFE59])
    let rows = report(air.map { ("left", $0) }).rows
    #expect(rows.map(\.board.advertisement.name) == ["A-2", "A-3", "other"])
    #expect(rows.map(\.reason) == [nil, "weaker than min_rssi -70", "no profile"])
  }

  @Test func namesFromTheAirAreEscapedForPeopleAndWholeForPrograms() {
    let report = report(heard(1, name: "A-\u{1B}[2J", rssi: [-50]).map { ("left", $0) })
    #expect(report.lines.joined(separator: "\n").contains("A-\\u{1b}[2J"))
    #expect(report.json.line.contains(#""name":"A-\u001b[2J""#))
  }

  @Test func anEmptyAirIsSaid() {
    #expect(report([]).lines == ["no board was heard"])
  }
}
