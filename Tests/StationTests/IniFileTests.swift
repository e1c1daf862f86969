import Testing

@testable import Station

/// That files are read with their lines, and that nothing libinih would misread gets through.
struct IniFileTests {
  @Test func readsWhatMayBeWritten() throws {
    let text =
      "\u{FEFF}# comment\r\n; another\r\n  # indented comment\r\n\r\n[station] ; here\r\nid = A-1 ; the first\r\nname=Line #3\r\n[limits]\r\nattempts\t=\t3\r\n"
    let file = try iniFile(text)
    #expect(file.sections == [IniSection(name: "station", line: 5), IniSection(name: "limits", line: 8)])
    #expect(
      file.entries == [
        IniEntry(section: "station", key: "id", value: "A-1", line: 6), IniEntry(section: "station", key: "name", value: "Line #3", line: 7),
        IniEntry(section: "limits", key: "attempts", value: "3", line: 9),
      ])
  }

  @Test func keepsColonsInValues() throws {
    let file = try iniFile("[match]\naddresses = C0:DE:00:00:00:01\nrule = a=b")
    #expect(file.entries.map(\.value) == ["C0:DE:00:00:00:01", "a=b"])
  }

  @Test(arguments: [
    ("[station]\nid", "t.conf:2: this line is neither [section] nor key = value: write key = value, or begin the line with # to make it a comment"),
    ("[a]\nk ;x = 1", "t.conf:2: this line is neither [section] nor key = value: write key = value, or begin the line with # to make it a comment"),
    ("[a]\nk = 1\n\n  l = 2", "t.conf:4: this line begins with a space, which would continue the value above: begin it in the first column"),
    ("[a]\nlabel.1-2:3 = x", "t.conf:2: a : stands before the =, and the key would end there: write key = value, without : in the key"),
    ("[a]\nk: v", "t.conf:2: a : stands before the =, and the key would end there: write key = value, without : in the key"),
    ("[a]\n= v", "t.conf:2: no key stands before the =: write key = value"),
    ("k = v", "t.conf:1: this key stands before the first [section]: move it below its section"),
    ("[a]\nk = 1\nk = 2", "t.conf:3: [a] k stands here again (first in line 2): keep one of the two"),
    ("[a]\n[b]\n[a]", "t.conf:3: section [a] stands here again (first in line 1): put its keys together in one place"),
    ("[a", "t.conf:1: this section has no ]: write [section]"),
    ("[a] k = 1", "t.conf:1: text follows the section: write it on the next line"),
    ("[]", "t.conf:1: the section name \"\" is empty or holds other characters than letters: write [section]"),
    ("[a b]", "t.conf:1: the section name \"a b\" is empty or holds other characters than letters: write [section]"),
    ("[a]\nk =", "t.conf:2: [a] k has no value: write one, or remove the line"),
    ("[a]\nk = ; 3", "t.conf:2: [a] k has no value: write one, or remove the line"),
    ("[a]\nk = 3 # three", "t.conf:2: [a] k: text after # belongs to the value here: begin a comment behind a value with a space and ;"),
    ("[a]\nk = \"3\"", "t.conf:2: [a] k is in quotation marks, which would belong to the value: remove them"),
    ("[a]\nk = 3\u{0}4", "t.conf:2: this line holds a control character: remove it, or save the file as plain text"),
    ("[a]\n# \u{1B}[2J", "t.conf:2: this line holds a control character: remove it, or save the file as plain text"),
  ])
  func refuses(text: String, message: String) {
    #expect(complaint { () throws(ConfigurationError) in _ = try iniFile(text) } == message)
  }

  @Test func refusesLinesThatLibinihWouldCut() throws {
    let longest = "[a]\nk = " + String(repeating: "x", count: 195)
    #expect(try iniFile(longest).entries.first?.value.count == 195)
    #expect(complaint { () throws(ConfigurationError) in _ = try iniFile(longest + "y") } == "t.conf:2: this line has 200 bytes: shorten it to 199 bytes")
    #expect(complaint { () throws(ConfigurationError) in _ = try iniFile("#" + longest + "\n#" + longest) } != nil)
  }

  @Test func refusesBytesThatAreNotText() {
    let bytes = Array("[a]\nk = ".utf8) + [0xC3, 0x28]
    let message = complaint { () throws(ConfigurationError) in _ = try IniFile(bytes: bytes, file: "t.conf") }
    #expect(message == "t.conf:2: this line is not valid UTF-8: save the file as UTF-8")
  }

  @Test func refusesLargeFiles() {
    let bytes = [UInt8](repeating: 0x0A, count: 65_537)
    let message = complaint { () throws(ConfigurationError) in _ = try IniFile(bytes: bytes, file: "t.conf") }
    #expect(message == "t.conf: is larger than 65536 bytes: name the right file, or make it smaller")
  }

  @Test func refusesWhatIsNoFile() {
    let missing = complaint { () throws(ConfigurationError) in _ = try IniFile(path: "/nonexistent/station.conf") }
    #expect(missing == "/nonexistent/station.conf: does not exist: check the path and the permissions")
    let folder = complaint { () throws(ConfigurationError) in _ = try IniFile(path: packageFolder) }
    #expect(folder == "\(packageFolder): is not a file: name a text file")
    let endless = complaint { () throws(ConfigurationError) in _ = try IniFile(path: "/dev/zero") }
    #expect(endless == "/dev/zero: is not a file: name a text file")
  }

  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("7.5ms", .microseconds(7500)), ("10s", .seconds(10)), ("3m", .seconds(180)), ("2h", .seconds(7200)),
    ("0s", .zero), ("999999h", .seconds(999_999 * 3600)),
  ])
  func readsDurations(text: String, duration: Duration) {
    #expect(DurationText.read(text) == duration)
    #expect(DurationText.read(DurationText.text(duration)) == duration)
  }

  @Test(arguments: ["", "10", "s", "-1s", "1 s", "1d", "1.s", ".5s", "1.2.3s", "1.1234567s", "9999999h", "١s", "1S", "0x1s"])
  func refusesDurations(text: String) {
    #expect(DurationText.read(text) == nil)
  }
}
