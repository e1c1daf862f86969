import SQLite
import Flashing
import Foundation
import Locks
import Synchronization
import Testing

@testable import Records

@Suite("Results as CSV and JSON")
struct WritingTests {
  /// Contract §4, written by hand: `Sample.full`, then an attempt of which little is known.
  static let header = SchemaTests.contract.joined(separator: ",") + "\r\n"
  static let full =
    #"1,1,1,2026-11-30,line-1,'-7,007,"Ada ""Countess"" L.","U,1",demo,update,testAndConfirm,C0:DE:00:00:00:01,C0:DE:00:00:00:02,random,'=1+1,''quoted,1;2,"#
    + #"1.10,1.20.0,'@2,'+2,größe.zip,00ff,0:aa 1:bb,12e4,aa,pending,imageHash,refused,unconfirmed,"left, front",1-2.3,00:FF:00:00:00:01,failed,0,"#
    + "link.lost,upload,\"lost at 1024\r\nof 2048\",3,2,2026-11-30T08:00:00.000Z,2026-11-30T08:00:02.000Z,2.0,1024,0.5,2.048,512,-61,0.1.0\r\n"
  static let sparse =
    "2,2,1,2026-11-30,line-1,,L1,,,demo,update,,C0:DE:00:00:00:02,,random,,,,,,,,,,ab12,,,,,,untouched,,,,skipped,1,,,,1,0,"
    + "2026-11-30T08:00:00.000Z,2026-11-30T08:00:02.000Z,2.0,,,,,,0.1.0\r\n"
  static let excelHeader = "\u{FEFF}" + SchemaTests.contract.joined(separator: ";") + "\r\n"
  static let excelFull =
    #"1;1;1;2026-11-30;"=""line-1""";"=""-7""";"=""007""";"=""Ada """"Countess"""" L.""";"=""U,1""";"=""demo""";update;testAndConfirm;"#
    + #""=""C0:DE:00:00:00:01""";"=""C0:DE:00:00:00:02""";random;"=""=1+1""";"=""'quoted""";"=""1;2""";"=""1.10""";"=""1.20.0""";"=""@2""";"=""+2""";"#
    + #""=""größe.zip""";"=""00ff""";"=""0:aa 1:bb""";"=""12e4""";"=""aa""";pending;imageHash;refused;unconfirmed;"=""left, front""";"=""1-2.3""";"#
    + #""=""00:FF:00:00:00:01""";failed;0;link.lost;upload;"# + "\"lost at 1024\r\nof 2048\""
    + #";3;2;2026-11-30T08:00:00.000Z;2026-11-30T08:00:02.000Z;2,0;1024;0,5;2,048;512;-61;"=""0.1.0""""# + "\r\n"
  static let json =
    #"{"record":1,"attempt_id":1,"batch_id":1,"report_day":"2026-11-30","station_id":"line-1","work_order":"-7","lot":"007","#
    + #""operator":"Ada \"Countess\" L.","unit_id":"U,1","profile":"demo","job":"update","upgrade_mode":"testAndConfirm","mac":"C0:DE:00:00:00:01","#
    + #""dfu_mac":"C0:DE:00:00:00:02","address_type":"random","serial_number":"=1+1","model_number":"'quoted","hardware_revision":"1;2","#
    + #""firmware_before":"1.10","firmware_after":"1.20.0","bootloader_before":"@2","bootloader_after":"+2","package":"größe.zip","#
    + #""package_sha256":"00ff","image_hash":"0:aa 1:bb","image_hash_before":"12e4","image_hash_after":"aa","image_state":"pending","#
    + #""verified_by":"imageHash","settings_erased":"refused","left_as":"unconfirmed","adapter_label":"left, front","adapter_path":"1-2.3","#
    + #""adapter_mac":"00:FF:00:00:00:01","outcome":"failed","good":0,"failure_code":"link.lost","failure_phase":"upload","#
    + #""failure_message":"lost at 1024\r\nof 2048","attempt":3,"retries":2,"started_at":"2026-11-30T08:00:00.000Z","#
    + #""finished_at":"2026-11-30T08:00:02.000Z","duration_s":2.0,"upload_bytes":1024,"upload_s":0.5,"upload_kB_per_s":2.048,"resumed_from":512,"#
    + #""rssi_dbm":-61,"tool_version":"0.1.0"}"#

  @Test("CSV, CSV for Excel, JSON Lines and JSON array are, byte for byte, what was written down by hand")
  func golden() async throws {
    let bench = try Workbench()
    try await Self.fill(bench)
    let reader = try await RecordReader.open(bench.database)
    #expect(try await reader.text(.csv(.standard)) == Self.header + Self.full + Self.sparse)
    #expect(try bench.text(bench.reports + "/2026-11-30.csv") == Self.header + Self.full + Self.sparse, "the day's file is the same")
    let first = Filter(lot: "007", profile: "demo")
    #expect(try await reader.text(.csv(.excel), first) == Self.excelHeader + Self.excelFull)
    #expect(try await reader.text(.jsonLines, first) == Self.json + "\n")
    #expect(try await reader.text(.jsonArray, first) == "[\n" + Self.json + "\n]\n")
    let none = Filter(lot: "none")
    #expect(try await reader.text(.csv(.standard), none) == Self.header, "the header stands always")
    #expect(try await reader.text(.jsonArray, none) == "[]\n")
    #expect(try await reader.text(.jsonLines, none) == "")
  }

  @Test("JSON is JSON: Foundation reads the same values back, numbers as numbers and what is absent as null")
  func jsonIsJSON() async throws {
    let bench = try Workbench()
    try await Self.fill(bench)
    let reader = try await RecordReader.open(bench.database)
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(try await reader.text(.jsonArray).utf8)) as? [[String: Any]])
    try #require(rows.count == 2)
    #expect(rows.allSatisfy { Set($0.keys) == Set(SchemaTests.contract) })
    #expect(rows[0]["rssi_dbm"] as? Int == -61 && rows[0]["upload_kB_per_s"] as? Double == 2.048)
    #expect(rows[1]["serial_number"] is NSNull)
  }

  @Test("The CSV holds exactly what the database holds: read back by a reader of its own, cell by cell")
  func equalsDatabase() async throws {
    let bench = try Workbench()
    try await Self.fill(bench)
    let lines = Self.parse(try bench.text(bench.reports + "/2026-11-30.csv"))
    let rows = try bench.query("SELECT \(ResultWriter.names) FROM results ORDER BY record")
    try #require(lines.count == rows.count + 1)
    for (line, row) in zip(lines.dropFirst(), rows) {
      let expected = row.map { cell in
        switch cell {
        case .absent: ""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        }
      }
      let read = zip(line, row).map { field, cell in cell.text != nil && field.hasPrefix("'") ? String(field.dropFirst()) : field }
      #expect(read == expected)
    }
  }

  /// Text, and how a cell of text is written.
  static let guards: [(String, String)] = [
    ("", ""), ("plain", "plain"), ("=A1", "'=A1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("'x", "''x"), ("\tx", "'\tx"), ("\rx", "\"'\rx\""),
    ("a=b", "a=b"), ("a,b", "\"a,b\""), ("a\nb", "\"a\nb\""), ("a\r\nb", "\"a\r\nb\""), ("\"", "\"\"\"\""), (" x ", " x "), ("=1,2", "\"'=1,2\""),
    ("e\u{301}", "e\u{301}"),
  ]

  @Test("Text that a spreadsheet would run is disarmed, and RFC 4180's special characters are quoted", arguments: guards)
  func guarded(text: String, written: String) {
    #expect(CSVDialect.standard.line([.text(text)], columns: [.failureMessage]) == Array((written + "\r\n").utf8))
  }

  @Test("Numbers stay numbers, and what is no number is empty")
  func numbers() {
    let cells: [ResultCell] = [.integer(-61), .real(-0.5), .real(1e-7), .real(.infinity), .absent]
    let columns: [ResultColumn] = [.rssi, .duration, .duration, .duration, .retries]
    #expect(CSVDialect.standard.line(cells, columns: columns) == Array("-61,-0.5,1e-07,,\r\n".utf8))
    #expect(CSVDialect.excel.line(cells, columns: columns) == Array("-61;-0,5;1e-07;;\r\n".utf8))
  }

  @Test("An identifier too long for a formula, or with control characters in it, stays plain but disarmed")
  func excelLimits() {
    let long = String(repeating: "a", count: 255)
    #expect(CSVDialect.excel.line([.text(long)], columns: [.imageHash]) == Array("\"=\"\"\(long)\"\"\"\r\n".utf8))
    #expect(CSVDialect.excel.line([.text(long + "a")], columns: [.imageHash]) == Array("\(long)a\r\n".utf8))
    #expect(CSVDialect.excel.line([.text("=\n")], columns: [.lot]) == Array("\"'=\n\"\r\n".utf8))
    #expect(CSVDialect.excel.line([.text("")], columns: [.lot]) == Array("\r\n".utf8))
  }

  /// `Sample.full` and an attempt of which little is known.
  static func fill(_ bench: Workbench) async throws {
    let book = try await bench.open()
    let batch = try await book.newBatch().id
    try await book.record(batch, board: 1, .failed) { $0 = Sample.full(batch) }
    try await book.record(batch, board: 2, .skipped)
    try await book.close()
  }

  /// A reader of RFC 4180, written for this test only.
  static func parse(_ text: String) -> [[String]] {
    var lines: [[String]] = [[""]]
    var isQuoted = false
    var scalars = Array(text.unicodeScalars)[...]
    func append(_ scalar: Unicode.Scalar) { lines[lines.count - 1][lines[lines.count - 1].count - 1].unicodeScalars.append(scalar) }
    while let scalar = scalars.popFirst() {
      if isQuoted, scalar == "\"" {
        isQuoted = scalars.first == "\""
        if isQuoted { append(scalars.removeFirst()) }
      } else if isQuoted {
        append(scalar)
      } else if scalar == "\"" {
        isQuoted = true
      } else if scalar == "," {
        lines[lines.count - 1].append("")
      } else if scalar == "\r", scalars.first == "\n" {
        scalars.removeFirst()
        if !scalars.isEmpty { lines.append([""]) }
      } else {
        append(scalar)
      }
    }
    return lines
  }
}

extension RecordReader {
  func text(_ form: ResultForm, _ filter: Filter = Filter()) throws -> String {
    let bytes = Locked<[UInt8]>([])
    try write(filter, as: form) { chunk in bytes.withLock { $0 += chunk } }
    return String(decoding: bytes.withLock(\.self), as: UTF8.self)
  }
}

extension CSVDialect {
  /// A row of cells that no database holds.
  fileprivate func line(_ cells: [ResultCell], columns: [ResultColumn]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, (cell, column)) in zip(cells, columns).enumerated() {
      if index > 0 { bytes.append(separator) }
      append(cell, of: column, to: &bytes)
    }
    return bytes + Self.lineEnd
  }
}
