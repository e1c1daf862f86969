public import Catalogue
// Foundation: URLSession's delegates are objects of NSObject, and its errors are URLError.
import Foundation
public import FoundationEssentials
import FoundationNetworking
import Glibc

/// Fetches https addresses into files, with URLSession.
public final class HTTPFetcher: Fetcher {
  /// How long and how far a fetch goes.
  public struct Limits: Hashable, Sendable {
    /// Without a byte from the server.
    public var silence = Duration.seconds(30)
    /// One whole fetch: 32 MiB over a slow line.
    public var whole = Duration.seconds(600)
    /// Times that a server may send on to another address.
    public var redirects = 5

    public init() {}
  }

  private let limits: Limits
  private let session: URLSession
  private let desk = TransferDesk()

  public init(limits: Limits = Limits()) {
    self.limits = limits
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = limits.silence / .seconds(1)
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    session = URLSession(configuration: configuration, delegate: desk, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  public func fetch(_ url: URL, to path: String, limit: Int) async throws(FetchError) -> Int {
    guard CatalogueLocation.isFetched(url) else { throw .badAddress }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotWrite(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var request = URLRequest(url: url)
    // The bytes as they lie on the server: limit, size and hash are theirs.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    request.setValue("flashline", forHTTPHeaderField: "User-Agent")
    let task = session.dataTask(with: request)
    let transfer = Transfer(descriptor: descriptor, limit: limit, redirects: limits.redirects)
    let outcome = await run(task, transfer)
    return try outcome.get()
  }

  private func run(_ task: URLSessionDataTask, _ transfer: Transfer) async -> Result<Int, FetchError> {
    let whole = limits.whole
    async let _: Void = {
      guard (try? await Task.sleep(for: whole)) != nil else { return }
      transfer.fail(.timeout)
      task.cancel()
    }()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        desk.begin(transfer, for: task) { continuation.resume(returning: $0) }
        task.resume()
      }
    } onCancel: {
      transfer.fail(.cancelled)
      task.cancel()
    }
    // Leaving the scope cancels the watch, so a fetch that is over is not held up by it.
    return outcome
  }
}
