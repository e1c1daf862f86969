import Catalogue
import FoundationEssentials
import Glibc
import Testing

@testable import Cloud

/// The folder of artefacts: what is written down, what is believed of it, and copies.
struct ArtefactStoreTests {
  static let question = ArtefactPin.Question(hardwareVersion: "DVT", softwareType: "main", serial: "S", artefact: "app.bin")

  /// `printf abc | sha256sum` (FIPS 180-4's own example).
  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test("SHA-256 of files (FIPS 180-4; sha256sum)") func hashes() async throws {
    let file = try HTTPFetcherTests.file()
    defer { HTTPFetcherTests.remove(file) }
    #expect(try await FileHash.sha256(of: file, limit: 3) == nil)
    try Data("abc".utf8).write(to: URL(filePath: file))
    #expect(try await FileHash.sha256(of: file, limit: 3) == Self.abc)
    #expect(try FileHash.sha256(of: Array("abc".utf8)) == Self.abc)
    try Data(OTAServerTests.body).write(to: URL(filePath: file))
    #expect(try await FileHash.sha256(of: file, limit: 10_000) == OTAServerTests.sha)
    // 100,000 times the letter a: several pieces. `head -c 100000 /dev/zero | tr '\0' a | sha256sum`
    try Data(repeating: UInt8(ascii: "a"), count: 100_000).write(to: URL(filePath: file))
    #expect(try await FileHash.sha256(of: file, limit: 100_000) == "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
    await #expect(throws: FileHash.Failure.self) { try await FileHash.sha256(of: file, limit: 99_999) }
    await #expect(throws: FileHash.Failure.self) { try await FileHash.sha256(of: URL(filePath: file).deletingLastPathComponent().path, limit: 10) }
    #expect(symlink(file, file + ".link") == 0)
    await #expect(throws: FileHash.Failure.self) { try await FileHash.sha256(of: file + ".link", limit: 100_000) }
    #expect(mkfifo(file + ".pipe", 0o600) == 0)
    await #expect(throws: FileHash.Failure.self) { try await FileHash.sha256(of: file + ".pipe", limit: 100_000) }
  }

  @Test("A pin is found again for its question and for no other, and only as it was written") func pins() async throws {
    let folder = try HTTPFetcherTests.file()
    defer { HTTPFetcherTests.remove(folder) }
    let store = OTAServerTests.store(folder)
    let pin = ArtefactPin(sha256: Self.abc, name: "app.bin", version: "1.2.3", question: Self.question)
    #expect(store.pin(of: Self.abc, for: Self.question) == nil)
    try store.keep(pin)
    try store.keep(pin)
    #expect(store.pin(of: Self.abc, for: Self.question) == pin)
    for change in [
      { $0.hardwareVersion = "EVT" }, { $0.softwareType = "x" }, { $0.serial = "T" }, { $0.artefact = nil }, { $0.artefact = "" },
    ] as [(inout ArtefactPin.Question) -> Void] {
      var other = Self.question
      change(&other)
      #expect(store.pin(of: Self.abc, for: other) == nil)
    }
    #expect(store.pin(of: OTAServerTests.sha, for: Self.question) == nil && store.pin(of: "../x", for: Self.question) == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + ".pins")
    let name = try #require(names.first)
    #expect(names.count == 1 && name.hasPrefix(Self.abc + "-") && name.hasSuffix(".json"))
    for text in ["", "{}", "[", String(repeating: " ", count: ArtefactPin.sizeLimit + 1), try readText("\(folder).pins/\(name)").replacing("DVT", with: "EVT")]
    {
      try Data(text.utf8).write(to: URL(filePath: "\(folder).pins/\(name)"))
      #expect(store.pin(of: Self.abc, for: Self.question) == nil, "\(text.prefix(40))")
    }
  }

  private func readText(_ path: String) throws -> String { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }

  @Test("A copy is the artefact, and replaces a file only when it is whole") func copies() async throws {
    let folder = try HTTPFetcherTests.file()
    defer { HTTPFetcherTests.remove(folder) }
    let store = OTAServerTests.store(folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let target = folder + ".bin"
    try Data("old".utf8).write(to: URL(filePath: target))
    await #expect(throws: OTAError.self) { try await store.copy(Self.abc, to: target) }
    try Data("abd".utf8).write(to: URL(filePath: store.path(of: Self.abc)))
    #expect(try await store.isWhole(Self.abc) == false)
    await #expect(throws: OTAError.self) { try await store.copy(Self.abc, to: target) }
    #expect(try readText(target) == "old")
    try Data("abc".utf8).write(to: URL(filePath: store.path(of: Self.abc)))
    #expect(try await store.isWhole(Self.abc))
    try await store.copy(Self.abc, to: target)
    #expect(try readText(target) == "abc")
    #expect(try FileManager.default.contentsOfDirectory(atPath: URL(filePath: folder).deletingLastPathComponent().path).count == 2, "no draft stays")
    await #expect(throws: OTAError.self) { try await store.copy(Self.abc, to: folder + "/none/x") }
    #expect(try await store.isWhole("../x") == false)
  }

  @Test("One process at a time fetches an artefact") func oneAtATime() async throws {
    let (server, folder) = (try LoopbackServer(), try HTTPFetcherTests.file())
    defer {
      server.stop()
      HTTPFetcherTests.remove(folder)
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let artefact = try OTAServerTests.artefact(try server.url("range/10000"))
    do {
      let other = try ArtefactPart("\(folder)/\(OTAServerTests.sha).part")
      await #expect(throws: OTAError.inUse) { try await OTAServerTests.store(folder).fetch(artefact) }
      #expect(fcntl(other.descriptor, F_GETFD) >= 0 && access(other.path, F_OK) == 0, "whoever came second leaves the first one alone")
      withExtendedLifetime(other) {}
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "an empty part does not stay")
    _ = try await OTAServerTests.store(folder).fetch(artefact)
  }

  @Test(
    "Whose turn it is when an address is not spoken to",
    arguments: [
      ("https://evil.example/x", .hostNotAllowed("evil.example")), ("http://api.example/x", .notSecure("api.example")),
      ("https://me@api.example/x", .notSecure("api.example")), ("https://api.example/x", nil), ("http://127.0.0.1/x", nil),
    ] as [(String, OTAError?)])
  func objections(address: String, error: OTAError?) throws {
    #expect(AllowedHosts(["api.example", "127.0.0.1"]).objection(to: try #require(URL(string: address))) == error)
  }

  @Test("A redirect to a listed host without https is not called an unlisted one, and no token is shown") func redirects() async throws {
    let (server, folder) = (try LoopbackServer(), try HTTPFetcherTests.file())
    defer {
      server.stop()
      HTTPFetcherTests.remove(folder)
    }
    let store = ArtefactStore(folder: folder, hosts: AllowedHosts(["127.0.0.1", "files.example"]))
    let artefact = try OTAServerTests.artefact(try server.url("to/http://files.example/x?token=s3cret"))
    await #expect(throws: OTAError.notSecure("files.example")) { try await store.fetch(artefact) }
    let circle = try OTAServerTests.artefact(try server.url("circle?token=s3cret"))
    await #expect(throws: OTAError.transport(.redirected(to: "127.0.0.1"))) { try await store.fetch(circle) }
  }
}
