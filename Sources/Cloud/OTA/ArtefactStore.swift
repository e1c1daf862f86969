import Catalogue
import FoundationEssentials
import Glibc

/// The folder of fetched artefacts: each lies there under its own SHA-256, whole and checked, or not at all.
///
/// `HASH.part` is one that is on its way; a later fetch goes on behind its last byte. The folder `FOLDER.pins` beside it says what had been asked for
/// (`ArtefactPin`). Nothing that a server says becomes a name here.
public struct ArtefactStore: Sendable {
  /// How far a fetch goes.
  public struct Limits: Hashable, Sendable {
    /// Most bytes of an artefact.
    public var size = 64 << 20
    /// Times a broken download is taken up again.
    public var tries = 4
    /// Before the second try; doubled before each further one, unless the server names a pause.
    public var pause = Duration.seconds(1)
    /// The longest pause that a server gets here; one that wants more is left for later.
    public var longestPause = Duration.seconds(60)

    public init() {}
  }

  let folder: String
  private let hosts: AllowedHosts
  let limits: Limits
  private let session: HTTPSession

  /// - Parameter folder: is created when it is not there.
  public init(folder: String, hosts: AllowedHosts, limits: Limits = Limits(), transfers: HTTPFetcher.Limits = HTTPFetcher.Limits()) {
    self.folder = folder
    self.hosts = hosts
    self.limits = limits
    session = HTTPSession(limits: transfers)
  }

  /// Where an artefact lies once it was fetched.
  public func path(of sha256: String) -> String { "\(folder)/\(sha256)" }

  /// Whether an artefact lies here with all its bytes.
  public func isWhole(_ sha256: String) async throws(OTAError) -> Bool {
    guard FileHash.isHash(sha256) else { return false }
    return try await digest(path(of: sha256)) == sha256
  }

  /// Fetches an artefact unless it is there already, and returns its path. The file is whole and has the SHA-256 that the server told.
  public func fetch(_ artefact: ReleaseArtefact) async throws(OTAError) -> String {
    guard let sha256 = artefact.sha256, FileHash.isHash(sha256) else { throw .noDigest }
    if let objection = hosts.objection(to: artefact.url) { throw objection }
    if let size = artefact.size, size > limits.size { throw .transport(.tooLarge(limit: limits.size)) }
    let whole = path(of: sha256)
    if try await digest(whole) == sha256 { return whole }
    try Self.makeFolder(folder)
    let part = try ArtefactPart(whole + ".part")
    let wasThere = part.length > 0
    do throws(OTAError) {
      try await download(artefact, to: part)
      try await check(part, artefact, sha256)
    } catch {
      // What an earlier run left may have been another file's beginning: once more, from the first byte.
      guard wasThere, error.isWrongContent else { throw error }
      try await download(artefact, to: part)
      try await check(part, artefact, sha256)
    }
    try part.keep(as: whole, in: folder)
    return whole
  }

  static func makeFolder(_ folder: String) throws(OTAError) {
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw .transport(.cannotWrite("\(folder): \(String(cString: strerror(errno)))"))
    }
  }

  // MARK: download

  private func download(_ artefact: ReleaseArtefact, to part: ArtefactPart) async throws(OTAError) {
    var pause = limits.pause
    for attempt in 1...limits.tries {
      do throws(OTAError) {
        return try await continueDownload(artefact, part)
      } catch {
        var next = pause
        if case .busy(_, let wish?) = error { next = wish }
        guard error.isPassing, attempt < limits.tries, next <= limits.longestPause else { throw error }
        do { try await Task.sleep(for: next) } catch { throw .transport(.cancelled) }
        pause *= 2
      }
    }
  }

  /// One request: what is missing behind the part's last byte.
  private func continueDownload(_ artefact: ReleaseArtefact, _ part: ArtefactPart) async throws(OTAError) {
    if let size = artefact.size, part.length == size { return }
    if part.length > artefact.size ?? limits.size { try part.cut() }
    let from = try part.end()
    let hosts = hosts
    var request = HTTPRequest(
      url: artefact.url, sink: .file(part.descriptor), limit: (artefact.size ?? limits.size) - from, follows: { hosts.permits($0) })
    if from > 0 {
      request.fields["Range"] = "bytes=\(from)-"
      // A server that does not know ranges sends everything (200): that is taken by the next request, without one.
      request.wanted = [206]
    }
    let answer: HTTPAnswer
    do throws(FetchError) { answer = try await session.send(request) } catch { throw refusal(error) }
    switch answer.status {
    case 200 where from == 0: break
    case 206 where from > 0 && answer.contentRange?.start == from: break
    case 200, 206, 416:
      guard from > 0 else { throw .transport(.unexpected(status: answer.status)) }
      try part.cut()
      throw .transport(.truncated(bytes: 0, announced: artefact.size ?? 0))
    case 401, 403: throw .transport(.notAllowed(status: answer.status))
    case 429, 503: throw .busy(status: answer.status, after: answer.retryAfter(now: Int64(time(nil))))
    default: throw .transport(HTTPFetcher.failure(status: answer.status) ?? .unexpected(status: answer.status))
    }
    try part.flush()
  }

  /// A redirect that was not followed. The address may hold a token: only whom it names is shown.
  private func refusal(_ error: FetchError) -> OTAError {
    guard case .redirected(let address) = error else { return .transport(error) }
    guard let url = URL(string: address), let host = NetworkAddress.host(of: url) else { return .transport(.redirected(to: "nowhere")) }
    return hosts.objection(to: url) ?? .transport(.redirected(to: host))
  }

  // MARK: check

  /// What does not hold is thrown away.
  private func check(_ part: ArtefactPart, _ artefact: ReleaseArtefact, _ sha256: String) async throws(OTAError) {
    if let expected = artefact.size, part.length != expected {
      let got = part.length
      try part.cut()
      throw .wrongSize(expected: expected, got: got)
    }
    let got = try await digest(part.path) ?? "nothing"
    guard got == sha256 else {
      try part.cut()
      throw .wrongDigest(expected: sha256, got: got)
    }
  }

  /// Nil when there is no such file.
  func digest(_ path: String) async throws(OTAError) -> String? {
    do throws(FileHash.Failure) {
      return try await FileHash.sha256(of: path, limit: limits.size)
    } catch {
      throw OTAError(error, path, limits.size)
    }
  }
}

extension OTAError {
  init(_ failure: FileHash.Failure, _ path: String, _ limit: Int) {
    switch failure {
    case .unreadable(let code): self = .transport(.cannotRead("\(path): \(String(cString: strerror(code)))"))
    case .tooLarge: self = .transport(.tooLarge(limit: limit))
    case .unavailable: self = .transport(.cannotRead("this computer's libcrypto offers no SHA-256"))
    }
  }

  /// Whether the same request may do better in a moment.
  fileprivate var isPassing: Bool {
    switch self {
    case .busy, .transport(.truncated), .transport(.timeout), .transport(.unreachable), .transport(.serverFailed): true
    default: false
    }
  }

  fileprivate var isWrongContent: Bool {
    switch self {
    case .wrongDigest, .wrongSize: true
    default: false
    }
  }
}
