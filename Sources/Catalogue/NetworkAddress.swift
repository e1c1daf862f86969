public import FoundationEssentials

/// An address of the network that Flashline speaks to: https, or http that never leaves this computer; without user and password, which would end up in logs.
public struct NetworkAddress: Hashable, Sendable {
  /// Names of the computer itself, where there is nobody between who could listen or answer instead.
  private static let loopback: Set<String> = ["localhost", "127.0.0.1", "::1"]

  public let url: URL
  /// In lower case, without the brackets of IPv6.
  public let host: String

  /// nil for every other address.
  public init?(_ url: URL) {
    guard let host = Self.host(of: url), url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else { return nil }
    switch url.scheme?.lowercased() {
    case "https": break
    case "http" where Self.loopback.contains(host): break
    default: return nil
    }
    self.url = url
    self.host = host
  }

  /// The host that any address names, in lower case and without brackets, for a message about it as well; nil when it names none.
  public static func host(of url: URL) -> String? {
    guard let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return nil }
    return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
