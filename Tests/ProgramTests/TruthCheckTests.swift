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

  // MARK: Several images

  /// Image 1 is a network core when `readable` is false.
  private func pair(hash: String = "bb", confirmed: Bool = true, readable: Bool = true) throws -> LineTruth {
    var truth = try board()
    let slots: [LineTruth.Slot] = []
    truth.boards[0].images = [
      LineTruth.Image(image: 0, active: 0, version: "2.0.0", hash: "aa", confirmed: true, readable: true, slots: slots, boots: []),
      LineTruth.Image(image: 1, active: 0, version: "2.0.0", hash: hash, confirmed: confirmed, readable: readable, slots: slots, boots: []),
    ]
    return truth
  }

  private func recorded(_ hash: String?) -> [TruthCheck.Recorded] {
    var record = good
    record.hash = hash
    return [record]
  }

  @Test func eachImageIsCompared() throws {
    #expect(TruthCheck(truth: try pair(), recorded: recorded("0:aa 1:bb")).differences.isEmpty)
    #expect(TruthCheck(truth: try pair(), recorded: recorded("aa")).differences.isEmpty, "a package for image 0 alone")
    #expect(TruthCheck(truth: try pair(), recorded: recorded("0:aa")).differences == ["C0:DE:00:00:00:01: image 1 is not recorded"])
    #expect(TruthCheck(truth: try pair(readable: false), recorded: recorded("0:aa")).differences.isEmpty, "nobody can read it")
    let other = TruthCheck(truth: try pair(hash: "cc"), recorded: recorded("0:aa 1:bb"))
    #expect(other.differences.first?.contains("image hash of image 1 recorded bb, on the board cc") == true)
    let trial = TruthCheck(truth: try pair(confirmed: false), recorded: recorded("0:aa 1:bb"))
    #expect(trial.differences.first?.contains("its image 1 is not confirmed") == true)
    let third = TruthCheck(truth: try pair(), recorded: recorded("0:aa 2:dd"))
    #expect(third.differences.first?.contains("image hash of image 2 recorded dd, on the board none") == true)
    #expect(third.differences.first?.contains("image 1 is not recorded") == true)
  }

  @Test func whatNobodyCanReadIsNotAskedFor() throws {
    #expect(TruthCheck(truth: try pair(readable: false), recorded: recorded("0:aa 1:unread")).differences.isEmpty)
    #expect(TruthCheck(truth: try pair(readable: false), recorded: recorded("0:aa 1:cc")).differences.count == 1, "it was recorded all the same")
    #expect(TruthCheck(truth: try pair(), recorded: recorded("0:aa 1:unread")).differences.count == 1, "it could have been read")
  }

  @Test func aFirmwareLoaderIsNoApplication() throws {
    var truth = try board()
    truth.boards[0].loader = LineTruth.Loader(address: "C0:DE:40:00:00:01", name: "FL_1")
    #expect(TruthCheck(truth: truth, recorded: [good]).differences.first?.contains("firmware loader runs") == true)
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
