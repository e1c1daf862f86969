import FoundationEssentials
import Testing

@testable import VirtualLine

/// The groups of a virtual board beside os and image, byte for byte (smp.md §§3.3 to 3.10).
@Suite struct GroupServerTests {
  private static func board(_ change: (inout BoardSettings) -> Void = { _ in }) -> BoardBench {
    var settings = BoardSettings()
    settings.canonical = true
    change(&settings)
    var bench = BoardBench(settings)
    _ = bench.connect()
    return bench
  }

  /// The answer's payload in hexadecimal.
  private func ask(_ bench: inout BoardBench, _ operation: UInt8, _ group: UInt8, _ command: UInt8, _ pairs: [(String, [UInt8])] = []) -> String {
    String(hex(bench.ask(request(operation, group: group, command: command, Hand.map(pairs))).flatMap { $0 }).dropFirst(16))
  }

  private func error(_ group: Int, _ code: Int) -> String {
    hex(Hand.map([("err", Hand.map([("group", Hand.number(group)), ("rc", Hand.number(code))]))]))
  }

  private let unsupported = hex(Hand.map([("rc", Hand.number(8))]))
  private let done = "a0"

  private func upload(_ offset: Int, _ data: [UInt8], _ length: Int? = nil, to name: String = "/lfs/a") -> [(String, [UInt8])] {
    [("name", Hand.text(name)), ("off", Hand.number(offset)), ("data", Hand.data(data))] + (length.map { [("len", Hand.number($0))] } ?? [])
  }

  @Test func whatIsNotBuiltIsNotSupported() {
    var bench = Self.board { $0.groups.built = [] }
    for group: UInt8 in [2, 3, 4, 5, 7, 8, 9, 10, 128, 200] { #expect(ask(&bench, 0, group, 0) == unsupported, "group \(group)") }
    var full = Self.board()
    for group: UInt8 in [4, 5, 6, 7, 11] { #expect(ask(&full, 0, group, 0) == unsupported, "Zephyr has no group \(group)") }
    for (operation, group, command): (UInt8, UInt8, UInt8) in [(0, 2, 2), (2, 2, 0), (0, 3, 1), (0, 8, 4), (0, 9, 0), (2, 10, 0), (2, 128, 0), (0, 8, 9)] {
      #expect(ask(&full, operation, group, command) == unsupported, "\(operation) \(group)/\(command)")
    }
  }

  @Test func tasksPoolsAndTheSlotOfB0() {
    var bench = Self.board { $0.groups.activeB0Slot = 1 }
    #expect(ask(&bench, 0, 0, 2).hasPrefix(hex(Hand.head(5, 1) + Hand.text("tasks") + Hand.head(5, 2) + Hand.text("idle"))))
    #expect(ask(&bench, 0, 0, 3).hasPrefix(hex(Hand.head(5, 1) + Hand.text("smp_buf") + Hand.head(5, 4) + Hand.text("blksiz"))))
    #expect(ask(&bench, 0, 0, 8, [("query", Hand.text("active_b0_slot"))]) == hex(Hand.map([("active", Hand.number(1))])))
    var small = Self.board { ($0.groups.tasks, $0.groups.pools) = (false, false) }
    #expect(ask(&small, 0, 0, 2) == unsupported && ask(&small, 0, 0, 3) == unsupported)
    #expect(ask(&small, 0, 0, 8, [("query", Hand.text("active_b0_slot"))]) == error(0, 3))
  }

  @Test func statisticsCountWhatIsAsked() {
    var bench = Self.board()
    #expect(ask(&bench, 0, 2, 1) == hex(Hand.map([("stat_list", Hand.head(4, 1) + Hand.text("smp"))])))
    let fields = Hand.map([("requests", Hand.number(2)), ("bytes", Hand.number(1 + 10)), ("files", Hand.number(0))])
    #expect(ask(&bench, 0, 2, 0, [("name", Hand.text("smp"))]) == hex(Hand.map([("name", Hand.text("smp")), ("fields", fields)])))
    #expect(ask(&bench, 0, 2, 0, [("name", Hand.text("none"))]) == error(2, 3))
    #expect(ask(&bench, 0, 2, 0) == hex(Hand.map([("rc", Hand.number(3))])))
  }

  @Test func settingsLastOnlyWhenSaved() {
    var bench = Self.board()
    let name = ("name", Hand.text("a/b"))
    #expect(ask(&bench, 0, 3, 0, [name]) == error(3, 3))
    #expect(ask(&bench, 2, 3, 0, [name, ("val", Hand.data([1, 2, 3]))]) == done)
    #expect(ask(&bench, 0, 3, 0, [name]) == hex(Hand.map([("val", Hand.data([1, 2, 3]))])))
    #expect(ask(&bench, 0, 3, 0, [name, ("max_size", Hand.number(2))]) == hex(Hand.map([("val", Hand.data([1, 2])), ("max_size", Hand.number(2))])))
    #expect(ask(&bench, 2, 3, 2) == done)
    #expect(ask(&bench, 0, 3, 3) == done)
    #expect(ask(&bench, 0, 3, 0, [name]) == error(3, 3), "load throws away what was not saved")
    #expect(ask(&bench, 2, 3, 0, [name, ("val", Hand.data([4]))]) == done)
    #expect(ask(&bench, 2, 3, 3) == done)
    bench.reset()
    #expect(ask(&bench, 0, 3, 0, [name]) == hex(Hand.map([("val", Hand.data([4]))])))
    #expect(ask(&bench, 2, 3, 1, [name]) == done)
    #expect(ask(&bench, 2, 3, 1, [name]) == error(3, 3))
    #expect(ask(&bench, 0, 3, 0, [("name", Hand.text(String(repeating: "n", count: 65)))]) == error(3, 2))
    #expect(ask(&bench, 2, 3, 0, [name]) == hex(Hand.map([("rc", Hand.number(3))])))
  }

  @Test func aFileIsWrittenInPiecesAndReadInPieces() {
    var bench = Self.board { $0.groups.downloadChunk = 3 }
    #expect(ask(&bench, 2, 8, 0, upload(0, [1, 2, 3, 4], 6)) == hex(Hand.map([("off", Hand.number(4))])))
    #expect(ask(&bench, 2, 8, 0, upload(4, [5, 6])) == hex(Hand.map([("off", Hand.number(6))])))
    #expect(ask(&bench, 0, 8, 1, [("name", Hand.text("/lfs/a"))]) == hex(Hand.map([("len", Hand.number(6))])))
    let first = Hand.map([("off", Hand.number(0)), ("data", Hand.data([1, 2, 3])), ("len", Hand.number(6))])
    #expect(ask(&bench, 0, 8, 0, [("name", Hand.text("/lfs/a")), ("off", Hand.number(0))]) == hex(first))
    let rest = Hand.map([("off", Hand.number(3)), ("data", Hand.data([4, 5, 6]))])
    #expect(ask(&bench, 0, 8, 0, [("name", Hand.text("/lfs/a")), ("off", Hand.number(3))]) == hex(rest))
    let behind = Hand.map([("off", Hand.number(9)), ("data", Hand.data([]))])
    #expect(ask(&bench, 0, 8, 0, [("name", Hand.text("/lfs/a")), ("off", Hand.number(9))]) == hex(behind))
    bench.reset()
    #expect(ask(&bench, 0, 8, 1, [("name", Hand.text("/lfs/a"))]) == hex(Hand.map([("len", Hand.number(6))])), "files outlast a restart")
  }

  @Test func aWrongOffsetIsRefusedWithTheLengthAndClosesTheFile() {
    var bench = Self.board()
    _ = ask(&bench, 2, 8, 0, upload(0, [1, 2, 3, 4], 8))
    let gap = hex(Hand.map([("err", Hand.map([("group", Hand.number(8)), ("rc", Hand.number(11))])), ("len", Hand.number(4))]))
    #expect(ask(&bench, 2, 8, 0, upload(6, [7, 8])) == gap)
    #expect(ask(&bench, 2, 8, 0, upload(4, [5, 6])) == hex(Hand.map([("off", Hand.number(6))])), "it goes on at the length")
    #expect(ask(&bench, 2, 8, 4) == done)
    // Without closing, a first piece that comes twice is counted twice.
    #expect(ask(&bench, 2, 8, 0, upload(0, [1, 2], 8)) == hex(Hand.map([("off", Hand.number(2))])))
    #expect(ask(&bench, 2, 8, 0, upload(0, [1, 2], 8)) == hex(Hand.map([("off", Hand.number(4))])))
    #expect(ask(&bench, 0, 8, 1, [("name", Hand.text("/lfs/a"))]) == hex(Hand.map([("len", Hand.number(2))])))
  }

  @Test func aFileSystemRefusesByNumber() {
    var bench = Self.board { $0.groups.fileSpace = 10 }
    #expect(ask(&bench, 2, 8, 0, upload(0, [1])) == hex(Hand.map([("rc", Hand.number(3))])), "no length at offset 0")
    #expect(ask(&bench, 2, 8, 0, upload(0, [1], 1, to: "/none/a")) == error(8, 14))
    #expect(ask(&bench, 2, 8, 0, upload(0, [UInt8](repeating: 1, count: 11), 11)) == error(8, 10))
    #expect(ask(&bench, 0, 8, 1, [("name", Hand.text("/lfs/b"))]) == error(8, 3))
    #expect(ask(&bench, 0, 8, 1, [("name", Hand.text("/lfs"))]) == error(8, 4))
    #expect(ask(&bench, 0, 8, 2, [("name", Hand.text("/lfs/b")), ("type", Hand.text("md5"))]) == error(8, 13))
    _ = ask(&bench, 2, 8, 0, upload(0, [], 0, to: "/lfs/e"))
    #expect(ask(&bench, 0, 8, 2, [("name", Hand.text("/lfs/e"))]) == error(8, 16))
  }

  /// "123456789": CRC-32 cbf43926, SHA-256 15e2b0d3… (RFC 3720 and sha256sum).
  @Test func hashesOfAFileAndOfAPart() {
    var bench = Self.board()
    _ = ask(&bench, 2, 8, 0, upload(0, Array("x123456789".utf8), 10))
    let part = [("name", Hand.text("/lfs/a")), ("off", Hand.number(1)), ("len", Hand.number(9))]
    let crc = Hand.map([
      ("type", Hand.text("crc32")), ("off", Hand.number(1)), ("len", Hand.number(9)), ("output", Hand.number(0xCBF4_3926)),
    ])
    #expect(ask(&bench, 0, 8, 2, part) == hex(crc))
    #expect(
      ask(&bench, 0, 8, 2, part + [("type", Hand.text("sha256"))]).hasSuffix("582015e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"))
    #expect(ask(&bench, 0, 8, 2, [("name", Hand.text("/lfs/a")), ("off", Hand.number(10))]) == error(8, 12))
    let kinds = Hand.map([
      ("crc32", Hand.map([("format", Hand.number(0)), ("size", Hand.number(4))])),
      ("sha256", Hand.map([("format", Hand.number(1)), ("size", Hand.number(32))])),
    ])
    #expect(ask(&bench, 0, 8, 3) == hex(Hand.map([("types", kinds)])))
  }

  @Test func aShellPrintsAndReturns() {
    var bench = Self.board()
    func exec(_ bench: inout BoardBench, _ words: [String]) -> String {
      ask(&bench, 2, 9, 0, [("argv", Hand.head(4, words.count) + words.flatMap { Hand.text($0) })])
    }
    #expect(exec(&bench, ["echo", "hi", "there"]) == hex(Hand.map([("o", Hand.text("hi there\r\n")), ("ret", Hand.number(0))])))
    #expect(exec(&bench, ["frob"]).hasSuffix("6372657427"), "ret −8")
    #expect(exec(&bench, []) == error(9, 3))
    #expect(exec(&bench, [String(repeating: "x", count: 256)]) == error(9, 2))
    #expect(ask(&bench, 2, 9, 0) == hex(Hand.map([("rc", Hand.number(3))])))
    #expect(ask(&bench, 2, 9, 0, [("argv", Hand.text("echo"))]) == hex(Hand.map([("rc", Hand.number(3))])))
  }

  @Test func theGroupsAreEnumerated() {
    var bench = Self.board { $0.groups.built = [8, 10] }
    let numbers = ask(&bench, 0, 10, 1)
    #expect(numbers.hasSuffix("080a") || numbers.hasSuffix("080a183f"), "\(numbers)")
    #expect(ask(&bench, 0, 10, 2) == hex(Hand.map([("group", Hand.number(0))])))
    #expect(ask(&bench, 0, 10, 2, [("index", Hand.number(99))]) == error(10, 4))
    let details = Hand.map([("group", Hand.number(8)), ("name", Hand.text("fs mgmt")), ("handlers", Hand.number(5))])
    #expect(ask(&bench, 0, 10, 3, [("groups", Hand.head(4, 1) + Hand.number(8))]) == hex(Hand.map([("groups", Hand.head(4, 1) + details)])))
    #expect(ask(&bench, 0, 10, 3, [("groups", Hand.head(4, 9) + (0..<9).flatMap { Hand.number($0) })]) == error(10, 2))
  }

  @Test func memfaultTellsItsKeyOnlyWhereThereIsOne() {
    var bench = Self.board { $0.groups.projectKey = "k" }
    let identity = Hand.map([
      ("device_serial", Hand.text("S1")), ("hardware_version", Hand.text("1.0")), ("software_type", Hand.text("app")), ("current_version", Hand.text("1.0.0")),
    ])
    #expect(ask(&bench, 0, 128, 0) == hex(identity))
    #expect(ask(&bench, 0, 128, 1) == hex(Hand.map([("project_key", Hand.text("k"))])))
    var keyless = Self.board()
    #expect(ask(&keyless, 0, 128, 1) == error(128, 2))
    var denied = Self.board { $0.groups.isDiagnosticsDenied = true }
    #expect(ask(&denied, 0, 128, 0) == hex(Hand.map([("rc", Hand.number(11))])))
  }

  @Test(
    "unknown and impossible group settings are refused",
    arguments: [
      ("{built: [4]}", "built: 4"), ("{hashes: ['md5']}", "md5"), ("{fileSpace: -1}", "fileSpace"), ("{downloadChunk: 70000}", "downloadChunk"),
      ("{activeB0Slot: 2}", "activeB0Slot"), ("{frob: 1}", "frob"),
    ])
  func badSettings(text: String, what: String) throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      let settings = try decoder.decode(BoardSettings.self, from: Data("{groups: \(text)}".utf8))
      #expect(try #require(settings.complaint).contains(what))
    } catch {
      #expect("\(error)".contains(what), "\(error)")
    }
  }

  @Test func groupSettingsAreRead() throws {
    let text = "{\"groups\": {\"built\": [8, 10], \"hashes\": [], \"fileStatus\": false, \"projectKey\": \"k\", \"diagnosticsDenied\": true}}"
    let settings = try JSONDecoder().decode(BoardSettings.self, from: Data(text.utf8))
    #expect(settings.groups.built == [8, 10] && settings.groups.hashes.isEmpty && !settings.groups.fileStatus)
    #expect(settings.groups.projectKey == "k" && settings.groups.isDiagnosticsDenied && settings.complaint == nil)
  }
}
