import SQLite
import Flashing
import Foundation
import Testing

@testable import Records

@Suite("The audit chain")
struct AuditTests {
  /// Five records in a batch that was stopped, taken up again and ended: eight entries would be five results and three events.
  static func fill(_ bench: Workbench) async throws -> String {
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    for board in 1...3 { try await book.record(batch, board: board, board == 2 ? .failed : .passed) }
    _ = try await book.endBatch(batch, reason: .operator, missing: [], at: Sample.morning + 1)
    _ = try await book.newBatch(startNew: false)
    for board in 4...5 { try await book.record(batch, board: board, .passed) { $0.operator = "Zoë, \"Z\"" } }
    let head = try await book.endBatch(batch, reason: .count, missing: ["U9"], at: Sample.morning + 2)
    try await book.close()
    return head
  }

  @Test("A database that nobody touched is sound, and its head is the one that the batch's end showed")
  func sound() async throws {
    let bench = try Workbench()
    let head = try await Self.fill(bench)
    let report = try await RecordReader.open(bench.database).audit(expecting: head.uppercased())
    #expect(report == AuditReport(entries: 8, results: 5, head: head, fault: nil))
    #expect(report.json.line == #"{"ok":true,"entries":8,"results":5,"head":"\#(head)","fault":null}"#)
  }

  @Test("The chain can be computed by anyone: SHA-256 over the previous hash and the canonical row, by coreutils here")
  func independent() async throws {
    let bench = try Workbench()
    let head = try await Self.fill(bench)
    var previous = String(repeating: "0", count: 64)
    for row in try bench.query("SELECT canonical, hash FROM audit ORDER BY sequence") {
      previous = try Self.sha256sum(previous + #require(row[0].text))
      #expect(row[1] == .text(previous))
    }
    #expect(previous == head)
    let first = try bench.query("SELECT canonical FROM audit WHERE record = 4").first?.first?.text
    #expect(
      first
        == #"[1,4,4,1,"2026-11-30","line-1",null,"L1","Zoë, \"Z\"",null,"demo","update",null,"C0:DE:00:00:00:04",null,"random",null,null,null,null,null,null,"#
        + #"null,null,null,"ab12",null,null,null,null,null,"untouched",null,null,null,"passed",1,null,null,null,1,0,"2026-11-30T08:00:00.000Z","#
        + #""2026-11-30T08:00:02.000Z",2.0,null,null,null,null,null,"0.1.0"]"#)
  }

  /// What somebody does with the `sqlite3` shell, and what the check says of it.
  static let crimes: [(String, AuditFault.Kind, Int64?, String)] = [
    ("UPDATE attempts SET outcome = 'passed', good = 1 WHERE record = 2", .rowChanged, 2, #"outcome is "passed", the audit keeps "failed""#),
    ("UPDATE attempts SET duration_s = 2.0000000001 WHERE record = 3", .rowChanged, 3, "duration_s"),
    ("UPDATE attempts SET operator = 'Zoe\u{308}, \"Z\"' WHERE record = 5", .rowChanged, 5, "operator"),
    ("UPDATE attempts SET work_order = '' WHERE record = 1", .rowChanged, 1, "work_order is \"\", the audit keeps null"),
    ("DELETE FROM attempts WHERE record = 3", .rowRemoved, 3, "was removed"),
    ("UPDATE attempts SET record = NULL WHERE record = 4", .rowRemoved, 4, "was removed"),
    ("DELETE FROM attempts WHERE record = 2; DELETE FROM audit WHERE record = 2", .entryMissing, 3, "entry 2 is missing"),
    (
      """
      DELETE FROM attempts WHERE record = 2; DELETE FROM audit WHERE record = 2; UPDATE audit SET sequence = sequence - 1 WHERE sequence = 3;
      UPDATE audit SET sequence = sequence - 1 WHERE sequence > 3
      """, .entryChanged, 3, "does not continue"
    ),
    (
      "UPDATE attempts SET record = -1 WHERE record = 1; UPDATE attempts SET record = 1 WHERE record = 2; UPDATE attempts SET record = 2 WHERE record = -1",
      .rowChanged, 1, "attempt_id"
    ),
    (
      """
      UPDATE audit SET sequence = -1 WHERE sequence = 1; UPDATE audit SET sequence = 1 WHERE sequence = 2;
      UPDATE audit SET sequence = 2 WHERE sequence = -1
      """, .entryChanged, 2, "does not continue"
    ),
    ("UPDATE audit SET canonical = replace(canonical, 'failed', 'passed') WHERE record = 2", .entryChanged, 2, "does not continue"),
    ("UPDATE audit SET hash = lower(hex(randomblob(32))) WHERE sequence = 8", .entryChanged, nil, "does not continue"),
    ("DELETE FROM audit WHERE record IS NULL AND sequence = 5", .entryMissing, 4, "entry 5 is missing"),
    (
      "INSERT INTO attempts SELECT 6, 6, batch_id, report_day, station_id, work_order, lot, operator, unit_id, profile, job, upgrade_mode, mac, dfu_mac, "
        + "address_type, serial_number, model_number, hardware_revision, firmware_before, firmware_after, bootloader_before, bootloader_after, package, "
        + "package_sha256, image_hash, image_hash_before, image_hash_after, image_state, verified_by, settings_erased, left_as, adapter_label, adapter_path, "
        + "adapter_mac, outcome, good, failure_code, failure_phase, failure_message, attempt, retries, started_at, finished_at, duration_s, upload_bytes, "
        + "upload_s, upload_kB_per_s, resumed_from, rssi_dbm, tool_version, is_final FROM attempts WHERE record = 1", .rowAdded, 6, "not in the audit"
    ),
    ("UPDATE batches SET end_reason = 'idle'", .rowChanged, nil, "batch 1 was changed"),
    ("UPDATE batches SET ended_at = NULL, end_reason = NULL, missing = '[]'", .rowChanged, nil, "batch 1 was changed"),
    ("UPDATE batches SET lot = 'L2'", .rowChanged, nil, "batch 1 was changed"),
    ("DELETE FROM attempts WHERE record = 5", .rowRemoved, 5, "was removed"),
  ]

  @Test("What was changed, removed, moved or added is found, and the first row is named", arguments: crimes)
  func found(sql: String, kind: AuditFault.Kind, record: Int64?, words: String) async throws {
    let bench = try Workbench()
    _ = try await Self.fill(bench)
    try bench.shell(sql)
    let report = try await RecordReader.open(bench.database).audit()
    #expect(report.fault?.kind == kind)
    #expect(report.fault?.record == record)
    #expect(report.fault?.message.contains(words) == true, "\(report.fault?.message ?? "nothing found")")
  }

  @Test("A tail that was cut off cleanly is found only against a kept head")
  func cutTail() async throws {
    let bench = try Workbench()
    let head = try await Self.fill(bench)
    let reader = try await RecordReader.open(bench.database)
    let early = try #require(try bench.query("SELECT hash FROM audit WHERE sequence = 3").first?.first?.text)
    try bench.shell(
      """
      DELETE FROM audit WHERE sequence >= 5; DELETE FROM attempts WHERE record >= 4;
      UPDATE batches SET ended_at = '2026-11-30T08:00:00.001Z', end_reason = 'operator', missing = '[]'
      """)
    #expect(try await reader.audit().isSound)
    #expect(try await reader.audit(expecting: early).isSound, "an older head still stands in the chain")
    #expect(try await reader.audit(expecting: head).fault?.kind == .headMissing)
    #expect(try await reader.audit(expecting: "no head at all").fault?.kind == .headMissing)
  }

  @Test("The elements of a canonical row are taken apart at commas outside quotes")
  func elements() {
    #expect(Canon.elements(of: #"[1,"a,b",null,"q\"x,\\",-2.5,"\\\"",7]"#) == ["1", #""a,b""#, "null", #""q\"x,\\""#, "-2.5", #""\\\"""#, "7"])
  }

  private static func sha256sum(_ text: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let answer = try #require(try output.fileHandleForReading.readToEnd())
    process.waitUntilExit()
    return String(String(decoding: answer, as: UTF8.self).prefix(64))
  }
}
