import Bluetooth
import Flashing
import Foundation
import Records
import Testing

/// `report`, `summary` and `audit` on a database that the real store has written.
@Suite struct ReportProcessTests {
  private let folder: TemporaryFolder
  private let head: String

  init() async throws {
    folder = try TemporaryFolder()
    _ = try folder.write("[station]\ntimezone = UTC\n", to: "station.conf")
    let calendar = try #require(LocalCalendar(timeZone: "UTC"))
    let place = RecordPlace(database: folder.path + "/flashline.db", reports: folder.path + "/reports", calendar: calendar)
    // 2026-11-30T12:00:00Z, a minute later for each result.
    let noon: Int64 = 1_796_040_000_000
    let book = try await RecordBook.open(place, time: Timekeeper(ContinuousClock(), wall: { noon }))
    let key = BatchKey(job: .update, profiles: ["p"], packages: ["00"], lot: "L1", workOrder: nil)
    let batch = try await book.openBatch(key, stationID: "s", operator: "=anna", startNew: false, at: noon)
    for number in 1...3 {
      var record = AttemptRecord(
        batchID: batch.id, stationID: "s", profile: "p", job: .update, mac: BluetoothAddress(bits: 0xC0DE_0000_0000 | UInt64(number)), addressType: .random,
        attempt: 1, startedAt: noon, toolVersion: "0.1.0")
      record.lot = number == 3 ? "L2" : "L1"
      record.operator = "=anna"
      record.imageHash = "aa"
      record = try await book.begin(record)
      record.outcome = number == 2 ? .failed : .passed
      record.good = number != 2
      record.failureCode = number == 2 ? .linkLost : nil
      record.rssi = -61
      record.finishedAt = noon + Int64(number) * 60_000
      record.duration = 5
      record.isFinal = true
      _ = try await book.finish(record)
    }
    head = try await book.endBatch(batch.id, reason: .idle, missing: [], at: noon + 240_000)
    try await book.close()
  }

  private func run(_ arguments: String...) async throws -> BuiltProgram.Result { try await BuiltProgram.run(arguments, in: folder) }

  @Test func theReportIsTheDailyFile() async throws {
    let report = try await run("report")
    #expect(report.status == 0)
    #expect(report.out == (try String(contentsOfFile: folder.path + "/reports/2026-11-30.csv", encoding: .utf8)))
    #expect(report.out.hasPrefix("record,attempt_id,batch_id,report_day,"))
    #expect(report.out.contains("'=anna"))
    let file = try await run("report", "--output", "o.csv")
    #expect(file.status == 0)
    #expect(try String(contentsOfFile: folder.path + "/o.csv", encoding: .utf8) == report.out)
  }

  @Test func filtersAreHalfOpenAndBareDatesAreLocalMidnight() async throws {
    func records(_ arguments: String...) async throws -> [Int] {
      let result = try await BuiltProgram.run(["report", "--format", "json"] + arguments, in: folder)
      #expect(result.status == 0)
      return try result.events().compactMap { $0["record"] as? Int }
    }
    #expect(try await records() == [1, 2, 3])
    #expect(try await records("--since", "2026-11-30T12:02:00Z") == [2, 3])
    #expect(try await records("--until", "2026-11-30T12:02:00Z") == [1])
    #expect(try await records("--since", "2026-11-30", "--until", "2026-12-01") == [1, 2, 3])
    #expect(try await records("--since", "2026-12-01") == [])
    #expect(try await records("--after", "2") == [3])
    #expect(try await records("--lot", "L2") == [3])
    #expect(try await records("--job", "rescue") == [])
    #expect(try await run("report", "--since", "yesterday").status == 2)
  }

  @Test func jsonIsWholeAndTyped() async throws {
    let events = try await run("--json", "report").events()
    #expect(events.count == 3)
    #expect(events.first?["rssi_dbm"] as? Int == -61)
    #expect(events.first?["mac"] as? String == "C0:DE:00:00:00:01")
    #expect(events.first?["failure_code"] is NSNull)
    let summary = try await run("--json", "summary")
    #expect(summary.outLines.count == 1)
    #expect(try summary.events().first?["audit_head"] as? String == head)
  }

  @Test func excelGetsItsForm() async throws {
    let result = try await run("report", "--excel", "--output", "e.csv")
    #expect(result.status == 0)
    let bytes = try Data(contentsOf: URL(filePath: folder.path + "/e.csv"))
    #expect(bytes.prefix(3) == Data([0xEF, 0xBB, 0xBF]))
    #expect(String(decoding: bytes, as: UTF8.self).contains("record;attempt_id;"))
  }

  @Test func theAuditHoldsAndAnotherHeadDoesNot() async throws {
    let sound = try await run("audit", "--expect", head)
    #expect(sound.status == 0)
    #expect(sound.out.contains("audit head: \(head)"))
    let other = try await run("audit", "--expect", String(repeating: "f", count: 64))
    #expect(other.status == 1)
    #expect(other.err.hasPrefix("flashline: the records do not fit their audit chain: "))
    let json = try await run("--json", "audit", "--expect", String(repeating: "f", count: 64))
    #expect(json.status == 1)
    #expect(try json.events().first?["ok"] as? Bool == false)
  }

  @Test func aReportThatCannotBeWrittenIsAFault() async throws {
    let result = try await run("report", "--output", folder.path + "/no/such/folder/o.csv")
    #expect(result.status == 3)
    #expect(result.err.contains("/no/such/folder/o.csv"))
  }
}
