import Catalogue
import FoundationEssentials
import Glibc

/// A server of releases (nRF Cloud's, or one that speaks like it): which release a board ought to have (facts/device-manager.md §7.2, facts/smp.md §8).
public struct ReleaseServer: Sendable {
  /// Memfault's, which nRF Cloud uses.
  public static let usualAddress = "https://api.memfault.com"
  /// Most bytes of an answer.
  static let answerLimit = 1 << 20

  private let base: String
  private let key: ProjectKey
  private let hosts: AllowedHosts
  private let session: HTTPSession

  /// - Parameters:
  ///   - base: scheme and host, without a path.
  ///   - hosts: whom the station speaks to; the key goes nowhere else.
  public init(_ base: String, key: ProjectKey, hosts: AllowedHosts, limits: HTTPFetcher.Limits = HTTPFetcher.Limits()) {
    self.base = base
    self.key = key
    self.hosts = hosts
    session = HTTPSession(limits: limits)
  }

  /// The latest release for a board; nil when the board has it already (204).
  public func latest(_ query: ReleaseQuery) async throws(OTAError) -> Release? {
    guard let url = query.url(at: base), let host = NetworkAddress.host(of: url) else {
      throw .badValue("[cloud] releases is no address: write https://HOST")
    }
    if let objection = hosts.objection(to: url) { throw objection }
    let answer: HTTPAnswer
    do throws(FetchError) {
      // Nothing is followed: the key is meant for this host.
      answer = try await session.send(
        HTTPRequest(url: url, fields: ["Accept": "application/json", "Memfault-Project-Key": key.secret], limit: Self.answerLimit))
    } catch {
      // An address from the server may hold a secret of its own: only whom it names is shown.
      if case .redirected(let address) = error {
        throw .nonsense("\(host) sends on to \(URL(string: address).flatMap { NetworkAddress.host(of: $0) } ?? "elsewhere")")
      }
      throw .transport(error)
    }
    switch answer.status {
    case 200: return try Release(json: answer.body)
    case 204: return nil
    case 400: throw .refused
    case 401, 403: throw .keyRefused(status: answer.status)
    case 404: throw .unknown
    case 429, 503: throw .busy(status: answer.status, after: answer.retryAfter(now: Int64(time(nil))))
    default: throw .transport(HTTPFetcher.failure(status: answer.status) ?? .unexpected(status: answer.status))
    }
  }
}
