import Catalogue
// Foundation: URLSession's delegates are objects of NSObject, and its errors are URLError.
import Foundation
import FoundationNetworking

/// Requests over URLSession, with the limits of this room: no cache, no cookies, no stored credentials, nothing without an end.
final class HTTPSession: Sendable {
  /// How often a request under way is looked at.
  private static let watchTurn = Duration.seconds(1)

  private let limits: HTTPFetcher.Limits
  private let session: URLSession
  private let desk = TransferDesk()

  init(limits: HTTPFetcher.Limits = HTTPFetcher.Limits()) {
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

  /// What became of a request that must not be there twice.
  enum Delivery: Sendable {
    case answered(HTTPAnswer)
    /// It never left.
    case unsent(FetchError)
    /// Whether it arrived nobody knows.
    case lost(FetchError)
  }

  /// Sends a request and takes the answer, whatever its status is. Throws when there was none, or none that could be taken whole.
  func send(_ request: HTTPRequest) async throws(FetchError) -> HTTPAnswer {
    try await run(task(request), Transfer(request, redirects: limits.redirects)).get()
  }

  /// The same for what is not simply asked again.
  func deliver(_ request: HTTPRequest) async -> Delivery {
    let transfer = Transfer(request, redirects: limits.redirects)
    return switch await run(task(request), transfer) {
    case .success(let answer): .answered(answer)
    case .failure(let error): transfer.isUnsent ? .unsent(error) : .lost(error)
    }
  }

  private func task(_ request: HTTPRequest) -> URLSessionDataTask {
    var message = URLRequest(url: request.url)
    message.httpMethod = request.method
    message.httpBody = request.body.map { Data($0) }
    // The bytes as they lie on the server: limit, size and hash are theirs.
    message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    message.setValue("flashline", forHTTPHeaderField: "User-Agent")
    for (name, value) in request.fields { message.setValue(value, forHTTPHeaderField: name) }
    return session.dataTask(with: message)
  }

  private func run(_ task: URLSessionDataTask, _ transfer: Transfer) async -> Result<HTTPAnswer, FetchError> {
    let deadline = ContinuousClock.now + limits.whole
    async let _: Void = {
      // In short pieces: a sleep that is cancelled stays in memory until its time is over, and requests may be hundreds a second.
      while ContinuousClock.now < deadline {
        guard (try? await Task.sleep(for: min(Self.watchTurn, deadline - .now))) != nil else { return }
      }
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
    // Leaving the scope cancels the watch, so a request that is over is not held up by it.
    return outcome
  }
}
