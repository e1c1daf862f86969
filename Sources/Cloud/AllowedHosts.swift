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

  /// What speaks against an address; nil when it is spoken to.
  func objection(to url: URL) -> OTAError? {
    guard !permits(url) else { return nil }
    let host = Self.host(url) ?? "nobody"
    return names.contains(host) ? .notSecure(host) : .hostNotAllowed(Self.shown(host))
  }

  /// A name from outside, short and harmless on a terminal.
  private static func shown(_ host: String) -> String {
    String(host.unicodeScalars.prefix(253).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" })
  }

  static func host(_ url: URL) -> String? {
    guard let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return nil }
    return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
