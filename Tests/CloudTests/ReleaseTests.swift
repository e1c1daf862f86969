import Catalogue
import FoundationEssentials
import Glibc
import Testing

@testable import Cloud

/// What a release server is asked, and what its answers mean. The sample is that of memfault-cloud-android's tests (facts/device-manager.md §9), completed by
/// the keys of §7.2.
struct ReleaseTests {
  static let sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

  static func json(_ artefacts: String, more: String = "") -> [UInt8] {
    Array(
      #"{"id":1,"created_date":"2026-11-02T10:00:00.123456+00:00","version":"1.0.0","revision":"","notes":"n","is_delta":false\#(more),"artifacts":[\#(artefacts)]}"#
        .utf8)
  }

  static func artefact(_ name: String, hardware: String? = "DVT", sha: String? = ReleaseTests.sha, size: String = "42") -> String {
    let hardware = hardware.map { #","hardware_version":"\#($0)""# } ?? ""
    let sha = sha.map { #","sha256":"\#($0)""# } ?? ""
    return
      #"{"id":63,"type":"firmware","filename":"\#(name)","file_size":\#(size),"url":"https://files.example/a?sig=1%2B2","md5":"43c821cf"\#(hardware)\#(sha)}"#
  }

  @Test("Values are percent-encoded once, `+` too")
  func address() throws {
    let query = try ReleaseQuery(hardwareVersion: "nRF52 DK/1+2", softwareType: "main&x=1", currentVersion: "1.2.3+45%", serial: "Gerät 7")
    #expect(
      query.url(at: "https://api.example/")?.absoluteString
        == "https://api.example/api/v0/releases/latest?hardware_version=nRF52%20DK%2F1%2B2&software_type=main%26x%3D1&current_version=1.2.3%2B45%25&device_serial=Ger%C3%A4t%207"
    )
  }

  @Test("A value that nothing can be asked for is refused", arguments: ["", "a\nb", String(repeating: "x", count: 257)])
  func values(value: String) {
    #expect(throws: OTAError.self) { try ReleaseQuery(hardwareVersion: value, softwareType: "s", currentVersion: nil, serial: "1") }
    #expect(throws: OTAError.self) { try ReleaseQuery(hardwareVersion: "h", softwareType: "s", currentVersion: nil, serial: value) }
  }

  @Test func aWholeRelease() throws {
    let release = try Release(json: Self.json(Self.artefact("app.bin"), more: #","must_pass_through":true,"reason":"""#))
    #expect((release.version, release.mustPassThrough, release.isDelta, release.artefacts.count) == ("1.0.0", true, false, 1))
    let artefact = try release.artefact(named: nil, hardwareVersion: "DVT")
    #expect((artefact.fileName, artefact.size, artefact.sha256) == ("app.bin", 42, Self.sha))
    #expect(artefact.url.absoluteString == "https://files.example/a?sig=1%2B2")
  }

  @Test("Keys that older servers leave out may be missing")
  func older() throws {
    let release = try Release(json: Self.json(Self.artefact("app.bin", hardware: nil, sha: nil)))
    #expect(try release.artefact(named: nil, hardwareVersion: "DVT").sha256 == nil)
  }

  @Test(
    "What is no release says what is wrong with it",
    arguments: [
      ("", "it is not JSON"), ("[]", "it has another type"), (#"{"artifacts":[]}"#, "version is missing"),
      (#"{"version":"1","artifacts":[]}"#, "it has 0 artefacts"),
      (#"{"version":"","artifacts":[{"url":"https://h/x"}]}"#, "its version is empty or too long"),
      (#"{"version":"1","artifacts":[{"url":"nowhere"}]}"#, "an artefact has no address"),
      (#"{"version":"1","artifacts":[{"url":"https://h/x","sha256":"2cf2"}]}"#, "an artefact has no whole SHA-256"),
      (#"{"version":"1","artifacts":[{"url":"https://h/x","file_size":0}]}"#, "an artefact has 0 bytes"),
      (#"{"version":"1","artifacts":[{"url":"https://h/x","file_size":"7"}]}"#, "file_size has another type"),
    ])
  func nonsense(text: String, words: String) {
    #expect(throws: OTAError.nonsense(words)) { try Release(json: Array(text.utf8)) }
  }

  @Test("Among several artefacts the hardware decides, or the operator; never the first one that comes")
  func choice() throws {
    let several = try Release(
      json: Self.json([Self.artefact("a.bin", hardware: "EVT"), Self.artefact("b.bin"), Self.artefact("c.bin", hardware: "PVT")].joined(separator: ",")))
    #expect(try several.artefact(named: nil, hardwareVersion: "DVT").fileName == "b.bin")
    #expect(try several.artefact(named: "c.bin", hardwareVersion: "DVT").fileName == "c.bin")
    #expect(throws: OTAError.noSuchArtefact(["a.bin", "b.bin", "c.bin"])) { try several.artefact(named: nil, hardwareVersion: "X") }
    #expect(throws: OTAError.noSuchArtefact(["a.bin", "b.bin", "c.bin"])) { try several.artefact(named: "d.bin", hardwareVersion: "DVT") }
    #expect(throws: OTAError.ambiguous(["a.bin", "b.bin", "c.bin"])) { try several.artefact(named: "firmware", hardwareVersion: "DVT") }
    let same = try Release(json: Self.json([Self.artefact("a.bin"), Self.artefact("b.bin", hardware: nil)].joined(separator: ",")))
    #expect(throws: OTAError.ambiguous(["a.bin", "b.bin"])) { try same.artefact(named: nil, hardwareVersion: "DVT") }
  }

  @Test(
    "Whom the station speaks to",
    arguments: [
      ("https://api.memfault.com/x", true), ("https://API.memfault.com/x", true), ("https://api.memfault.com.evil.example/x", false),
      ("https://evil.example/x", false),
      ("http://api.memfault.com/x", false), ("http://127.0.0.1:8080/x", true), ("http://localhost/x", false), ("https://127.0.0.1/x", true),
      ("https://me@api.memfault.com/x", false), ("https://a:b@api.memfault.com/x", false), ("ftp://127.0.0.1/x", false), ("file:///etc/passwd", false),
    ])
  func hosts(address: String, isPermitted: Bool) throws {
    #expect(AllowedHosts(["api.Memfault.com", "127.0.0.1"]).permits(try #require(URL(string: address))) == isPermitted)
  }

  @Test(
    "Retry-After in both forms (RFC 9110, 10.2.3)",
    arguments: [
      ("123", 123), ("0", 0), ("-1", nil), ("soon", nil), ("Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Sun, 06 Nov 1994 08:48:00 GMT", 0), ("99999999999", 86_400),
      ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
    ] as [(String, Int?)])
  func pauses(text: String, seconds: Int?) {
    let answer = HTTPAnswer(status: 503, fields: ["retry-after": text])
    // RFC 9110's own example is 784111777 seconds after 1970.
    #expect(answer.retryAfter(now: 784_111_717) == seconds.map { .seconds($0) })
  }

  @Test("No way to print a key shows it")
  func secrecy() throws {
    let key = try #require(ProjectKey("s3cr3t-key"))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key])", "\(Optional(key) as Any)"] { #expect(!text.contains("s3cr3t"), "\(text)") }
    #expect(ProjectKey("a b") == nil && ProjectKey("") == nil && ProjectKey("a\r\nX: y") == nil)
  }

  @Test("A key's file is for its owner only")
  func keyFiles() throws {
    let file = try HTTPFetcherTests.file()
    defer { HTTPFetcherTests.remove(file) }
    #expect(throws: OTAError.self) { try ProjectKey(file: file) }
    try Data("0123456789abcdef\n".utf8).write(to: URL(filePath: file))
    chmod(file, 0o644)
    #expect(throws: OTAError.keyFile(file, "other users may read it", "chmod 600 it")) { try ProjectKey(file: file) }
    chmod(file, 0o600)
    #expect(try ProjectKey(file: file) == ProjectKey("0123456789abcdef"))
    try Data("two words\n".utf8).write(to: URL(filePath: file))
    #expect(throws: OTAError.self) { try ProjectKey(file: file) }
  }
}
