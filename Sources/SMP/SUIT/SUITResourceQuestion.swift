/// A resource that an installing board lacks (group 66, command 3; device-manager.md §4.2).
public struct SUITResourceQuestion: Hashable, Sendable {
  /// Names the transfer that answers it.
  public var session: Int
  public var resource: SUITResourceID

  public init(session: Int, resource: SUITResourceID) {
    self.session = session
    self.resource = resource
  }
}

/// The URI by which a manifest names a resource, such as `file://radio.bin`.
public struct SUITResourceID: Hashable, Sendable, CustomStringConvertible {
  /// The longest URI that is taken, in bytes.
  public static let longest = 512

  /// As the board wrote it; bytes that are not UTF-8 were replaced.
  public let uri: String

  public init(_ uri: String) {
    self.uri = uri
  }

  /// In lower case: `file`; nil when there is none.
  public var scheme: String? {
    guard let end = separator else { return nil }
    let scheme = uri[..<end]
    return scheme.isEmpty ? nil : scheme.lowercased()
  }

  /// What follows `scheme://`; the whole text where there is no scheme.
  public var name: String {
    guard let end = separator else { return uri }
    return String(uri[uri.index(end, offsetBy: 3)...])
  }

  /// The name of a file of the package; nil for another scheme than `file`, or no name.
  public var fileName: String? {
    scheme == "file" && !name.isEmpty ? name : nil
  }

  private var separator: String.Index? {
    uri.indices.first { uri[$0...].hasPrefix("://") }
  }

  /// For messages: control characters are shown as `?`.
  public var description: String {
    String(uri.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : Character($0) })
  }
}
