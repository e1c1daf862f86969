import Catalogue
import FoundationEssentials
import Glibc
import Testing

@testable import Cloud

/// Releases asked for and artefacts fetched over a real connection (Python's http.server).
@Suite(.serialized) struct OTAServerTests {
  static let body: [UInt8] = (0..<10_000).map { UInt8($0 % 251) }
  /// `sha256sum` of those bytes.
  static let sha = "0cd0bf930677960951dda8588edcb6b293c0c3b26ef3ba72cddff4ddfc6822c7"

  static func store(_ folder: String) -> ArtefactStore {
    var (limits, transfers) = (ArtefactStore.Limits(), HTTPFetcher.Limits())
    limits.pause = .milliseconds(10)
    limits.size = 100_000
    transfers.silence = .seconds(5)
    return ArtefactStore(folder: folder, hosts: AllowedHosts(["127.0.0.1"]), limits: limits, transfers: transfers)
  }

  static func artefact(_ url: URL, sha: String? = OTAServerTests.sha, size: Int? = 10_000) throws -> ReleaseArtefact {
    try ReleaseArtefact(ReleaseArtefact.Document(filename: "../../etc/cron.d/x", file_size: size, url: url.absoluteString, sha256: sha))
  }

  static func query() throws -> ReleaseQuery { try ReleaseQuery(hardwareVersion: "h", softwareType: "s", currentVersion: "1+1", serial: "7") }

  @Test("The key goes out as a header field, the values as they are")
  func asks() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let key = try #require(ProjectKey("k3y"))
    let release = try await ReleaseServer(try server.url("release"), key).latest(try Self.query())
    // The server put into the notes what it was asked.
    #expect(release?.notes == "k3y application/json hardware_version=h&software_type=s&current_version=1%2B1&device_serial=7")
  }

  @Test(
    "What the server says is told apart",
    arguments: [
      (400, .refused), (401, .keyRefused(status: 401)), (403, .keyRefused(status: 403)), (404, .unknown), (429, .busy(status: 429, after: .seconds(9))),
      (503, .busy(status: 503, after: .seconds(9))), (500, .transport(.serverFailed(status: 500))), (418, .transport(.unexpected(status: 418))),
    ] as [(Int, OTAError)])
  func classes(status: Int, error: OTAError) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let asked = try ReleaseServer(try server.url("answers/\(status)"), try #require(ProjectKey("k")))
    await #expect(throws: error) { try await asked.latest(try Self.query()) }
  }

  @Test("204: the board has the latest release") func upToDate() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    #expect(try await ReleaseServer(try server.url("answers/204"), try #require(ProjectKey("k"))).latest(try Self.query()) == nil)
  }

  @Test("A host that is not on the list is not asked, and a redirect takes no key anywhere") func strangers() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let key = try #require(ProjectKey("k"))
    await #expect(throws: OTAError.hostNotAllowed("localhost")) {
      try await ReleaseServer("http://localhost:\(server.port)", key: key, hosts: AllowedHosts(["127.0.0.1"])).latest(try Self.query())
    }
    await #expect(throws: OTAError.self) { try await ReleaseServer(try server.url("answers/302"), key).latest(try Self.query()) }
  }

  @Test("An artefact is there whole, under its own hash, and the server's name for it is nowhere") func good() async throws {
    let (server, file) = (try LoopbackServer(), try HTTPFetcherTests.file())
    defer {
      server.stop()
      HTTPFetcherTests.remove(file)
    }
    let path = try await Self.store(file).fetch(try Self.artefact(try server.url("range/10000")))
    #expect(path == "\(file)/\(Self.sha)")
    #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == Self.body)
    #expect(try FileManager.default.contentsOfDirectory(atPath: file) == [Self.sha])
    server.stop()
    #expect(try await Self.store(file).fetch(try Self.artefact(try server.url("range/10000"))) == path, "what is there needs no network")
  }

  @Test("A broken download goes on behind its last byte; one that cannot begins again", arguments: ["breaks/10000", "once/10000"])
  func resumes(what: String) async throws {
    let (server, file) = (try LoopbackServer(), try HTTPFetcherTests.file())
    defer {
      server.stop()
      HTTPFetcherTests.remove(file)
    }
    let path = try await Self.store(file).fetch(try Self.artefact(try server.url(what)))
    #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == Self.body)
  }

  @Test("What another artefact left is thrown away") func foreignPart() async throws {
    let (server, file) = (try LoopbackServer(), try HTTPFetcherTests.file())
    defer {
      server.stop()
      HTTPFetcherTests.remove(file)
    }
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    for stale in [[UInt8](repeating: 7, count: 500), [UInt8](repeating: 7, count: 10_000), [UInt8](repeating: 7, count: 20_000)] {
      try Data(stale).write(to: URL(filePath: "\(file)/\(Self.sha).part"))
      let path = try await Self.store(file).fetch(try Self.artefact(try server.url("range/10000")))
      #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == Self.body)
      unlink(path)
    }
  }

  @Test("What does not hold is no artefact, and nothing of it stays") func bad() async throws {
    let (server, file) = (try LoopbackServer(), try HTTPFetcherTests.file())
    defer {
      server.stop()
      HTTPFetcherTests.remove(file)
    }
    let store = Self.store(file)
    let wrong = String(repeating: "0", count: 64)
    let cases: [(String, String?, Int?, OTAError)] = [
      ("range/10000", wrong, nil, .wrongDigest(expected: wrong, got: Self.sha)), ("range/10000", Self.sha, 9_000, .transport(.tooLarge(limit: 9_000))),
      ("range/10000", nil, nil, .noDigest), ("bytes/100001", Self.sha, nil, .transport(.tooLarge(limit: 100_000))),
      ("range/1", Self.sha, 200_000, .transport(.tooLarge(limit: 100_000))), ("answers/403", Self.sha, nil, .transport(.notAllowed(status: 403))),
      ("answers/404", Self.sha, nil, .transport(.notFound)), ("to/https://evil.example/x", Self.sha, nil, .hostNotAllowed("evil.example")),
    ]
    for (what, sha, size, error) in cases {
      let artefact = try Self.artefact(try server.url(what), sha: sha, size: size)
      await #expect(throws: error, "\(what)") { try await store.fetch(artefact) }
    }
    #expect((try? FileManager.default.contentsOfDirectory(atPath: file))?.contains(Self.sha) != true)
    await #expect(throws: OTAError.hostNotAllowed("evil.example")) {
      try await store.fetch(try Self.artefact(try #require(URL(string: "https://evil.example/x"))))
    }
  }
}

extension ReleaseServer {
  fileprivate init(_ url: URL, _ key: ProjectKey) throws {
    self.init(url.absoluteString, key: key, hosts: AllowedHosts(["127.0.0.1"]))
  }
}
