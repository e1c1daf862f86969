import Catalogue
public import FoundationEssentials

/// Where a board's chunks go and under which key, as the board says (facts/device-manager.md §7.3), after everything in it was checked.
public struct ChunkDestination: Hashable, Sendable {
  /// No attribute value is longer (Bluetooth Core 5.4, Vol 3, Part F, 3.2.9).
  static let longestValue = 512
  static let longestKey = 128
  /// Header fields that carry a key; how a board writes them does not matter.
  static let headerNames = ["Memfault-Project-Key"]
  /// A shorter key may well occur in an address by chance.
  static let shortestTelling = 8

  public let url: URL
  public let headerName: String
  /// A secret: for a header field and for nothing else.
  public let key: ProjectKey

  /// Checks what a board says in its data URI and authorization (characteristics 54220003 and 54220004): any bytes.
  ///
  /// - Parameter hosts: whom the station speaks to.
  public init(uri: [UInt8], authorization: [UInt8], hosts: AllowedHosts) throws(DestinationRefusal) {
    // First, so that a key in the wrong place is known before anything of the address is shown.
    (headerName, key) = try Self.field(authorization)
    url = try Self.address(uri, key, hosts)
  }

  /// What was checked when the queue took it; the host is checked again before every request.
  init(url: URL, headerName: String, key: ProjectKey) {
    (self.url, self.headerName, self.key) = (url, headerName, key)
  }

  /// `NAME:KEY`, split at the first colon: a key may have colons.
  private static func field(_ bytes: [UInt8]) throws(DestinationRefusal) -> (String, ProjectKey) {
    guard !bytes.isEmpty else { throw .authorizationMissing }
    guard bytes.count <= longestValue else { throw .authorizationTooLong(limit: longestValue) }
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .authorizationUnreadable }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .authorizationMalformed }
    let written = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard let name = headerNames.first(where: { $0.lowercased() == written }) else { throw .headerNotAllowed }
    // Spaces around a field's value are not part of it (RFC 9110, 5.5).
    let value = bytes[(colon + 1)...].trimmed
    guard value.count <= longestKey, let key = ProjectKey(String(decoding: value, as: UTF8.self)) else { throw .keyUnusable }
    return (name, key)
  }

  private static func address(_ bytes: [UInt8], _ key: ProjectKey, _ hosts: AllowedHosts) throws(DestinationRefusal) -> URL {
    guard !bytes.isEmpty else { throw .uriMissing }
    guard bytes.count <= longestValue else { throw .uriTooLong(limit: longestValue) }
    // RFC 3986, 2: what else a parser would make of other bytes is not left to it. A fragment is nothing that is sent.
    guard bytes.allSatisfy({ $0.isAddress }) else { throw .uriUnreadable }
    let text = String(decoding: bytes, as: UTF8.self)
    guard key.secret.utf8.count < shortestTelling || !text.contains(key.secret) else { throw .uriHasKey }
    guard let mark = text.firstRange(of: "://") else { throw .uriMalformed }
    let scheme = text[..<mark.lowerBound].lowercased()
    let authority = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw .uriHasUser }
    guard scheme == "https" || scheme == "http", authority.utf8.allSatisfy({ $0.isAuthority }),
      let url = URL(string: text, encodingInvalidCharacters: false), let host = NetworkAddress.host(of: url)
    else { throw .uriMalformed }
    // The same host for whoever reads this address: ours, URLSession's parser and libcurl's.
    guard authority.lowercased() == host + (url.port.map { ":\($0)" } ?? "") || authority.lowercased() == "[\(host)]" + (url.port.map { ":\($0)" } ?? ""),
      url.port.map({ (1...65_535).contains($0) }) ?? true
    else { throw .uriMalformed }
    guard hosts.permits(url) else { throw scheme == "http" && hosts.names.contains(host) ? .notEncrypted(host: host) : .hostNotAllowed(host) }
    return url
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    var rest = self
    while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
    while rest.last == UInt8(ascii: " ") { rest.removeLast() }
    return rest
  }
}

extension UInt8 {
  private var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// Reserved and unreserved characters and `%` (RFC 3986, 2), without `#`.
  fileprivate var isAddress: Bool { isLetterOrDigit || "-._~:/?[]@!$&'()*+,;=%".utf8.contains(self) }
  /// A name, an IPv4 or IPv6 address, and a port.
  fileprivate var isAuthority: Bool { isLetterOrDigit || "-._:[]".utf8.contains(self) }
}
