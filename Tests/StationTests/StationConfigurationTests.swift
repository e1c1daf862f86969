import Bluetooth
import Flashing
import Testing

@testable import Station

/// That `station.conf` means what contract §5 says, and that the shipped file shows every key with its default.
struct StationConfigurationTests {
  func read(_ text: String, file: String = "t.conf") throws(ConfigurationError) -> StationConfiguration {
    try StationConfiguration(iniFile(text, file: file), hostName: "host", timezone: "Etc/UTC")
  }

  @Test func defaultsAreSound() throws {
    let defaults = try StationConfiguration(path: nil, hostName: "host", timezone: "Etc/UTC")
    #expect(defaults.id == "host")
    #expect(defaults.name == "host")
    #expect(defaults.timezone == "Etc/UTC")
    #expect(defaults.database == "flashline.db")
    #expect(defaults.adapters.use == nil)
    #expect(defaults.adapters.exclude.isEmpty)
    #expect(defaults.adapters.radio == RadioParameters(phy: .twoM, connectionInterval: .milliseconds(15), supervisionTimeout: .seconds(2)))
    #expect(defaults.limits.attempts == AttemptLimits(attempts: 3, stationRetries: 3))
    #expect(defaults.limits.swapTimeout == .seconds(180))
    #expect(defaults.require.isEmpty)
  }

  @Test func theKernelMayKeepItsOwnRadioParameters() throws {
    let rules = try read("[adapters]\nphy = kernel\nconnection_interval = kernel\nsupervision_timeout = kernel").adapters
    #expect(rules.radio == .kernel)
    #expect(try read("[adapters]\nphy = 1M").adapters.radio.phy == .oneM)
  }

  @Test func readsEveryKey() throws {
    let text = """
      [station]
      id = S7
      name = Line 7
      timezone = Europe/Berlin
      database = /var/lib/flashline/line.db
      reports = out
      profiles = ../profiles
      require = operator, work_order
      [adapters]
      use = 1-2.3 0a12:0001, 00:1A:7D:DA:71:13
      exclude = 3-1
      label.1-2.3 = Left
      label.1-2.4 = Right
      phy = 2M
      connection_interval = 7.5ms
      supervision_timeout = 4s
      [limits]
      attempts = 5
      station_retries = 0
      connect_timeout = 500ms ; too short
      """
    #expect(
      complaint { () throws(ConfigurationError) in _ = try read(text) }
        == "t.conf:20: [limits] connect_timeout is \"500ms\": write a duration from 1s to 2m")
    let station = try read(text.replacing("500ms", with: "5s"), file: "/etc/flashline/station.conf")
    #expect(station.file == "/etc/flashline/station.conf")
    #expect(station.id == "S7")
    #expect(station.name == "Line 7")
    #expect(station.timezone == "Europe/Berlin")
    #expect(station.database == "/var/lib/flashline/line.db")
    #expect(station.reports == "/etc/flashline/out")
    #expect(station.profiles == "/etc/flashline/../profiles")
    #expect(station.require == [.operator, .workOrder])
    #expect(station.adapters.use?.map(\.description) == ["1-2.3", "0a12:0001", "00:1A:7D:DA:71:13"])
    #expect(station.adapters.label("1-2.3") == "Left")
    #expect(station.adapters.label("9-9") == "9-9")
    #expect(station.adapters.phy == .twoM)
    #expect(station.adapters.connectionInterval == .microseconds(7500))
    #expect(station.adapters.supervisionTimeout == .seconds(4))
    #expect(station.limits.attempts == AttemptLimits(attempts: 5, stationRetries: 0))
  }

  @Test(arguments: [
    ("[sation]", "t.conf:1: unknown section [sation]: sections here are station, adapters, limits, log, cloud"),
    ("[log]\nlevels = info", "t.conf:2: unknown key [log] levels: keys here are level, journal"),
    ("[adapters]\nlabel. = x", "t.conf:2: unknown key [adapters] label.: keys here are use, exclude, label., phy, connection_interval, supervision_timeout"),
    (
      "[station]\nid = <the name of this computer>",
      "t.conf:2: [station] id still holds the placeholder <the name of this computer>: write a value, or remove the line"
    ),
    ("[station]\ntimezone = Mars/Olympus", "t.conf:2: [station] timezone is \"Mars/Olympus\": write the name of a time zone, like Europe/Berlin"),
    ("[station]\ndatabase = ~/f.db", "t.conf:2: [station] database is \"~/f.db\": write a path from / or relative to this file (~ is not known here)"),
    ("[station]\nrequire = lots", "t.conf:2: [station] require is \"lots\": write none, or some of operator, lot, work_order"),
    ("[adapters]\nuse = hci0", "t.conf:2: [adapters] use is \"hci0\": write all, or USB paths (1-2.3), products (0a12:0001) or addresses"),
    ("[adapters]\nlabel.hci0 = L", "t.conf:2: [adapters] label.hci0 does not end in a USB path: write label.1-2.3 = …, as flashline adapters shows it"),
    ("[adapters]\nlabel.1-1 = L\nlabel.1-2 = L", "t.conf:3: two adapters are called \"L\" (1-1 and 1-2): give each its own label"),
    ("[adapters]\nphy = 3M", "t.conf:2: [adapters] phy is \"3M\": write one of kernel, 1M, 2M"),
    (
      "[adapters]\nconnection_interval = 8ms",
      "t.conf:2: [adapters] connection_interval is \"8ms\": write kernel, or a duration from 7.5ms to 4s in steps of 1.25ms"
    ),
    (
      "[adapters]\nconnection_interval = 100ms\nsupervision_timeout = 200ms",
      "t.conf:3: [adapters] supervision_timeout is not longer than two connection intervals: write more than 200ms"
    ),
    ("[limits]\nattempts = 0", "t.conf:2: [limits] attempts is \"0\": write a whole number from 1 to 20"),
    ("[limits]\nattempts = 99999999999999999999", "t.conf:2: [limits] attempts is \"99999999999999999999\": write a whole number from 1 to 20"),
    ("[limits]\nboard_timeout = 10", "t.conf:2: [limits] board_timeout is \"10\": write a duration from 10s to 2h"),
    (
      "[limits]\nboard_timeout = 60s",
      "t.conf:2: [limits] board_timeout (1m) is shorter than swap_timeout (3m): make it longer, for it holds for a whole attempt"
    ),
    ("[log]\njournal = true", "t.conf:2: [log] journal is \"true\": write yes or no"),
    ("[log]\nlevel = loud", "t.conf:2: [log] level is \"loud\": write one of error, warning, info, debug"),
    (
      "[cloud]\nproject_key_file = ~/key",
      "t.conf:2: [cloud] project_key_file is \"~/key\": write a path from / or relative to this file (~ is not known here)"
    ),
    (
      "[cloud]\nallowed_hosts = https://api.memfault.com",
      "t.conf:2: [cloud] allowed_hosts is \"https://api.memfault.com\": write none, or names of hosts without https:// and port"
    ),
    (
      "[cloud]\nallowed_hosts = *.memfault.com",
      "t.conf:2: [cloud] allowed_hosts is \"*.memfault.com\": write none, or names of hosts without https:// and port"
    ),
    (
      "[cloud]\nreleases = http://api.memfault.com",
      "t.conf:2: [cloud] releases is \"http://api.memfault.com\": write https://HOST (http:// for this computer only), without a question mark"
    ),
    ("[cloud]\nqueue_limit = 64M", "t.conf:2: [cloud] queue_limit is \"64M\": write a whole number from 65536 to 68719476736"),
    (
      "[cloud]\nproject_key = s3cret",
      "t.conf:2: unknown key [cloud] project_key: keys here are project_key_file, allowed_hosts, releases, queue, queue_limit"
    ),
  ])
  func refuses(text: String, message: String) {
    #expect(complaint { () throws(ConfigurationError) in _ = try read(text) } == message)
  }

  @Test func readsTheCloud() throws {
    let none = try read("").cloud
    #expect(none.projectKeyFile == nil && none.allowedHosts.isEmpty && none.releases == "https://api.memfault.com")
    #expect(none.queue == "cloud-queue.db" && none.queueLimit == 64 << 20)
    let cloud = try read(
      "[cloud]\nproject_key_file = key\nallowed_hosts = API.memfault.com, ::1\nreleases = http://[::1]:8080/x\nqueue = /q\nqueue_limit = 65536",
      file: "/etc/flashline/station.conf"
    ).cloud
    #expect(cloud.projectKeyFile == "/etc/flashline/key" && cloud.allowedHosts == ["api.memfault.com", "::1"])
    #expect(cloud.releases == "http://[::1]:8080/x" && cloud.queue == "/q" && cloud.queueLimit == 65_536)
  }

  @Test(
    arguments: [
      ("https://api.memfault.com", true), ("https://h:8443/base", true), ("http://127.0.0.1:80", true), ("http://localhost", true), ("http://h", false),
      ("https://", false), ("https://h?x=1", false), ("https://me@h", false), ("https://h/#x", false), ("ftp://h", false), ("h", false), ("https://a b", false),
      ("https://h:port", false), ("https://h\u{e9}", false),
    ])
  func addressesOfReleases(text: String, isOne: Bool) {
    #expect(CloudRules.isAddress(text) == isOne)
  }

  @Test func shippedFileShowsEveryKeyWithItsDefault() throws {
    let path = packageFolder + "/station.conf"
    #expect(try shownKeys(path) == StationKeys.all.map { "[\($0.section)] \($0.isFamily ? $0.name + "1-2.3" : $0.name) = \($0.shownDefault ?? "")" })
    // As shipped it changes nothing.
    var shipped = try StationConfiguration(path: path, hostName: "host", timezone: "Etc/UTC")
    #expect(shipped.database == packageFolder + "/flashline.db")
    let defaults = try StationConfiguration(path: nil, hostName: "host", timezone: "Etc/UTC")
    #expect(shipped.limits == defaults.limits)
    shipped.adapters.labels = [:]
    #expect(shipped.adapters == defaults.adapters)
  }

  @Test func shippedDefaultsMayBeUncommented() throws {
    let text = String(decoding: try TextFile.read(packageFolder + "/station.conf", limit: 65_536), as: UTF8.self)
    let lines = text.split(separator: "\n").map { line in
      line.hasPrefix("# ") && line.contains(" = ") && !line.contains("<") && StationKeys.all.contains { line.hasPrefix("# \($0.name) =") }
        ? line.dropFirst(2) : line
    }
    let uncommented = try read(lines.joined(separator: "\n"), file: "t.conf")
    var defaults = try StationConfiguration(path: nil, hostName: "host", timezone: "Etc/UTC")
    defaults.file = "t.conf"
    #expect(uncommented == defaults)
  }

  @Test(
    arguments: [
      ("asked.conf", [], "asked.conf"), (nil, [], nil), (nil, ["/etc/flashline/station.conf"], "/etc/flashline/station.conf"),
      (nil, ["./station.conf", "/etc/flashline/station.conf"], "./station.conf"),
    ] as [(String?, [String], String?)])
  func searchesInOrder(asked: String?, existing: [String], found: String?) {
    #expect(StationConfiguration.search(asked: asked) { existing.contains($0) } == found)
  }

  @Test(
    arguments: [
      ("all", "none", nil), ("1-2", "none", nil), ("1-3", "none", "not listed in [adapters] use"), ("0a12:0001", "none", nil),
      ("all", "1-2", "excluded by [adapters] exclude (1-2)"), ("1-2", "0a12:0001", "excluded by [adapters] exclude (0a12:0001)"),
      ("00:1A:7D:DA:71:13", "none", nil), ("all", "00:1a:7d:da:71:13", "excluded by [adapters] exclude (00:1A:7D:DA:71:13)"),
    ] as [(String, String, String?)])
  func choosesAdapters(use: String, exclude: String, reason: String?) throws {
    let rules = try read("[adapters]\nuse = \(use)\nexclude = \(exclude)").adapters
    let hardware = AdapterHardware(hciIndex: 0, usbPath: "1-2", vendorID: 0x0A12, productID: 1)
    #expect(rules.exclusion(of: hardware, address: BluetoothAddress("00:1A:7D:DA:71:13")) == reason)
  }

  @Test(arguments: ["1", "1-", "-1", "1-2.", "1-2..3", "usb1", "1-2:1.0", "1-2000", "٣-1"])
  func refusesUSBPaths(text: String) {
    #expect(!AdapterSelector.isUSBPath(text))
  }
}

/// The keys that a shipped file shows, in order, as `[section] key = value`, whether they are comments or not.
func shownKeys(_ path: String) throws -> [String] {
  let text = String(decoding: try TextFile.read(path, limit: 65_536), as: UTF8.self)
  var section = ""
  var shown: [String] = []
  for line in text.split(separator: "\n") {
    if line.hasPrefix("[") { section = String(line) }
    let bare = line.hasPrefix("# ") ? line.dropFirst(2) : line
    guard !section.isEmpty, let split = bare.firstRange(of: " = "), bare[..<split.lowerBound].allSatisfy({ $0.isASCII && $0 != " " }) else { continue }
    shown.append("\(section) \(bare)")
  }
  return shown
}
