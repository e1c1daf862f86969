import FoundationEssentials
import Testing

@testable import Cloud

/// Which artefact a batch gets, case by case: what is done, and in which order.
struct ReleaseChoiceTests {
  static let old = String(repeating: "a", count: 64)
  static let new = String(repeating: "b", count: 64)
  static let question = ArtefactPin.Question(hardwareVersion: "DVT", softwareType: "main", serial: "S", artefact: nil)

  static func pin(_ sha256: String) -> ArtefactPin { ArtefactPin(sha256: sha256, name: "app.bin", version: "1.0.0", question: question) }

  static func artefact(_ sha256: String?) throws -> ReleaseArtefact {
    try ReleaseArtefact(ReleaseArtefact.Document(filename: "app.bin", url: "https://h/x", sha256: sha256))
  }

  static func release(_ sha256: String?, version: String = "2.0.0", isDelta: Bool = false) throws -> Release {
    let sha = sha256.map { #","sha256":"\#($0)""# } ?? ""
    return try Release(
      json: Array(
        #"{"version":"\#(version)","is_delta":\#(isDelta),"artifacts":[{"filename":"app.bin","url":"https://h/x"\#(sha)}]}"#.utf8))
  }

  /// One way through: what is known, what the store and the server say, and the end.
  struct Way: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// `[firmware] sha256`.
    var wanted: String?
    /// Of the batch that would go on.
    var unfinished: String?
    /// What is written down for the profile's question.
    var pin: String?
    var isWhole = false
    /// Asked of the server; nil when it must not be.
    var server: Answer?
    var end: End

    enum Answer: Sendable { case release(String), delta(String), noDigest, nothing }
    enum End: Sendable { case use(String), fetch(String), refuse(OTAError) }
  }

  static let ways: [Way] = [
    Way(testDescription: "a new batch asks the server", server: .release(new), end: .fetch(new)),
    Way(testDescription: "a batch that goes on keeps its artefact and needs no server", unfinished: old, pin: old, isWhole: true, end: .use(old)),
    Way(testDescription: "its artefact is damaged, the server still has it", unfinished: old, pin: old, server: .release(old), end: .fetch(old)),
    Way(
      testDescription: "its artefact is damaged, the server has another", unfinished: old, pin: old, server: .release(new),
      end: .refuse(.otherRelease("2.0.0"))),
    Way(testDescription: "its artefact is damaged, the server has nothing", unfinished: old, pin: old, server: .nothing, end: .refuse(.noRelease)),
    Way(
      testDescription: "it began with a package that was no release, or with other values", unfinished: old, isWhole: true, server: .release(new),
      end: .fetch(new)),
    Way(testDescription: "it began with a file that is not here", unfinished: old, server: .release(new), end: .fetch(new)),
    Way(testDescription: "the server has none", server: .nothing, end: .refuse(.noRelease)),
    Way(testDescription: "the server has differences only", server: .delta(new), end: .refuse(.delta("2.0.0"))),
    Way(testDescription: "the server tells no SHA-256", server: .noDigest, end: .refuse(.noDigest)),
    Way(testDescription: "the profile names the file, and it is here", wanted: old, isWhole: true, end: .use(old)),
    Way(testDescription: "the profile names the file of the batch", wanted: old, unfinished: old, pin: old, isWhole: true, end: .use(old)),
    Way(testDescription: "the profile names the file, and the server has it", wanted: old, server: .release(old), end: .fetch(old)),
    Way(testDescription: "the profile names the file, and the server has another", wanted: old, server: .release(new), end: .refuse(.otherThanPinned(new))),
    Way(
      testDescription: "the profile names another file than the batch began with", wanted: new, unfinished: old, isWhole: false, server: .release(new),
      end: .fetch(new)),
  ]

  @Test(arguments: ways)
  func leads(way: Way) throws {
    var choice = ReleaseChoice(wanted: way.wanted, unfinished: way.unfinished, artefact: nil, hardwareVersion: "DVT")
    var action = choice.begin()
    if let sha256 = way.wanted ?? way.unfinished {
      #expect(action == .look(sha256: sha256))
      action = choice.found(way.pin.map(Self.pin), isWhole: way.isWhole)
    }
    if let server = way.server {
      #expect(action == .ask)
      let release: Release? =
        switch server {
        case .release(let sha256): try Self.release(sha256)
        case .delta(let sha256): try Self.release(sha256, isDelta: true)
        case .noDigest: try Self.release(nil)
        case .nothing: nil
        }
      action = choice.answered(release)
    }
    switch way.end {
    case .use(let sha256): #expect(action == .use(sha256: sha256, pin: way.pin.map(Self.pin)))
    case .fetch(let sha256): #expect(action == .fetch(try Self.artefact(sha256), version: "2.0.0"))
    case .refuse(let error): #expect(action == .refuse(error))
    }
  }

  @Test("An answer that was not asked for is refused") func unexpected() throws {
    var choice = ReleaseChoice(wanted: nil, unfinished: nil, artefact: nil, hardwareVersion: "DVT")
    guard case .refuse = choice.answered(nil), case .refuse = choice.found(nil, isWhole: true) else {
      Issue.record("taken")
      return
    }
    _ = choice.begin()
    _ = choice.answered(nil)
    guard case .refuse = choice.answered(try Self.release(Self.new)) else {
      Issue.record("taken twice")
      return
    }
  }

  @Test("The first source that gives a value is believed, and what is missing is named")
  func values() throws {
    var values = ReleaseValues()
    values.offer("", as: .hardwareVersion, from: .option)
    values.offer("1.0", as: .hardwareVersion, from: .smp)
    values.offer("2.0", as: .hardwareVersion, from: .profile)
    values.offer(nil, as: .serial, from: .mds)
    #expect(values[.hardwareVersion]?.text == "1.0" && values[.hardwareVersion]?.origin == .smp)
    #expect(values.missing == [.softwareType, .currentVersion, .serial])
    let text =
      "the software type, serial of the board is not known: give --software-type, --serial, name a board that tells it, or set [firmware] software_type, "
      + "device_serial in the profile"
    #expect(throws: OTAError.missing([.softwareType, .serial])) { try values.query() }
    #expect(OTAError.missing([.softwareType, .serial]).description == text)
    values.offer("main", as: .softwareType, from: .profile)
    values.offer("7", as: .serial, from: .station)
    #expect(try values.query() == ReleaseQuery(hardwareVersion: "1.0", softwareType: "main", currentVersion: nil, serial: "7"))
  }

  @Test(
    "What a server calls a file is shown, and nothing else",
    arguments: [
      ("app.bin", "app.bin"), ("../../etc/cron.d/x", "x"), ("C:\\x\\y.zip", "y.zip"), ("..", "artefact 7"), ("", "artefact 7"), ("a\u{1B}[2Jb\n", "a?[2Jb?"),
      ("/", "artefact 7"), ("a\u{202E}nib.exe", "a?nib.exe"),
    ])
  func names(name: String, shown: String) throws {
    #expect(try ReleaseArtefact(ReleaseArtefact.Document(id: 7, filename: name, url: "https://h/x")).shownName == shown)
  }
}
