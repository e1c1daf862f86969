import Firmware
public import FoundationEssentials

/// Where a catalogue is: an https address, an http address of this computer, or a file. Artefacts lie below its folder (facts/metaboot.md §3.1).
public struct CatalogueLocation: Hashable, Sendable, CustomStringConvertible {
  public let url: URL
  /// What messages show: the address, or the path.
  public let description: String

  /// Longest address or path, in bytes.
  static let lengthLimit = 1024

  /// Reads an address or a path; nil for what is neither, or would put a password into messages and logs.
  ///
  /// - Parameter folder: where a relative path starts.
  public init?(_ text: String, relativeTo folder: String = ".") {
    guard !text.isEmpty, text.utf8.count <= Self.lengthLimit, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    guard let scheme = Self.scheme(text) else {
      url = URL(filePath: text, relativeTo: URL(filePath: folder, directoryHint: .isDirectory)).standardizedFileURL.absoluteURL
      description = url.path(percentEncoded: false)
      return
    }
    guard let url = URL(string: text) else { return nil }
    switch scheme {
    case "file":
      guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil, url.host(percentEncoded: false) ?? "" == "",
        url.path(percentEncoded: false).hasPrefix("/")
      else { return nil }
      self.url = URL(filePath: url.path(percentEncoded: false)).standardizedFileURL
      description = self.url.path(percentEncoded: false)
    default:
      guard NetworkAddress(url) != nil, url.path(percentEncoded: true).count > 1 else { return nil }
      self.url = url
      description = String(quoted(text, limit: Self.lengthLimit).dropFirst().dropLast())
    }
  }

  public var isFile: Bool { url.isFileURL }

  /// Where the artefact of a build is.
  public func artefact(_ build: CatalogueBuild) -> URL {
    if isFile { return url.deletingLastPathComponent().appending(path: build.path) }
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) ?? URLComponents()
    parts.query = nil
    parts.fragment = nil
    let folder = parts.percentEncodedPath.prefix(through: parts.percentEncodedPath.lastIndex(of: "/") ?? parts.percentEncodedPath.startIndex)
    // Every part of a build's path is fit for an address: see PathPart.
    parts.percentEncodedPath = folder + build.path
    return parts.url ?? url
  }

  /// A name for the folder of its mirror: what people recognise, and what tells it from every other location.
  public func folderName() throws(CatalogueError) -> String {
    let name = isFile ? url.deletingPathExtension().lastPathComponent : url.host(percentEncoded: false) ?? ""
    let shown = String(name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }.drop { $0 == "." }.prefix(40))
    return (shown.isEmpty ? "catalogue" : shown) + "-" + (try Pin.hash(Array(url.absoluteString.utf8))).prefix(8)
  }

  /// The letters before `:/`; nil for a path.
  private static func scheme(_ text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix(":/") else { return nil }
    let scheme = text[..<colon]
    return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? scheme.lowercased() : nil
  }
}
