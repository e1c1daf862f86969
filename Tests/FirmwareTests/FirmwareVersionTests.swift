import Firmware
import Testing

/// Versions as catalogues and boards write them: facts/metaboot.md §3.2 (padding, numeric order) and §10.9 (pre-releases).
@Suite struct FirmwareVersionTests {
  @Test(
    "Equal however they are written",
    arguments: [
      ("1.5", "1.5.0"), ("1.5.0.0", "1.5"), ("r0.4", "0.4"), ("R0.4", "0.4.0"), (" 1.7.3\n", "1.7.3"), ("01.2", "1.2"), ("0", "0.0.0"),
      ("2.0.0-beta", "2-Beta"), ("2.0-rc.1", "2.0rc1"), ("2.0-rc-1", "2.0.0-rc1"),
    ])
  func equal(left: String, right: String) throws {
    let (left, right) = (try #require(FirmwareVersion(left)), try #require(FirmwareVersion(right)))
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(!(left < right) && !(right < left))
  }

  /// The real history of facts/metaboot.md §7 stands in it.
  @Test func everyOneIsAboveTheOneBefore() throws {
    let texts = [
      "0", "0.2.1", "0.2.2", "0.9", "0.10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta2", "1.0.0-beta10", "1.0.0-rc1",
      "1.0.0", "1.2.5", "1.3.4", "1.4.3", "1.5.0", "1.7.3", "1.7.3.1", "1.10", "2.0.0-beta", "2.0.0", "10.0",
    ]
    let versions = try texts.map { try #require(FirmwareVersion($0), "\($0)") }
    for (index, version) in versions.enumerated() {
      for other in versions[..<index] { #expect(other < version && !(version < other) && version != other, "\(other) \(version)") }
    }
    #expect(versions.shuffled().sorted() == versions)
    #expect(zip(texts, versions).allSatisfy { $0 == $1.description })
  }

  @Test(
    "Nonsense is no version",
    arguments: [
      "", " ", "r", "v", "1.", ".1", "1..2", "1.2-", "1.2-.", "1.2+4", "1,2", "1.2 3", "-1", "1.x", "1.5b1", "release", "rc1", "latest", "1.2-β", "١.٢",
      "1\u{301}.2",
      "4294967296.0", "9999999999", "1.2.3.4.5.6.7.8.9", "1.2-" + String(repeating: "9", count: 30), String(repeating: "1", count: 65), "1\0", "../1", "r 1",
    ])
  func nonsense(text: String) { #expect(FirmwareVersion(text) == nil) }

  @Test(arguments: [("1.7.3", false), ("2.0.0-beta", true), ("2.0.0rc1", true), ("1.0-0", true)])
  func preReleases(text: String, isPreRelease: Bool) throws { #expect(try #require(FirmwareVersion(text)).isPreRelease == isPreRelease) }
}
