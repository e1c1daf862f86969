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

  @Test("A board that has been silent for the limit is in neither list, however long the scan")
  func silence() {
    var log = ScanLog()
    for (number, heardAt) in [(UInt64(1), 0), (2, 31), (3, 60)] {
      for advertisement in heard(number, name: "A-\(number)", rssi: [-50]) { log.note(advertisement, on: "left", at: .seconds(heardAt)) }
    }
    let names = { (now: Int) in
      ScanReport(log: log, admission: Admission(profiles: [profile]), at: .seconds(now)).rows.compactMap(\.board.advertisement.name).sorted()
    }
    #expect(names(30) == ["A-1", "A-2", "A-3"])
    #expect(names(60) == ["A-2", "A-3"])
    #expect(names(62) == ["A-3"])
    #expect(names(91) == [])
  }

  @Test("Each board is in the list of one mode, the one that it showed last; what was heard of the other is gone with it")
  func modesAreExclusive() throws {
    let services: [(BluetoothUUID, isBootloader: Bool)] = [(.simpleManagement, false), (.metaWear, false), (.legacyDFU, true), (.secureDFU, true)]
    let address = BluetoothAddress(bits: 0xC0DE_0000_0001)
    for (first, wasBootloader) in services {
      for (second, isBootloader) in services {
        var log = ScanLog()
        for (service, rssi) in [(first, -40), (second, -60)] {
          log.note(Advertisement(address: address, addressType: .random, name: "A-1", rssi: rssi, services: [service]), on: "left")
        }
        let lists = BoardMode.allCases.map { mode in
          ScanReport(log: log, admission: Admission(profiles: [profile], modes: [mode]), mode: mode).rows
        }
        #expect(lists.map(\.count) == BoardMode.allCases.map { ($0 == .bootloader) == isBootloader ? 1 : 0 }, "\(first), then \(second)")
        let row = try #require(lists.joined().first)
        if wasBootloader != isBootloader {
          #expect(row.board.advertisement.services == [second])
          #expect(row.board.best?.rssi == -60)
        }
      }
    }
  }

  @Test func anEmptyAirIsSaid() {
    #expect(report([]).lines == ["no board was heard"])
  }
}
