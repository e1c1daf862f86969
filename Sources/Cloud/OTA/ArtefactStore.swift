import Catalogue
import FoundationEssentials
import Glibc

/// The folder of fetched artefacts: each lies there under its own SHA-256, whole and checked, or not at all.
///
/// `HASH.part` is one that is on its way; a later fetch goes on behind its last byte. Nothing that a server says becomes a name here.
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

  private let folder: String
  private let hosts: AllowedHosts
  private let limits: Limits
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

  /// Fetches an artefact unless it is there already, and returns its path. The file is whole and has the SHA-256 that the server told.
  public func fetch(_ artefact: ReleaseArtefact) async throws(OTAError) -> String {
    guard let sha256 = artefact.sha256 else { throw .noDigest }
    guard hosts.permits(artefact.url) else { throw .hostNotAllowed(AllowedHosts.host(artefact.url) ?? "nobody") }
    if let size = artefact.size, size > limits.size { throw .transport(.tooLarge(limit: limits.size)) }
    let (whole, part) = (path(of: sha256), path(of: sha256) + ".part")
    if try digest(whole) == sha256 { return whole }
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw .transport(.cannotWrite("\(folder): \(String(cString: strerror(errno)))"))
    }
    let wasThere = length(part) > 0
    do throws(OTAError) {
      try await download(artefact, to: part)
      try check(part, artefact, sha256)
    } catch {
      // What an earlier run left may have been another file's beginning: once more, from the first byte.
      guard wasThere, error.isWrongContent else { throw error }
      try await download(artefact, to: part)
      try check(part, artefact, sha256)
    }
    guard rename(part, whole) == 0 else { throw .transport(.cannotWrite(String(cString: strerror(errno)))) }
    return whole
  }

  // MARK: download

  private func download(_ artefact: ReleaseArtefact, to part: String) async throws(OTAError) {
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
  private func continueDownload(_ artefact: ReleaseArtefact, _ part: String) async throws(OTAError) {
    let descriptor = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .transport(.cannotWrite(String(cString: strerror(errno)))) }
    defer { close(descriptor) }
    let have = Int(lseek(descriptor, 0, SEEK_END))
    if let size = artefact.size, have == size { return }
    if have > artefact.size ?? limits.size { try cut(descriptor) }
    let from = Int(lseek(descriptor, 0, SEEK_END))
    let hosts = hosts
    var request = HTTPRequest(url: artefact.url, sink: .file(descriptor), limit: (artefact.size ?? limits.size) - from, follows: { hosts.permits($0) })
    if from > 0 {
      request.fields["Range"] = "bytes=\(from)-"
      // A server that does not know ranges sends everything (200): that is taken by the next request, without one.
      request.wanted = [206]
    }
    let answer: HTTPAnswer
    do throws(FetchError) { answer = try await session.send(request) } catch {
      if case .redirected(let address) = error { throw .hostNotAllowed(URL(string: address).flatMap { AllowedHosts.host($0) } ?? address) }
      throw .transport(error)
    }
    switch answer.status {
    case 200 where from == 0: break
    case 206 where from > 0 && answer.contentRange?.start == from: break
    case 200, 206, 416:
      guard from > 0 else { throw .transport(.unexpected(status: answer.status)) }
      try cut(descriptor)
      throw .transport(.truncated(bytes: 0, announced: artefact.size ?? 0))
    case 401, 403: throw .transport(.notAllowed(status: answer.status))
    case 429, 503: throw .busy(status: answer.status, after: answer.retryAfter(now: Int64(time(nil))))
    default: throw .transport(HTTPFetcher.failure(status: answer.status) ?? .unexpected(status: answer.status))
    }
    guard fsync(descriptor) == 0 else { throw .transport(.cannotWrite(String(cString: strerror(errno)))) }
  }

  private func cut(_ descriptor: Int32) throws(OTAError) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw .transport(.cannotWrite(String(cString: strerror(errno)))) }
  }

  // MARK: check

  /// What does not hold is thrown away.
  private func check(_ part: String, _ artefact: ReleaseArtefact, _ sha256: String) throws(OTAError) {
    let size = length(part)
    if let expected = artefact.size, size != expected {
      unlink(part)
      throw .wrongSize(expected: expected, got: size)
    }
    let got = try digest(part) ?? "nothing"
    guard got == sha256 else {
      unlink(part)
      throw .wrongDigest(expected: sha256, got: got)
    }
  }

  private func length(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Nil when there is no such file.
  private func digest(_ path: String) throws(OTAError) -> String? {
    do throws(FileHash.Failure) {
      return try FileHash.sha256(of: path, limit: limits.size)
    } catch {
      switch error {
      case .unreadable(let code): throw .transport(.cannotRead("\(path): \(String(cString: strerror(code)))"))
      case .tooLarge: throw .transport(.tooLarge(limit: limits.size))
      case .unavailable: throw .transport(.cannotRead("this computer's libcrypto offers no SHA-256"))
      }
    }
  }
}

extension OTAError {
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
