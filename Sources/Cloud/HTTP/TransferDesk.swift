import Catalogue
// Foundation: URLSession's delegates are objects of NSObject, and its errors are URLError.
import Foundation
import FoundationNetworking
import Locks
import Synchronization

/// Hears what URLSession says and hands it to the transfer that is meant.
final class TransferDesk: NSObject, URLSessionDataDelegate {
  private struct Entry {
    var transfer: Transfer
    var ended: @Sendable (Result<HTTPAnswer, FetchError>) -> Void
  }

  private let entries = Locked<[Int: Entry]>([:])

  /// - Parameter ended: called once, on a thread of URLSession's.
  func begin(_ transfer: Transfer, for task: URLSessionTask, ended: @escaping @Sendable (Result<HTTPAnswer, FetchError>) -> Void) {
    entries.withLock { $0[task.taskIdentifier] = Entry(transfer: transfer, ended: ended) }
  }

  private func transfer(_ task: URLSessionTask) -> Transfer? { entries.withLock { $0[task.taskIdentifier]?.transfer } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse, completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = transfer(dataTask)?.answered(Self.answer(response), length: response.expectedContentLength) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let isFollowed = transfer(task)?.redirected(to: request.url) ?? false
    completionHandler(isFollowed ? request : nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if transfer(dataTask)?.received(data) != true { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let entry = entries.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error = error as? URLError, Self.unsent.contains(error.code) { entry.transfer.noteUnsent() }
    entry.ended(entry.transfer.outcome(error.map(Self.failure)))
  }

  /// Errors of a connection that did not come about.
  private static let unsent: Set<URLError.Code> = [
    .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .unsupportedURL, .badURL, .secureConnectionFailed,
    .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
    .clientCertificateRejected, .clientCertificateRequired,
  ]

  private static func answer(_ response: URLResponse) -> HTTPAnswer {
    guard let response = response as? HTTPURLResponse else { return HTTPAnswer(status: 0, fields: [:]) }
    var fields: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields { fields[name.lowercased()] = value }
    return HTTPAnswer(status: response.statusCode, fields: fields)
  }

  /// By URLError's codes. What has none of its own (libcurl knows more errors than URLError) is shown with its words.
  private static func failure(_ error: any Error) -> FetchError {
    let reason = (error as NSError).localizedDescription
    guard let error = error as? URLError else { return .unreachable(reason) }
    return switch error.code {
    case .timedOut: .timeout
    case .cancelled: .cancelled
    case .unsupportedURL, .badURL: .badAddress
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
      .untrusted(reason)
    default: .unreachable(reason)
    }
  }
}
