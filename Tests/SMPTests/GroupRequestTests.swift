import Testing

@testable import SMP

/// The requests of the groups beside os and image, byte for byte.
struct GroupRequestTests {
  typealias Golden = RequestTests.GoldenRequest

  /// Encoded by the PyPI package smp 4.2.0 (Tests/Peer), which has its own encoder; sequence 0.
  static let fromPeer: [Golden] = [
    Golden(name: "task statistics", bytes: { try TaskStatisticsRequest().frame(sequence: 0) }, expected: "0800000100000002a0"),
    Golden(name: "memory pools", bytes: { try MemoryPoolRequest().frame(sequence: 0) }, expected: "0800000100000003a0"),
    Golden(name: "datetime", bytes: { try DateTimeReadRequest().frame(sequence: 0) }, expected: "0800000100000004a0"),
    Golden(
      name: "datetime set", bytes: { try DateTimeWriteRequest(text: "2026-11-30T02:03:04").frame(sequence: 0) },
      expected: "0a00001e00000004a1686461746574696d6573323032362d31312d33305430323a30333a3034"),
    Golden(name: "info", bytes: { try ApplicationRequest(.hardwarePlatform).frame(sequence: 0) }, expected: "0800000a00000007a166666f726d61746169"),
    Golden(
      name: "active slot of b0", bytes: { try BootloaderActiveSlotRequest().frame(sequence: 0) },
      expected: "0800001600000008a16571756572796e6163746976655f62305f736c6f74"),
    Golden(name: "statistics", bytes: { try StatisticsReadRequest(name: "stat").frame(sequence: 0) }, expected: "0800000b00020000a1646e616d656473746174"),
    Golden(name: "statistics list", bytes: { try StatisticsListRequest().frame(sequence: 0) }, expected: "0800000100020001a0"),
    Golden(name: "setting", bytes: { try SettingReadRequest(name: "a/b").frame(sequence: 0) }, expected: "0800000a00030000a1646e616d6563612f62"),
    Golden(
      name: "setting, at most 32 bytes", bytes: { try SettingReadRequest(name: "a/b", largest: 32).frame(sequence: 0) },
      expected: "0800001500030000a2646e616d6563612f62686d61785f73697a651820"),
    Golden(
      name: "loader name", bytes: { try SettingWriteRequest(name: "fw_loader/adv_name", bytes: Array("FL_01234".utf8)).frame(sequence: 0) },
      expected: "0a00002600030000a26376616c48464c5f3031323334646e616d657266775f6c6f616465722f6164765f6e616d65"),
    Golden(name: "setting deleted", bytes: { try SettingDeleteRequest(name: "a/b").frame(sequence: 0) }, expected: "0a00000a00030001a1646e616d6563612f62"),
    Golden(name: "settings commit", bytes: { try SettingsCommitRequest().frame(sequence: 0) }, expected: "0a00000100030002a0"),
    Golden(name: "settings load", bytes: { try SettingsLoadRequest().frame(sequence: 0) }, expected: "0800000100030003a0"),
    Golden(name: "settings save", bytes: { try SettingsSaveRequest().frame(sequence: 0) }, expected: "0a00000100030003a0"),
    Golden(
      name: "file download", bytes: { try FileDownloadRequest(name: "/lfs/a", offset: 300).frame(sequence: 0) },
      expected: "0800001400080000a2636f666619012c646e616d65662f6c66732f61"),
    Golden(
      name: "file upload, first", bytes: { try FileUploadRequest(name: "/lfs/a", offset: 0, data: [1, 2], length: 70_000).frame(sequence: 0) },
      expected: "0a00002300080000a4636c656e1a00011170636f6666006464617461420102646e616d65662f6c66732f61"),
    Golden(
      name: "file upload, later", bytes: { try FileUploadRequest(name: "/lfs/a", offset: 24, data: [3]).frame(sequence: 0) },
      expected: "0a00001a00080000a3636f6666181864646174614103646e616d65662f6c66732f61"),
    Golden(name: "file status", bytes: { try FileStatusRequest(name: "/lfs/a").frame(sequence: 0) }, expected: "0800000d00080001a1646e616d65662f6c66732f61"),
    Golden(
      name: "hash of a part of a file", bytes: { try FileHashRequest(name: "/lfs/a", kind: .sha256, offset: 16, length: 256).frame(sequence: 0) },
      expected: "0800002500080002a4636c656e190100636f666610646e616d65662f6c66732f61647479706566736861323536"),
    Golden(name: "hash of a file", bytes: { try FileHashRequest(name: "/lfs/a").frame(sequence: 0) }, expected: "0800000d00080002a1646e616d65662f6c66732f61"),
    Golden(name: "kinds of hashes", bytes: { try FileHashKindsRequest().frame(sequence: 0) }, expected: "0800000100080003a0"),
    Golden(name: "file close, a write", bytes: { try FileCloseRequest().frame(sequence: 0) }, expected: "0a00000100080004a0"),
    Golden(
      name: "shell", bytes: { try ShellRequest(words: ["kernel", "version"]).frame(sequence: 0) },
      expected: "0a00001600090000a1646172677682666b65726e656c6776657273696f6e"),
    Golden(name: "group count", bytes: { try GroupCountRequest().frame(sequence: 0) }, expected: "08000001000a0000a0"),
    Golden(name: "group list", bytes: { try GroupListRequest().frame(sequence: 0) }, expected: "08000001000a0001a0"),
    Golden(name: "one group", bytes: { try GroupAtRequest(index: 3).frame(sequence: 0) }, expected: "08000008000a0002a165696e64657803"),
    Golden(name: "group details", bytes: { try GroupDetailsRequest().frame(sequence: 0) }, expected: "08000001000a0003a0"),
    Golden(
      name: "details of some groups", bytes: { try GroupDetailsRequest(groups: [.os, .fileSystem, .memfault]).frame(sequence: 0) },
      expected: "0800000d000a0003a16667726f7570738300081880"),
  ]

  /// The keys of device-manager.md §6 and of Mynewt's newtmgr, encoded by PyPI's cbor2 6.3.0 in canonical order; sequence 0. The last three: §9.
  static let fromKeys: [Golden] = [
    Golden(name: "console echo", bytes: { try EchoControlRequest(isOn: true).frame(sequence: 0) }, expected: "0a00000700000001a1646563686f01"),
    Golden(
      name: "log", bytes: { try LogReadRequest(name: "reboot_log", index: 5, time: 1000).frame(sequence: 0) },
      expected: "0800002200040000a36274731903e865696e64657805686c6f675f6e616d656a7265626f6f745f6c6f67"),
    Golden(name: "all logs", bytes: { try LogReadRequest().frame(sequence: 0) }, expected: "0800000c00040000a26274730065696e64657800"),
    Golden(name: "logs cleared", bytes: { try LogClearRequest().frame(sequence: 0) }, expected: "0a00000100040001a0"),
    Golden(
      name: "log entry", bytes: { try LogAppendRequest(name: "app", module: 3, level: 1, message: "hi").frame(sequence: 0) },
      expected: "0a00002400040002a4636d7367626869656c6576656c01666d6f64756c6503686c6f675f6e616d6563617070"),
    Golden(name: "log modules", bytes: { try LogModuleListRequest().frame(sequence: 0) }, expected: "0800000100040003a0"),
    Golden(name: "log levels", bytes: { try LogLevelListRequest().frame(sequence: 0) }, expected: "0800000100040004a0"),
    Golden(name: "log list", bytes: { try LogListRequest().frame(sequence: 0) }, expected: "0800000100040005a0"),
    Golden(name: "crash", bytes: { try CrashRequest(.div0).frame(sequence: 0) }, expected: "0a00000800050000a161746464697630"),
    Golden(
      name: "run test", bytes: { try RunTestRequest(name: "all", token: "t1").frame(sequence: 0) },
      expected: "0a00001700070000a265746f6b656e62743168746573746e616d6563616c6c"),
    Golden(name: "run list", bytes: { try RunListRequest().frame(sequence: 0) }, expected: "0800000100070001a0"),
    Golden(name: "settings save, seq 9", bytes: { try SettingsSaveRequest().frame(sequence: 9) }, expected: "0A00000100030903A0"),
    Golden(name: "memfault info", bytes: { try DiagnosticIdentityRequest().frame(sequence: 0x0A) }, expected: "0800000100800A00A0"),
    Golden(name: "memfault key", bytes: { try ProjectKeyRequest().frame(sequence: 0x0B) }, expected: "0800000100800B01A0"),
  ]

  @Test("Requests of the groups come out byte for byte", arguments: fromPeer + fromKeys)
  func goldenRequest(golden: Golden) throws {
    #expect(hex(try golden.bytes()) == hex(hex(golden.expected)))
    #expect(!hex(golden.expected).isEmpty)
  }

  @Test("The loader's name of device-manager.md §9 says the same, its keys in another order")
  func loaderName() throws {
    let golden = hex("0A0000260003 0800 A2 64 6E616D65 72 66775F6C6F616465722F6164765F6E616D65 63 76616C 48 464C5F3031323334")
    let theirs = try CBORValue(decoding: golden.dropFirst(8))
    let ours = SettingWriteRequest(name: "fw_loader/adv_name", bytes: Array("FL_01234".utf8))
    #expect(theirs.encoded() == ours.payload.encoded())
    #expect(try ours.frame(sequence: 8).prefix(8) == golden.prefix(8))
  }

  @Test("[R] device-manager.md §6: a part of a file is named by off and len, which Zephyr reads, and not by offset and length; closing is a write")
  func partOfAFile() {
    let payload = FileHashRequest(name: "/lfs/a", offset: 16, length: 256).payload
    #expect(payload["off"] == .unsigned(16) && payload["len"] == .unsigned(256))
    #expect(payload["offset"] == nil && payload["length"] == nil)
    #expect(FileCloseRequest.operation == .write)
  }

  @Test("The first group of the board has no index on the wire, as Zephyr's page allows")
  func firstGroup() {
    #expect(GroupAtRequest(index: 0).payload == .map([]))
  }

  @Test("A piece of a file written in one go is the same bytes as through a value", arguments: [0, 1, 23, 24, 255, 256, 2406, 65_000])
  func filePiece(count: Int) throws {
    let file = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    for (offset, length) in [(0, 70_000), (4096, nil)] {
      let request = FileUploadRequest(name: "/lfs/a name", offset: offset, data: file[10..<(10 + count)], length: length)
      #expect(try Array(request.frame(sequence: 9).dropFirst(8)) == request.payload.encoded())
    }
  }

  @Test("Only what may be sent twice says so")
  func repeatable() {
    #expect(FileUploadRequest.isRepeatable && FileCloseRequest.isRepeatable && SettingWriteRequest.isRepeatable && SettingsSaveRequest.isRepeatable)
    #expect(StatisticsReadRequest.isRepeatable && GroupListRequest.isRepeatable && FileDownloadRequest.isRepeatable)
    #expect(!SettingsLoadRequest.isRepeatable, "a read that throws away what was not saved")
    #expect(!ShellRequest.isRepeatable && !CrashRequest.isRepeatable && !RunTestRequest.isRepeatable && !SettingDeleteRequest.isRepeatable)
    #expect(!LogClearRequest.isRepeatable && !LogAppendRequest.isRepeatable && !SettingsCommitRequest.isRepeatable)
  }
}
