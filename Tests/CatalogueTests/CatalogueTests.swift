import Firmware
import Testing

@testable import Catalogue

/// Reading a vendor's catalogue (facts/metaboot.md §3.1, §3.2): what is taken, what is not, and what is chosen.
@Suite struct CatalogueTests {
  @Test func theExcerptsAreReadWhole() throws {
    let catalogue = try Samples.read(Samples.catalogue)
    #expect(catalogue.complaints.isEmpty)
    #expect(catalogue.builds.count == 18)
    let build = try #require(catalogue.builds.first)
    #expect(build.path == "0.1/5/128/1.5.0/firmware.zip")
    let first = try #require(catalogue.bootloaders(hardware: "0.1", model: "5").first)
    #expect(first.path == "0.1/5/bootloader/0.2.2/bl.zip")
    #expect(first.requiredBootloader == FirmwareVersion("0.2.1"))
    #expect(first.minimums == ["min-ios-version": "3.0.0", "min-android-version": "3.0.0"])
    #expect(first.isBootloader)
  }

  @Test(
    "Builds, ascending by number and not by letter",
    arguments: [
      ("0.1", "5", "vanilla", "1.2.5 1.3.7 1.4.0 1.5.0"), ("0.2", "6", "bootloader", "0.2.2 0.3.1 0.3.2 0.3.3"), ("0.4", "5", "bootloader", ""),
      ("0.1", "8", "vanilla", "1.7.2 1.10.0 2.0.0-beta"), ("0.1", "5", "128", "1.5.0"),
      // Keys as boards write them; and what is not there.
      ("r0.1", "5", "vanilla", "1.2.5 1.3.7 1.4.0 1.5.0"), (" R0.2 ", "6\n", "Vanilla", "1.4.5"),
      ("0.3", "5", "vanilla", ""), ("0.1", "7", "vanilla", ""), ("0.1", "5", "129", ""), ("", "", "", ""), ("0.4", "5", "128", ""),
    ])
  func builds(hardware: String, model: String, flavor: String, versions: String) throws {
    let builds = try Samples.read(Samples.catalogue).builds(hardware: hardware, model: model, flavor: flavor)
    #expect(builds.map(\.versionKey).joined(separator: " ") == versions)
  }

  @Test func theLatestIsNoPreReleaseUnlessAskedFor() throws {
    let catalogue = try Samples.read(Samples.catalogue)
    #expect(catalogue.latest(hardware: "0.1", model: "8", flavor: "vanilla")?.versionKey == "1.10.0")
    #expect(catalogue.latest(hardware: "0.1", model: "8", flavor: "vanilla", preReleases: true)?.versionKey == "2.0.0-beta")
    #expect(catalogue.latest(hardware: "0.9", model: "8", flavor: "vanilla") == nil)
    let onlyBetas = try Samples.read(#"{"1":{"2":{"vanilla":{"1.0-rc1":{"filename":"a.zip"}},"bootloader":{"0.9-rc1":{"filename":"a.zip"}}}}}"#)
    #expect(onlyBetas.latest(hardware: "1", model: "2", flavor: "vanilla") == nil)
    #expect(onlyBetas.bootloaders(hardware: "1", model: "2").isEmpty)
    #expect(onlyBetas.bootloaders(hardware: "1", model: "2", preReleases: true).count == 1)
  }

  @Test func aVersionIsFoundHoweverItIsWritten() throws {
    let catalogue = try Samples.read(Samples.catalogue)
    func find(_ text: String) throws -> String? {
      catalogue.build(hardware: "0.1", model: "8", flavor: "vanilla", version: try #require(FirmwareVersion(text)))?.versionKey
    }
    #expect(try find("1.10") == "1.10.0")
    #expect(try find("r1.7.2.0") == "1.7.2")
    #expect(try find("2.0-beta") == "2.0.0-beta")
    #expect(try find("2.0") == nil)
  }

  @Test func anEmptyRequirementIsNone() throws {
    let catalogue = try Samples.read(Samples.catalogue)
    #expect(catalogue.builds(hardware: "0.1", model: "8", flavor: "vanilla").map { $0.requiredBootloader?.description } == [nil, nil, "0.4.0"])
    #expect(catalogue.knows(hardware: "r0.4", model: "5"))
    #expect(!catalogue.knows(hardware: "0.5", model: "5"))
  }

  /// Beside each broken leaf a sound one, which must still be there.
  @Test(
    "A broken leaf spoils itself and names its place",
    arguments: [
      (#""1.0": 5"#, "0.1/5/vanilla/1.0: this is not an object"),
      (#""1.0": {}"#, "0.1/5/vanilla/1.0: it has no filename"),
      (#""1.0": {"filename": 5}"#, "0.1/5/vanilla/1.0: it has no filename"),
      (#""1.0": {"filename": ""}"#, "0.1/5/vanilla/1.0: its filename '' is not a plain file name"),
      (#""1.0": {"filename": "../../x.zip"}"#, "0.1/5/vanilla/1.0: its filename '../../x.zip' is not a plain file name"),
      (#""1.0": {"filename": "a/b.zip"}"#, "0.1/5/vanilla/1.0: its filename 'a/b.zip' is not a plain file name"),
      (#""1.0": {"filename": "/etc/passwd"}"#, "0.1/5/vanilla/1.0: its filename '/etc/passwd' is not a plain file name"),
      (#""1.0": {"filename": ".pins"}"#, "0.1/5/vanilla/1.0: its filename '.pins' is not a plain file name"),
      (#""1.0": {"filename": "a\u0000.zip"}"#, #"0.1/5/vanilla/1.0: its filename 'a\0.zip' is not a plain file name"#),
      (#""1.0": {"filename": "a.zip", "required-bootloader": "old"}"#, "0.1/5/vanilla/1.0: its required-bootloader 'old' is not a version"),
      (#""1.0": {"filename": "a.zip", "required-bootloader": null}"#, "0.1/5/vanilla/1.0: its required-bootloader is not a text"),
      (#""1.0": {"filename": "a.zip", "required-bootloader": ["0.1"]}"#, "0.1/5/vanilla/1.0: its required-bootloader is not a text"),
      (#""latest": {"filename": "a.zip"}"#, "0.1/5/vanilla/latest: this is not a version"),
      (#""..": {"filename": "a.zip"}"#, "0.1/5/vanilla/..: the version is not made of letters, digits, dots and dashes"),
      (#""\u001b[2J": {"filename": "a.zip"}"#, #"0.1/5/vanilla/\u{1B}[2J: the version is not made of letters, digits, dots and dashes"#),
    ])
  func brokenLeaf(leaf: String, complaint: String) throws {
    let catalogue = try Samples.read(#"{"0.1": {"5": {"vanilla": {\#(leaf), "1.5": {"filename": "firmware.zip", "size": 7}}}}}"#)
    #expect(catalogue.builds.map(\.path) == ["0.1/5/vanilla/1.5/firmware.zip"])
    #expect(catalogue.complaints.map(\.description) == [complaint])
  }

  @Test(
    "So does a broken branch", arguments: [#""5": "x""#, #""../5": {}"#, #""5": {"a b": {}}"#, #""5": {"vanilla": []}"#, #""": {}"#])
  func brokenBranch(branch: String) throws {
    let catalogue = try Samples.read(#"{"0.1": {\#(branch), "6": {"vanilla": {"1.5": {"filename": "firmware.zip"}}}}}"#)
    #expect(catalogue.builds.map(\.model) == ["6"])
    #expect(catalogue.complaints.count == 1)
  }

  @Test func ofAVersionThatIsThereTwiceNeitherIsUsed() throws {
    let catalogue = try Samples.read(
      #"{"0.4": {"5": {"vanilla": {"1.5": {"filename": "a.zip"}, "1.6": {"filename": "a.zip"}}}}, "r0.4": {"5": {"vanilla": {"1.5.0": {"filename": "b.zip"}}}}}"#
    )
    #expect(catalogue.builds.map(\.path) == ["0.4/5/vanilla/1.6/a.zip"])
    #expect(catalogue.complaints.map(\.place) == ["0.4/5/vanilla/1.5", "r0.4/5/vanilla/1.5.0"])
  }

  @Test("What is no catalogue at all", arguments: ["", "{", "[]", "7", "<html>", "{} {}", "null", String(repeating: "[", count: 100_000)])
  func notJSON(text: String) { #expect(throws: CatalogueError.notJSON) { try Samples.read(text) } }

  @Test("A catalogue without a usable build is none", arguments: ["{}", #"{"error": "not found"}"#, #"{"0.1": {"5": {"vanilla": {}}}}"#])
  func nothingUsable(text: String) throws {
    let error = try #require(throws: CatalogueError.self) { try Samples.read(text) }
    guard case .nothingUsable = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains("[rescue] catalog"))
  }

  @Test func everythingHasALimit() throws {
    let many = (0..<20).map { #""1.\#($0)": {"filename": "a.zip"}"# }.joined(separator: ",")
    let json = #"{"0.1": {"5": {"vanilla": {\#(many)}}}}"#
    var limits = CatalogueLimits()
    limits.catalogueSize = json.utf8.count
    #expect(try Samples.read(json, limits: limits).builds.count == 20)
    #expect(throws: CatalogueError.catalogueTooLarge(limit: json.utf8.count)) { try Samples.read(json + " ", limits: limits) }
    limits.keys = 19
    #expect(throws: CatalogueError.tooManyKeys(20, limit: 19)) { try Samples.read(json, limits: limits) }
    limits.keys = 20
    limits.builds = 19
    #expect(throws: CatalogueError.tooManyBuilds(limit: 19)) { try Samples.read(json, limits: limits) }
    let broken = (0..<20).map { #""1.\#($0)": 1"# }.joined(separator: ",")
    limits = CatalogueLimits()
    limits.complaints = 5
    let catalogue = try Samples.read(#"{"0.1": {"5": {"vanilla": {\#(broken), "2": {"filename": "a.zip"}}}}}"#, limits: limits)
    #expect(catalogue.complaints.count == 5)
    #expect(catalogue.uncounted == 15)
  }

  @Test(
    "What may be part of a path",
    arguments: [
      ("0.4", true), ("firmware.zip", true), ("sd_bl.zip", true), ("1.0-rc+1", true), ("a..b", true), (String(repeating: "a", count: 64), true),
      ("", false), (".", false), ("..", false), ("...", false), (".x", false), ("-x", false), ("a/b", false), ("a\\b", false), ("a b", false),
      ("a\u{0}", false),
      ("ä", false), ("a%2f", false), ("a:b", false), ("~", false), (String(repeating: "a", count: 65), false),
    ])
  func pathParts(text: String, isSafe: Bool) { #expect(PathPart.isSafe(text) == isSafe) }
}
