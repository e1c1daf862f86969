import Catalogue
import FoundationEssentials
import Glibc
import Testing

@testable import Cloud

/// Fetching over a real connection: what ends up in the file, and whose turn it is when nothing does.
@Suite(.serialized) struct HTTPFetcherTests {
  /// Small limits, so that silence is short.
  static func fetcher(silence: Duration = .seconds(10), whole: Duration = .seconds(30)) -> HTTPFetcher {
    var limits = HTTPFetcher.Limits()
    limits.silence = silence
    limits.whole = whole
    return HTTPFetcher(limits: limits)
  }

  /// A name of a file that does not exist, below a folder of this test.
  static func file() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flashline-cloud-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "file").path(percentEncoded: false)
  }

  static func remove(_ file: String) { try? FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent()) }

  @Test("The bytes are those of the server", arguments: [0, 1, 65_537, 3_000_000])
  func bytes(count: Int) async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    #expect(try await Self.fetcher().fetch(try server.url("bytes/\(count)"), to: file, limit: count) == count)
    #expect([UInt8](try Data(contentsOf: URL(filePath: file))) == (0..<count).map { UInt8($0 % 251) })
  }

  @Test func severalAfterEachOther() async throws {
    let (server, fetcher) = (try LoopbackServer(), Self.fetcher())
    defer { server.stop() }
    for count in 1...20 {
      let file = try Self.file()
      defer { Self.remove(file) }
      #expect(try await fetcher.fetch(try server.url("bytes/\(count)"), to: file, limit: 100) == count)
    }
  }

  @Test func asksForTheBytesAsTheyAre() async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    _ = try await Self.fetcher().fetch(try server.url("agent"), to: file, limit: 100)
    #expect(String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self) == "flashline identity")
  }

  @Test(
    "What the server says is told apart",
    arguments: [
      ("status/404", .notFound), ("status/410", .notFound), ("status/401", .notAllowed(status: 401)), ("status/403", .notAllowed(status: 403)),
      ("status/429", .busy(status: 429)), ("status/503", .busy(status: 503)), ("status/500", .serverFailed(status: 500)),
      ("status/502", .serverFailed(status: 502)), ("status/204", .unexpected(status: 204)), ("status/206", .unexpected(status: 206)),
      ("status/304", .unexpected(status: 304)), ("status/418", .unexpected(status: 418)), ("bytes/101", .tooLarge(limit: 100)),
      ("endless", .tooLarge(limit: 100)),
      ("to/http://127.0.0.1:1/x", .redirected(to: "http://127.0.0.1:1/x")), ("to//bytes/5", .redirected(to: "PORT/bytes/5")),
      ("to/ftp://host/x", .redirected(to: "ftp://host/x")),
    ] as [(String, FetchError)])
  func classes(path: String, error: FetchError) async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    var expected = error
    if case .redirected(let to) = error, to.hasPrefix("PORT") { expected = .redirected(to: "http://127.0.0.1:\(server.port)" + to.dropFirst(4)) }
    await #expect(throws: expected) { try await Self.fetcher().fetch(try server.url(path), to: file, limit: 100) }
    #expect(try Data(contentsOf: URL(filePath: file)).count <= 100)
  }

  @Test func fewerBytesThanAnnouncedAreAnError() async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    let url = try server.url("lies")
    let error = await #expect(throws: FetchError.self) { try await Self.fetcher().fetch(url, to: file, limit: 5000) }
    switch error {
    case .truncated(bytes: 10, announced: 1000), .unreachable: break
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test("Silence and slowness end", arguments: [("silent", 1, 30), ("stalls", 1, 30), ("drips", 30, 1), ("silent", 30, 1)])
  func timeouts(path: String, silence: Int, whole: Int) async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    let began = ContinuousClock.now
    await #expect(throws: FetchError.timeout) {
      try await Self.fetcher(silence: .seconds(silence), whole: .seconds(whole)).fetch(try server.url(path), to: file, limit: 1_000_000)
    }
    #expect(ContinuousClock.now - began < .seconds(25))
  }

  @Test func aStopEndsIt() async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    let url = try server.url("drips")
    let task = Task { try await Self.fetcher().fetch(url, to: file, limit: 1_000_000) }
    while access(file, F_OK) != 0 { await Task.yield() }
    task.cancel()
    let result = await task.result
    #expect(throws: FetchError.cancelled) { try result.get() }
  }

  @Test(
    "Addresses that are not fetched at all",
    arguments: ["http://mbientlab.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "https://", "http://127.0.0.1.example/x", "x"])
  func addresses(text: String) async throws {
    let file = try Self.file()
    defer { Self.remove(file) }
    let url = try #require(URL(string: text))
    await #expect(throws: FetchError.badAddress) { try await Self.fetcher().fetch(url, to: file, limit: 100) }
    #expect(access(file, F_OK) != 0)
  }

  @Test func nobodyListens() async throws {
    let file = try Self.file()
    defer { Self.remove(file) }
    // Port 1 (tcpmux) is served nowhere.
    let url = try #require(URL(string: "http://127.0.0.1:1/x"))
    let error = await #expect(throws: FetchError.self) { try await Self.fetcher().fetch(url, to: file, limit: 100) }
    guard case .unreachable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.isLasting == true)
  }

  @Test func anExistingFileIsNotTouched() async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    await #expect(throws: FetchError.cannotWrite("File exists")) { try await Self.fetcher().fetch(try server.url("bytes/10"), to: file, limit: 100) }
    #expect(try Data(contentsOf: URL(filePath: file)) == Data([1, 2, 3]))
  }

  /// The handshake is real: a certificate that nobody vouches for ends the fetch before a byte of the body.
  @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
    let file = try Self.file()
    defer { Self.remove(file) }
    let folder = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
    let command =
      "cd '\(folder)' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out c -days 2 -subj /CN=127.0.0.1 2>/dev/null"
    try #require(system(command) == 0, "openssl is needed for this test")
    let server = try LoopbackServer(certificate: (folder + "/c", folder + "/k"))
    defer { server.stop() }
    let url = try server.url("bytes/10", scheme: "https")
    let error = await #expect(throws: FetchError.self) { try await Self.fetcher().fetch(url, to: file, limit: 100) }
    switch error {
    case .untrusted?, .unreachable?: #expect(error?.description.lowercased().contains("certificate") == true, "\(String(describing: error))")
    default: Issue.record("\(String(describing: error))")
    }
    #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
  }

  /// The whole way: a catalogue and its artefacts over HTTP into a mirror.
  @Test func aMirrorIsFilledOverHTTP() async throws {
    let (server, file) = (try LoopbackServer(), try Self.file())
    defer {
      server.stop()
      Self.remove(file)
    }
    let location = try #require(CatalogueLocation("http://127.0.0.1:\(server.port)/c/info2.json"))
    let mirror = CatalogueMirror(folder: file)
    let refresh = try await mirror.refresh(from: location, wishes: [MirrorWish(model: "5")], by: Self.fetcher())
    #expect(refresh.entries.map(\.word) == ["fetched", "failed"])
    #expect(refresh.entries.last?.state == .failed(.notFound))
    let build = try #require(try mirror.catalogue().latest(hardware: "0.4", model: "5", flavor: "vanilla"))
    let artefact = try mirror.resolve(build)
    #expect(String(decoding: try Data(contentsOf: URL(filePath: artefact.file)), as: UTF8.self) == "/c/0.4/5/vanilla/1.5.0/firmware.zip")
  }
}
