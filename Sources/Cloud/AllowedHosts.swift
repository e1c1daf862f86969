public import FoundationEssentials

/// `[cloud] allowed_hosts`: whom this station speaks to. Addresses come from servers and boards; they are followed to these hosts only.
public struct AllowedHosts: Hashable, Sendable {
  /// Names of the computer itself: only here http without TLS is spoken, and only when the name is listed.
  private static let loopback: Set<String> = ["localhost", "127.0.0.1", "::1"]

  public let names: Set<String>

  /// - Parameter names: host names, without port; case does not matter.
  public init(_ names: some Sequence<String>) {
    self.names = Set(names.map { $0.lowercased() })
  }

  /// Whether an address is spoken to: https to a listed host, or http to a listed name of this computer. An address with user or password never is.
  public func permits(_ url: URL) -> Bool {
    guard let host = Self.host(url), names.contains(host), url.user() == nil, url.password() == nil else { return false }
    switch url.scheme?.lowercased() {
    case "https": return true
    case "http": return Self.loopback.contains(host)
    default: return false
    }
  }

  static func host(_ url: URL) -> String? {
    guard let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return nil }
    return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
