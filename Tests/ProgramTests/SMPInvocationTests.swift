import Bluetooth
import SMP
import Testing

@testable import flashline

/// `smp` on the command line: every command is understood, and what is wrong is said with how it is written.
@Suite struct SMPInvocationTests {
  private static let address = BluetoothAddress(bits: 0xC0DE_0000_0001)
  private static let hash = String(repeating: "0aB1", count: 16)

  private static func order(_ words: [String]) throws -> SMPOrder {
    guard case .smp(address, let order) = try Invocation(["smp", "\(address)"] + words).command else { throw ProgramError.usage("not smp", "") }
    return order
  }

  static let rows: [(String, SMPAction)] = [
    ("os echo hello", .echo("hello")), ("os echo hello there", .echo("hello there")), ("os console-echo off", .consoleEcho(false)), ("os tasks", .tasks),
    ("os memory", .memory), ("os datetime", .clock), ("os datetime 2026-11-30T14:00:00", .setClock("2026-11-30T14:00:00")),
    ("os reset", .reset(force: false, nil)), ("os reset bootloader force", .reset(force: true, .bootloader)), ("os params", .parameters),
    ("os info", .application), ("os bootloader", .bootloader), ("image list", .images), ("image confirm", .confirmImage(nil)),
    ("image erase", .eraseImage(nil)), ("image erase 3", .eraseImage(3)), ("image slots", .slots), ("stat list", .statisticsList),
    ("stat read smp", .statistics("smp")), ("settings read a/b", .setting("a/b", largest: nil)), ("settings read a/b 16", .setting("a/b", largest: 16)),
    ("settings write a/b two words", .setSetting("a/b", Array("two words".utf8))), ("settings write a/b 00fF --hex", .setSetting("a/b", [0, 255])),
    ("settings delete a/b", .deleteSetting("a/b")), ("settings commit", .commitSettings), ("settings load", .loadSettings),
    ("settings save", .saveSettings), ("fs upload f.bin /lfs/f", .upload(file: "f.bin", path: "/lfs/f")),
    ("fs download /lfs/f f.bin", .download(path: "/lfs/f", file: "f.bin")), ("fs status /lfs/f", .fileStatus("/lfs/f")),
    ("fs hash /lfs/f", .fileHash("/lfs/f", nil, offset: nil, length: nil)),
    ("fs hash /lfs/f sha256 16 32", .fileHash("/lfs/f", .sha256, offset: 16, length: 32)), ("fs hashes", .fileHashKinds), ("fs close", .closeFile),
    ("shell exec -- kernel --version -x", .shell(["kernel", "--version", "-x"])), ("shell exec kernel uptime", .shell(["kernel", "uptime"])),
    ("log list", .logs), ("log read", .log(nil, index: 0)), ("log read reboot_log 7", .log("reboot_log", index: 7)), ("log clear", .clearLogs),
    ("log append app two words", .appendLog("app", "two words")), ("log modules", .logModules), ("log levels", .logLevels), ("enum count", .groupCount),
    ("enum list", .groups), ("enum single 3", .groupAt(3)), ("enum details", .groupDetails([])),
    ("enum details 0 8", .groupDetails([.os, .fileSystem])), ("crash div0", .crash(.div0)), ("crash wdog", .crash(.wdog)), ("run list", .tests),
    ("run test all t1", .runTest("all", token: "t1")), ("run test", .runTest(nil, token: nil)), ("basic erase-storage", .eraseStorage),
    ("memfault info", .diagnosticIdentity), ("memfault key", .projectKey),
  ]

  @Test("commands are understood", arguments: rows)
  func understood(line: String, action: SMPAction) throws {
    let words = line.split(separator: " ").map(String.init)
    let order = try Self.order(words)
    #expect(order.action == action)
    #expect(order.group == words[0] && order.command == words[1])
  }

  @Test func imagesAreNamedByTheirWholeHash() throws {
    let bytes = [UInt8](repeating: 0, count: 32).enumerated().map { $0.offset.isMultiple(of: 2) ? UInt8(0x0A) : 0xB1 }
    #expect(try Self.order(["image", "test", Self.hash]).action == .testImage(bytes))
    #expect(try Self.order(["image", "confirm", Self.hash + Self.hash]).action == .confirmImage(bytes + bytes))
  }

  @Test func optionsStandAnywhere() throws {
    let order = try Self.order(["--adapter", "1-2", "os", "--seconds=30", "tasks", "--profile", "p"])
    #expect(order == SMPOrder(group: "os", command: "tasks", action: .tasks, adapter: "1-2", seconds: 30, profile: "p"))
    #expect(try Invocation(["--json", "smp", "\(Self.address)", "os", "tasks"]).isJSON)
  }

  @Test("every command is in the table above and in the help")
  func complete() throws {
    let page = HelpText.page(.smp)
    var tested = Set(Self.rows.map { $0.0.split(separator: " ").prefix(2).joined(separator: " ") })
    tested.formUnion(["image test", "crash jump0", "crash ref0", "crash assert"])
    for verb in SMPVerb.all {
      #expect(page.contains("  \(verb.usage)"))
      #expect(tested.contains("\(verb.group) \(verb.command)"), "\(verb.usage)")
    }
    #expect(Set(SMPVerb.all.map { "\($0.group) \($0.command)" }).count == SMPVerb.all.count)
  }

  @Test(
    "bad usage says what is missing and how it is written",
    arguments: [
      ("", "smp needs GROUP and COMMAND"), ("osx", "does not know the group \"osx\""), ("os", "smp os needs COMMAND: write one of echo,"),
      ("os frob", "smp os does not know \"frob\": write one of echo"), ("os echo", "smp os echo needs TEXT: write flashline smp ADDRESS os echo TEXT"),
      ("os tasks more", "smp os tasks does not know what to do with \"more\""), ("os datetime now", "\"now\" is no time that a board takes"),
      ("os reset soon", "does not know \"soon\""), ("os console-echo maybe", "write on or off"), ("image test", "smp image test needs HASH"),
      ("image test 00ff", "\"00ff\" is no image hash"), ("image erase x", "SLOT \"x\" does not fit"), ("settings write a", "needs VALUE"),
      ("settings write a 0 --hex", "is not hexadecimal"), ("os tasks --hex", "--hex goes with smp settings write"), ("fs upload f", "needs PATH"),
      ("fs hash /a sha256 0 0", "BYTES \"0\" does not fit"), ("shell exec", "smp shell exec needs WORD"), ("enum single -1", "there is no option \"-1\""),
      ("crash everything", "write one of div0, jump0, ref0, assert, wdog"), ("os tasks --seconds 0", "--seconds \"0\" does not fit"),
      ("log read a b", "INDEX \"b\" does not fit"),
    ])
  func refused(line: String, what: String) throws {
    let error = try #require(throws: ProgramError.self) { try Self.order(line.split(separator: " ").map(String.init)) }
    #expect(error.exit == 2)
    #expect(error.text.contains(what), "\(error.text)")
  }

  @Test func anEchoThatNoBoardTakesIsRefusedHere() throws {
    #expect(try Self.order(["os", "echo", String(repeating: "x", count: 2475)]).group == "os")
    let error = try #require(throws: ProgramError.self) { try Self.order(["os", "echo", String(repeating: "x", count: 2476)]) }
    #expect(error.text.contains("2476 bytes, more than the 2475"))
    #expect(throws: ProgramError.self) { try Invocation(["smp", "nonsense", "os", "tasks"]) }
    #expect(throws: ProgramError.usage("smp needs ADDRESS", "write \(CommandName.smp.example)")) { try Invocation(["smp"]) }
  }

  @Test func whatAShellPrintsDoesNotSteerTheTerminal() {
    #expect(BoardText.lines("\u{1B}[1;31mfrob: command not found\r\n\u{1B}[m") == ["frob: command not found"])
    #expect(BoardText.lines("a\tb\r\n\u{7}c\u{1B}]0;title\n\n") == ["a  b", "\\u{7}c0;title"])
    #expect(BoardText.lines("cut \u{1B}[1") == ["cut "])
    #expect(BoardText.lines("") == [])
    #expect(BoardText.text(of: Array("ü".utf8)) == "ü")
    #expect(BoardText.text(of: [0xFF]) == nil && BoardText.text(of: [0x1B, 0x5B]) == nil)
  }
}
