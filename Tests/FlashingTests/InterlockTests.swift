import Firmware
import Flashing
import Testing

/// The plan from the bootloader that a board has to the application it shall have, on the public catalogues of facts/metaboot.md §3.4
/// and with the vectors of its §4 (computed there by an independent implementation) and §7.
@Suite struct InterlockTests {
  typealias Build = Interlock.Build

  static func build(_ text: String) -> Build? {
    let parts = text.split(separator: "<", omittingEmptySubsequences: false).map(String.init)
    guard let version = FirmwareVersion(parts[0]) else { return nil }
    return Build(id: parts[0], version: version, required: parts.count > 1 ? FirmwareVersion(parts[1]) : nil)
  }

  /// `version<required`, with blanks between.
  static func builds(_ text: String) -> [Build] { text.split(separator: " ").compactMap { build(String($0)) } }

  static let catalogues = [
    "0.2/6": "0.2.2<0.2.1 0.3.1<0.2.2 0.3.2<0.3.1 0.3.3<0.3.2",
    "0.1/5": "0.2.2<0.2.1 0.3.1<0.2.2",
    "0.4/5": "0.3.3<0.3.2 0.4.0<0.3.3",
    "0.1/8": "0.4.0<0.4.0",
    // §4 rule 4 and §7 "picks newest satisfying", "chains through intermediate", "unreachable", "missing", "empty"
    "ungated": "0.3.0 0.4.0 0.5.0", "chain": "0.3.0 0.5.0<0.3.0", "gated": "0.5.0<0.3.0", "outdated": "0.3.0 0.4.0", "old": "0.3.0", "none": "",
  ]

  @Test(
    "Golden plans",
    arguments: [
      ("0.2/6", "0.2.1", "0.3.3", "0.2.2 0.3.1 0.3.2 0.3.3"),
      ("0.2/6", "0.2.2", "0.3.3", "0.3.1 0.3.2 0.3.3"),
      ("0.2/6", "0.3.2", "0.3.3", "0.3.3"),
      ("0.2/6", "0.2.0", "0.3.3", nil),
      ("0.2/6", "0.2.1", "0.3.1", "0.2.2 0.3.1"),
      ("0.1/5", "0.2.1", "0.3.1", "0.2.2 0.3.1"),
      ("0.1/5", "0.3.2", "0.3.1", ""),
      ("0.4/5", "0.3.3", "0.4.0", "0.4.0"),
      ("0.4/5", "0.3.1", "0.4.0", nil),
      ("0.1/8", "0.3.0", "0.4.0", "0.4.0"),
      ("0.1/8", "0.1", "0.4.0", "0.4.0"),
      ("ungated", "0.2.0", "0.4.0", "0.5.0"),
      ("outdated", "0.3.2", "0.4.0", "0.4.0"),
      ("chain", "0.2.0", "0.5.0", "0.3.0 0.5.0"),
      ("gated", "0.2.0", "0.5.0", nil),
      ("old", "0.3.2", "0.4.0", nil),
      ("none", "0.2.0", "0.4.0", nil),
      ("none", "0.4", "0.4.0", ""),
      ("none", "0.10", "0.9", ""),
      ("none", "0.5.1", "0.4.0", ""),
    ] as [(String, String, String, String?)])
  func golden(catalogue: String, installed: String, required: String, hops: String?) throws {
    let application = try #require(Self.build("1.7.3<\(required)"))
    let interlock = Interlock(bootloaders: Self.builds(try #require(Self.catalogues[catalogue])), applications: [application])
    let installed = try #require(FirmwareVersion(installed))
    guard let hops else {
      let refusal = try #require(throws: InterlockRefusal.self) { try interlock.plan(application, installed: installed) }
      #expect(refusal.code == .policyBootloader)
      return
    }
    let plan = try interlock.plan(application, installed: installed)
    #expect(plan.bootloaders.map(\.id) == hops.split(separator: " ").map(String.init))
    #expect(plan.stages.last == application)
  }

  @Test("No requirement: the application alone, whatever the board has")
  func noRequirement() throws {
    let application = try #require(Self.build("1.0.0"))
    #expect(try Interlock(bootloaders: []).plan(application, installed: try #require(FirmwareVersion("0.1.0"))).stages == [application])
  }

  /// Cut anywhere, a chain that is planned again from what the board then says is what was left of the first plan (§10.14).
  @Test("A chain that broke off goes on where the board stands", arguments: ["0.2.1", "0.2.2", "0.3.1", "0.3.2", "0.3.3"])
  func resumes(reached: String) throws {
    let application = try #require(Self.build("1.4.5<0.3.3"))
    let interlock = Interlock(bootloaders: Self.builds("0.2.2<0.2.1 0.3.1<0.2.2 0.3.2<0.3.1 0.3.3<0.3.2").shuffled())
    let whole = try interlock.plan(application, installed: try #require(FirmwareVersion("0.2.1"))).stages
    let reached = try #require(FirmwareVersion(reached))
    #expect(try interlock.plan(application, installed: reached).stages == whole.filter { $0 == application || $0.version > reached })
  }

  @Test("A bootloader newer than the application asks for is told", arguments: [("0.2.0", true), ("0.5.1", false), ("0.4.0", false)])
  func overshoot(installed: String, overshoots: Bool) throws {
    let application = try #require(Self.build("1.7.3<0.4.0"))
    let plan = try Interlock(bootloaders: Self.builds("0.3.0 0.4.0 0.5.0")).plan(application, installed: try #require(FirmwareVersion(installed)))
    #expect(plan.overshoots == overshoots)
  }

  /// hw 0.1 / model 5: up to 1.3.7 applications live on bootloader 0.2.1, from 1.4.0 on they need 0.3.1 (§3.4). Back over that border boards died (§9, 6781).
  @Test(
    "Back over a generation is refused, within one it is not",
    arguments: [
      ("1.3.7<0.2.1", "0.2.1", false), ("1.3.7<0.2.1", "0.2.2", false), ("1.3.7<0.2.1", "0.3.1", true), ("1.3.7<0.2.1", "0.3.2", true),
      ("1.4.0<0.3.1", "0.3.1", false), ("1.4.0<0.3.1", "0.3.2", false), ("1.5.0<0.3.1", "0.4.0", false), ("1.2.0", "0.3.1", true), ("1.2.0", "0.1.0", false),
    ])
  func downgrade(application: String, installed: String, isRefused: Bool) throws {
    let application = try #require(Self.build(application))
    let installed = try #require(FirmwareVersion(installed))
    var interlock = Interlock(
      bootloaders: Self.builds("0.2.2<0.2.1 0.3.1<0.2.2"), applications: Self.builds("1.2.0 1.3.0<0.2.1 1.3.7<0.2.1 1.4.0<0.3.1 1.5.0<0.3.1"))
    if isRefused {
      let refusal = try #require(throws: InterlockRefusal.self) { try interlock.plan(application, installed: installed) }
      #expect(refusal.code == .policyDowngrade)
      #expect(FailureRule.of(refusal.code).outcome == .refused)
      #expect("\(refusal)".contains("allow_downgrade = yes"))
    } else {
      #expect(try interlock.plan(application, installed: installed).stages.last == application)
    }
    interlock.allowsDowngrade = true
    #expect(try interlock.plan(application, installed: installed).stages == [application])
  }

  @Test func refusalsSayHowFarTheCatalogueLeads() throws {
    let interlock = Interlock(bootloaders: Self.builds("0.2.2<0.2.1 0.3.1<0.3.0"))
    let refusal = try #require(throws: InterlockRefusal.self) {
      try interlock.plan(try #require(Self.build("1.5.0<0.3.1")), installed: try #require(FirmwareVersion("0.2.1")))
    }
    #expect(
      "\(refusal)" == "the firmware needs bootloader 0.3.1, the board has 0.2.1, and the catalogue leads only to 0.2.2: "
        + "refresh the catalogue, or choose a firmware version that takes bootloader 0.2.1")
  }
}
