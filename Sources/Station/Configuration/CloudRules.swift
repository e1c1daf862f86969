import Catalogue
import FoundationEssentials

/// `[cloud]`: whom the station speaks to, with which key, and what is kept for it.
public struct CloudRules: Hashable, Sendable {
  /// Below it one board's burst would not fit; above it a disk fills without anybody looking.
  static let queueSizes = 65_536...(64 << 30)

  /// The file with the project key; the key itself is never in the configuration.
  public var projectKeyFile: String?
  /// Names of hosts in lower case; empty is nobody.
  public var allowedHosts: [String]
  /// Address of the server of releases, without a query.
  public var releases: String
  /// The database of chunks that wait for the cloud.
  public var queue: String
  /// Most bytes of chunks in the queue.
  public var queueLimit: Int

  init(_ values: IniValues) throws(ConfigurationError) {
    projectKeyFile = try values.path(StationKeys.projectKeyFile)
    allowedHosts = try values.list(StationKeys.allowedHosts, of: "names of hosts without https:// and port") { Self.isHost($0) ? $0.lowercased() : nil }
    releases = try values.value(StationKeys.releases, "https://HOST (http:// for this computer only), without a question mark") {
      Self.isAddress($0) ? $0 : nil
    }
    queue = try values.path(StationKeys.queue) ?? "cloud-queue.db"
    queueLimit = try values.integer(StationKeys.queueLimit, in: Self.queueSizes)
  }

  /// A name or an address of IPv4; of IPv6 only this computer's.
  static func isHost(_ text: String) -> Bool {
    text == "::1" || text.utf8.count <= 253 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
  }

  /// The beginning of an https address, or of an http address on this computer: scheme, host, port, path.
  static func isAddress(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text, encodingInvalidCharacters: false) else { return false }
    return NetworkAddress(url) != nil && url.query(percentEncoded: true) == nil && url.fragment(percentEncoded: true) == nil
  }
}
