import Bluetooth
import Flashing
import Testing
import VirtualLine

@testable import flashline

/// The demo's verdict: records against the boards' own truth.
@Suite struct TruthCheckTests {
  private func board(version: String? = "2.0.0", hash: String? = "aa", confirmed: Bool = true) throws -> LineTruth {
    let text = """
      {"conduct":{"overlappingConnects":0,"connectsWhileDiscovering":0,"oversizedWrites":0,"lineFaults":[]},
       "boards":[{"number":0,"kind":"smp","mode":"application","address":"C0:DE:00:00:00:01","name":"n","serial":"S1","model":"m","hardware":"1.0",
       "confirmed":\(confirmed),"advertises":true,"connected":false,"slots":[],"connections":1,"uploads":1,"bytesReceived":0,"droppedPackets":0,
       "boots":[],"faultsFired":{}\(version.map { ",\"version\":\"\($0)\"" } ?? "")\(hash.map { ",\"hash\":\"\($0)\"" } ?? "")}]}
      """
    return try LineTruthReader.read(text)
  }

  private let good = TruthCheck.Recorded(mac: "C0:DE:00:00:00:01", isGood: true, version: "2.0.0", hash: "aa", serial: "S1", hardware: "1.0")

  @Test func agreementIsCounted() throws {
    let check = TruthCheck(truth: try board(), recorded: [good])
    #expect(check.agreeing == 1)
    #expect(check.differences.isEmpty)
    #expect(TruthCheck(truth: try board(version: "2.0.0+0"), recorded: [good]).differences.isEmpty)
  }

  @Test func everyDifferenceIsNamed() throws {
    #expect(TruthCheck(truth: try board(version: "1.0.0"), recorded: [good]).differences.first?.contains("version recorded 2.0.0, on the board 1.0.0") == true)
    #expect(TruthCheck(truth: try board(version: nil, hash: nil), recorded: [good]).differences.first?.contains("on the board none") == true)
    #expect(TruthCheck(truth: try board(confirmed: false), recorded: [good]).differences.first?.contains("not confirmed") == true)
    var other = good
    other.serial = "S2"
    #expect(TruthCheck(truth: try board(), recorded: [other]).differences.first?.contains("serial number recorded S2, on the board S1") == true)
    other.mac = "C0:DE:00:00:00:02"
    #expect(TruthCheck(truth: try board(), recorded: [other]).differences.first?.contains("the line has no such board") == true)
  }

  @Test func aBadResultPromisesNothing() throws {
    var failed = good
    failed.isGood = false
    failed.version = "1.0.0"
    let check = TruthCheck(truth: try board(), recorded: [failed])
    #expect(check.agreeing == 0)
    #expect(check.differences.isEmpty)
  }

  @Test func aRowOfResultsIsReadByItsColumns() {
    var record = AttemptRecord(
      batchID: 1, stationID: "s", profile: "p", job: .update, mac: BluetoothAddress(bits: 0xC0DE_0000_0001), addressType: .random, attempt: 1, startedAt: 0,
      toolVersion: "0")
    record.good = true
    record.firmwareAfter = "2.0.0"
    record.imageHashAfter = "aa"
    record.serialNumber = "S1"
    record.hardwareRevision = "1.0"
    #expect(TruthCheck.Recorded(ResultColumn.allCases.map { record.cell($0) }) == good)
    #expect(TruthCheck.Recorded([]).isGood == false)
  }
}
