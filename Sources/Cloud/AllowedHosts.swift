import Catalogue
public import FoundationEssentials

/// `[cloud] allowed_hosts`: whom this station speaks to. Addresses come from servers and boards; they are followed to these hosts only.
public struct AllowedHosts: Hashable, Sendable {
  public let names: Set<String>

  /// - Parameter names: host names, without port; case does not matter.
  public init(_ names: some Sequence<String>) {
    self.names = Set(names.map { $0.lowercased() })
  }

  /// Whether an address is spoken to: a listed host, and one of the addresses that Flashline speaks to at all.
  public func permits(_ url: URL) -> Bool {
    NetworkAddress(url).map { names.contains($0.host) } ?? false
  }

  /// What speaks against an address; nil when it is spoken to.
  func objection(to url: URL) -> OTAError? {
    guard !permits(url) else { return nil }
    let host = NetworkAddress.host(of: url) ?? "nobody"
    return names.contains(host) ? .notSecure(host) : .hostNotAllowed(Self.shown(host))
  }

  /// A name from outside, short and harmless on a terminal.
  private static func shown(_ host: String) -> String {
    String(host.unicodeScalars.prefix(253).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" })
  }
}
