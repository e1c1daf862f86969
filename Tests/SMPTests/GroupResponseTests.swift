import Testing

@testable import SMP

/// What the answers of the groups beside os and image mean, and what is refused in them.
struct GroupResponseTests {
  /// An answer's body from its diagnostic form in hexadecimal.
  private func body(_ text: String) throws -> CBORValue { try CBORValue(decoding: hex(text)) }

  @Test("Tasks, also those that share a name, with the fields that the build has (smp.md §3.1)")
  func tasks() throws {
    let tasks = try TaskStatisticsRequest.decode(
      .object([
        "tasks": .map([
          .init(
            .text("idle"),
            .object([
              "prio": .integer(15), "tid": .unsigned(1), "state": .unsigned(0), "stkuse": .unsigned(17), "stksiz": .unsigned(80), "cswcnt": .unsigned(3),
              "runtime": .unsigned(900), "last_checkin": .unsigned(0), "next_checkin": .unsigned(0),
            ])), .init(.text("-1"), .object(["prio": .integer(-1)])), .init(.text("-1"), .object(["prio": .integer(-1), "tid": .unsigned(4)])),
          .init(.integer(-2), .object(["prio": .integer(-2)])),
        ])
      ]))
    #expect(tasks.map(\.name) == ["idle", "-1", "-1", "-2"])
    #expect(tasks.map(\.priority) == [15, -1, -1, -2])
    #expect(tasks[0].stackUse == 17 && tasks[0].stackSize == 80 && tasks[0].contextSwitches == 3 && tasks[0].runtime == 900)
    #expect(tasks[1].stackUse == nil && tasks[2].id == 4)
    #expect(throws: SMPDecodeError.missing("tasks")) { try TaskStatisticsRequest.decode(.map([])) }
    #expect(throws: SMPDecodeError.wrongType("tasks")) { try TaskStatisticsRequest.decode(.object(["tasks": .array([])])) }
    #expect(throws: SMPDecodeError.wrongType("idle")) { try TaskStatisticsRequest.decode(.object(["tasks": .object(["idle": .unsigned(1)])])) }
    #expect(throws: SMPDecodeError.wrongType("prio")) {
      try TaskStatisticsRequest.decode(.object(["tasks": .object(["idle": .object(["prio": .text("1")])])]))
    }
  }

  @Test("Memory pools as Zephyr answers, and as Mynewt does")
  func pools() throws {
    let pool = CBORValue.object(["blksiz": .unsigned(32), "nblks": .unsigned(10), "nfree": .unsigned(7), "min": .unsigned(2)])
    let other = CBORValue.object(["blksize": .unsigned(32), "nblks": .unsigned(10), "nfree": .unsigned(7)])
    let expected = MemoryPool(name: "msys_1", blockSize: 32, blocks: 10, free: 7, leastFree: 2)
    #expect(try MemoryPoolRequest.decode(.object(["msys_1": pool, "rc": .unsigned(0)])) == [expected])
    #expect(try MemoryPoolRequest.decode(.object(["rc": .unsigned(0), "mpools": .object(["msys_1": pool])])) == [expected])
    #expect(try MemoryPoolRequest.decode(.object(["a": other])) == [MemoryPool(name: "a", blockSize: 32, blocks: 10, free: 7)])
    #expect(throws: SMPDecodeError.outOfRange("nfree")) {
      try MemoryPoolRequest.decode(.object(["a": .object(["blksiz": .unsigned(1), "nblks": .unsigned(1), "nfree": .integer(-1)])]))
    }
    #expect(throws: SMPDecodeError.wrongType("a")) { try MemoryPoolRequest.decode(.object(["mpools": .object(["a": .unsigned(1)])])) }
  }

  @Test("Statistics, up to the largest counter")
  func statistics() throws {
    let reading = try StatisticsReadRequest.decode(.object(["name": .text("smp"), "fields": .object(["s0": .unsigned(7), "s1": .unsigned(.max)])]))
    #expect(reading == StatisticsReading(name: "smp", fields: [.init(name: "s0", value: 7), .init(name: "s1", value: .max)]))
    #expect(try StatisticsListRequest.decode(.object(["stat_list": .array([.text("smp"), .text("ble")])])) == ["smp", "ble"])
    #expect(throws: SMPDecodeError.wrongType("s0")) { try StatisticsReadRequest.decode(.object(["fields": .object(["s0": .integer(-1)])])) }
    #expect(throws: SMPDecodeError.missing("fields")) { try StatisticsReadRequest.decode(.object(["name": .text("smp")])) }
    #expect(throws: SMPDecodeError.wrongType("stat_list")) { try StatisticsListRequest.decode(.object(["stat_list": .array([.unsigned(1)])])) }
  }

  @Test("Settings")
  func settings() throws {
    #expect(try SettingReadRequest.decode(.object(["val": .bytes([1, 2])])) == SettingValue(bytes: [1, 2]))
    #expect(try SettingReadRequest.decode(.object(["val": .bytes([]), "max_size": .unsigned(8)])) == SettingValue(bytes: [], largest: 8))
    #expect(throws: SMPDecodeError.missing("val")) { try SettingReadRequest.decode(.map([])) }
    #expect(throws: SMPDecodeError.wrongType("val")) { try SettingReadRequest.decode(.object(["val": .text("x")])) }
  }

  @Test("Logs, with messages as text and as bytes, and kinds in each of their forms")
  func logs() throws {
    func entry(_ index: UInt64, _ message: CBORValue, _ kind: CBORValue?) -> CBORValue {
      var entries: [CBORValue.Entry] = [
        .init(.text("msg"), message), .init(.text("ts"), .unsigned(1000)), .init(.text("index"), .unsigned(index)), .init(.text("level"), .unsigned(1)),
        .init(.text("module"), .unsigned(8)),
      ]
      if let kind { entries.append(.init(.text("type"), kind)) }
      return .map(entries)
    }
    let response = try LogReadRequest.decode(
      .object([
        "rc": .unsigned(0), "next_index": .unsigned(12),
        "logs": .array([
          .object([
            "name": .text("reboot_log"), "type": .unsigned(2),
            "entries": .array([
              entry(9, .text("up"), nil), entry(10, .bytes(Array("again".utf8)), .bytes(Array("str".utf8))), entry(11, .bytes([0xA0]), .unsigned(1)),
            ]),
          ]), .object(["name": .text("empty")]),
        ]),
      ]))
    #expect(response.nextIndex == 12)
    #expect(response.logs.map(\.name) == ["reboot_log", "empty"])
    #expect(response.logs[0].entries.map(\.text) == ["up", "again", "\u{FFFD}"])
    #expect(response.logs[0].entries.map(\.kind) == [nil, "str", "cbor"])
    #expect(response.logs[0].entries[0] == LogEntry(index: 9, time: 1000, module: 8, level: 1, message: Array("up".utf8)))
    #expect(try LogModuleListRequest.decode(.object(["module_map": .object(["DEFAULT": .unsigned(0)])])) == [NamedNumber(name: "DEFAULT", number: 0)])
    #expect(try LogLevelListRequest.decode(.object(["level_map": .object(["INFO": .unsigned(1)])])) == [NamedNumber(name: "INFO", number: 1)])
    #expect(try LogListRequest.decode(.object(["log_list": .array([.text("reboot_log")])])) == ["reboot_log"])
    #expect(try RunListRequest.decode(.object(["run_list": .array([.text("t")])])) == ["t"])
    #expect(throws: SMPDecodeError.missing("logs")) { try LogReadRequest.decode(.map([])) }
    #expect(throws: SMPDecodeError.wrongType("msg")) {
      try LogReadRequest.decode(.object(["logs": .array([.object(["name": .text("a"), "entries": .array([entry(1, .unsigned(1), nil)])])])]))
    }
  }

  @Test("A piece of a file, its length with the first only (smp.md §3.5)")
  func fileDownload() throws {
    let first = try FileDownloadRequest.response(
      in: SMPFrame(decoding: hex("0900001700080000 BF 63 6F6666 00 64 64617461 43 010203 63 6C656E 19 0400 FF")))
    #expect(first == .init(offset: 0, data: [1, 2, 3], length: 1024))
    #expect(try FileDownloadRequest.decode(.object(["off": .unsigned(3), "data": .bytes([])])) == .init(offset: 3, data: []))
    #expect(throws: SMPDecodeError.missing("data")) { try FileDownloadRequest.decode(.object(["off": .unsigned(3)])) }
    #expect(throws: SMPDecodeError.outOfRange("len")) {
      try FileDownloadRequest.decode(.object(["off": .unsigned(0), "data": .bytes([]), "len": .integer(-1)]))
    }
  }

  @Test(
    "A wrong offset of a file upload is answered with the file's length (smp.md §3.5); other refusals stay refusals",
    arguments: [
      ("BF 63 6F6666 18 64 FF", 100), ("BF 62 7263 00 63 6F6666 18 64 FF", 100),
      ("BF 63 657272 BF 65 67726F7570 08 62 7263 0B FF 63 6C656E 18 32 FF", 50), ("BF 62 7263 03 63 6C656E 18 32 FF", 50),
      ("BF 63 657272 BF 65 67726F7570 08 62 7263 0B FF FF", nil), ("BF 63 657272 BF 65 67726F7570 08 62 7263 0A FF 63 6C656E 18 32 FF", nil),
      ("BF 62 7263 0A 63 6C656E 18 32 FF", nil), ("BF 62 7263 03 FF", nil),
    ])
  func fileUpload(answer: String, offset: Int?) throws {
    let frame = try SMPFrame(SMPHeader(operation: .writeResponse, group: .fileSystem, sequence: 0, command: 0), payload: hex(answer))
    #expect(!frame.payload.isEmpty)
    if let offset {
      #expect(try FileUploadRequest.response(in: frame) == offset)
    } else {
      #expect { try FileUploadRequest.response(in: frame) } throws: { error in
        guard case SMPAnswerError.refused? = error as? SMPAnswerError else { return false }
        return true
      }
    }
  }

  @Test("Hashes of a file: a number or bytes, of the part that was asked for")
  func fileHash() throws {
    let crc = try FileHashRequest.decode(.object(["type": .text("crc32"), "len": .unsigned(9), "output": .unsigned(0xCBF4_3926)]))
    #expect(crc == FileHash(kind: .crc32, length: 9, output: .number(0xCBF4_3926)))
    let sha = try FileHashRequest.decode(.object(["type": .text("sha256"), "off": .unsigned(4), "len": .unsigned(9), "output": .bytes([1])]))
    #expect(sha == FileHash(kind: .sha256, offset: 4, length: 9, output: .bytes([1])))
    #expect(throws: SMPDecodeError.wrongType("output")) {
      try FileHashRequest.decode(.object(["type": .text("crc32"), "len": .unsigned(9), "output": .text("cbf4")]))
    }
    let kinds = try FileHashKindsRequest.decode(
      .object([
        "types": .object([
          "crc32": .object(["format": .unsigned(0), "size": .unsigned(4)]), "sha256": .object(["format": .unsigned(1), "size": .unsigned(32)]),
        ])
      ]))
    #expect(kinds == [.init(kind: .crc32, isBytes: false, size: 4), .init(kind: .sha256, isBytes: true, size: 32)])
    #expect(try FileStatusRequest.decode(.object(["len": .unsigned(0)])) == 0)
  }

  @Test("A shell's answer; older servers have the command's result under rc, and that is no refusal")
  func shell() throws {
    func answer(_ body: CBORValue) throws -> ShellRequest.Response {
      let header = SMPHeader(operation: .writeResponse, group: .shell, sequence: 0, command: 0)
      return try ShellRequest.response(in: SMPFrame(header, payload: body.encoded()))
    }
    #expect(try answer(.object(["o": .text("ok\r\n"), "ret": .unsigned(0)])) == .init(output: "ok\r\n", code: 0))
    #expect(try answer(.object(["o": .text(""), "ret": .integer(-22)])) == .init(output: "", code: -22))
    #expect(try answer(.object(["o": .text(""), "rc": .integer(-22)])) == .init(output: "", code: -22))
    #expect(try answer(.object(["o": .text(""), "ret": .integer(1), "rc": .unsigned(0)])) == .init(output: "", code: 1))
    #expect(throws: SMPAnswerError.refused(.status(.notSupported))) { try answer(.object(["rc": .unsigned(8)])) }
    #expect(throws: SMPAnswerError.refused(.group(SMPGroupError(group: .shell, code: 2)))) {
      try answer(.object(["err": .object(["group": .unsigned(9), "rc": .unsigned(2)])]))
    }
  }

  @Test("Enumeration")
  func enumeration() throws {
    #expect(try GroupCountRequest.decode(.object(["count": .unsigned(5)])) == 5)
    #expect(try GroupListRequest.decode(.object(["groups": .array([.unsigned(0), .unsigned(63)])])) == [.os, .zephyrBasic])
    #expect(try GroupAtRequest.decode(.object(["group": .unsigned(8)])) == .init(group: .fileSystem, isLast: false))
    #expect(try GroupAtRequest.decode(.object(["group": .unsigned(64), "end": .bool(true)])) == .init(group: SMPGroup(rawValue: 64), isLast: true))
    let details = try GroupDetailsRequest.decode(
      .object(["groups": .array([.object(["group": .unsigned(0), "name": .text("os mgmt"), "handlers": .unsigned(9)]), .object(["group": .unsigned(77)])])]))
    #expect(details == [.init(group: .os, name: "os mgmt", handlers: 9), .init(group: SMPGroup(rawValue: 77))])
    #expect(throws: SMPDecodeError.outOfRange("groups")) { try GroupListRequest.decode(.object(["groups": .array([.unsigned(65_536)])])) }
    #expect(throws: SMPDecodeError.wrongType("groups")) { try GroupListRequest.decode(.object(["groups": .array([.text("os")])])) }
    #expect(throws: SMPDecodeError.missing("group")) { try GroupAtRequest.decode(.map([])) }
  }

  @Test("Memfault's answers; the project key prints as a word and not as itself")
  func memfault() throws {
    let identity = try DiagnosticIdentityRequest.decode(
      .object([
        "device_serial": .text("S1"), "hardware_version": .text("evt"), "software_type": .text("app"), "current_version": .text("1.2.3"),
      ]))
    #expect(identity == DiagnosticIdentity(serial: "S1", hardwareVersion: "evt", softwareType: "app", currentVersion: "1.2.3"))
    #expect(throws: SMPDecodeError.missing("software_type")) {
      try DiagnosticIdentityRequest.decode(.object(["device_serial": .text("S1"), "hardware_version": .text("evt")]))
    }
    let key = try ProjectKeyRequest.decode(.object(["project_key": .text("s3cret")]))
    #expect(key.secret == "s3cret")
    #expect(!"\(key)".contains("s3cret") && !String(reflecting: key).contains("s3cret"))
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.contains("s3cret"))
  }

  @Test("An answer of each group cut anywhere is an error, never a trap")
  func cut() throws {
    let whole = CBORValue.object([
      "tasks": .object(["a": .object(["prio": .integer(-1)])]), "fields": .object(["a": .unsigned(1)]), "stat_list": .array([.text("a")]),
      "val": .bytes([1]), "logs": .array([.object(["name": .text("a")])]), "off": .unsigned(1), "data": .bytes([1]), "len": .unsigned(1),
      "types": .object(["a": .object(["format": .unsigned(0), "size": .unsigned(4)])]), "type": .text("a"), "output": .bytes([1]), "o": .text("a"),
      "groups": .array([.object(["group": .unsigned(1)])]), "group": .unsigned(1), "count": .unsigned(1), "project_key": .text("a"),
    ]).encoded()
    for count in 0..<whole.count {
      let header = SMPHeader(operation: .readResponse, group: .os, sequence: 0, command: 0)
      let frame = try SMPFrame(header, payload: Array(whole.prefix(count)))
      #expect(throws: SMPAnswerError.self) { try TaskStatisticsRequest.response(in: frame) }
      #expect(throws: SMPAnswerError.self) { try FileUploadRequest.response(in: frame) }
      #expect(throws: SMPAnswerError.self) { try ShellRequest.response(in: frame) }
      #expect(throws: SMPAnswerError.self) { try GroupDetailsRequest.response(in: frame) }
    }
  }
}
