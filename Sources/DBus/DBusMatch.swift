/// Which signals somebody wants: a match rule for the bus, applied once more to what comes in.
///
/// Source: D-Bus Specification 0.42, "Match Rules".
public struct DBusMatch: Hashable, Sendable {
  /// A unique name (`:1.7`) or a well-known one, which then stands for its owner of the moment.
  public var sender: String?
  public var path: String?
  /// The path itself and everything below it.
  public var pathNamespace: String?
  public var interface: String?
  public var member: String?
  /// The first argument, a string.
  public var argument0: String?

  public init(
    sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil, member: String? = nil, argument0: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.argument0 = argument0
  }

  /// The rule in the bus' own language.
  var rule: String {
    let parts: [(String, String?)] = [
      ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface), ("member", member), ("arg0", argument0),
    ]
    // An apostrophe ends the quotation, is written outside of it, and begins it again.
    let quoted = parts.compactMap { key, value in
      value.map { key + "='" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'" }
    }
    return (["type='signal'"] + quoted).joined(separator: ",")
  }

  /// The sender as a well-known name, nil when it is a unique one or the bus itself.
  var wellKnownSender: String? {
    guard let sender, !sender.hasPrefix(":"), sender != DBusConnection.busName else { return nil }
    return sender
  }

  /// True when a signal's head fits; `owner` is who owns the well-known sender now.
  func fits(_ head: MessageHead, owner: String?) -> Bool {
    if wellKnownSender != nil {
      guard let owner, head.sender == owner else { return false }
    } else if let sender, head.sender != sender {
      return false
    }
    if let path, head.path != path { return false }
    if let pathNamespace, pathNamespace != "/", head.path != pathNamespace, !head.path.hasPrefix(pathNamespace + "/") { return false }
    if let interface, head.interface != interface { return false }
    if let member, head.member != member { return false }
    return true
  }
}

/// A signal from the bus.
public struct DBusSignal: Sendable {
  /// The unique name of who sent it.
  public var sender: String
  public var path: String
  public var interface: String
  public var member: String
  public var arguments: [DBusValue]

  public init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue]) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}

/// A call that somebody makes to us.
public struct DBusCall: Sendable {
  /// The unique name of who calls.
  public var sender: String
  public var path: String
  /// Empty when the caller named none.
  public var interface: String
  public var member: String
  public var arguments: [DBusValue]

  /// The arguments' signature, to be compared with what the method takes.
  public var signature: String { arguments.map(\.signature).joined() }
}

/// What a call is answered with.
public enum DBusReply: Sendable {
  case values([DBusValue])
  /// An error by its D-Bus name (`org.bluez.Error.Failed`) and a text.
  case error(name: String, message: String)

  public static let nothing = DBusReply.values([])

  /// The specification's answer to a method that does not exist.
  public static func unknownMethod(_ call: DBusCall) -> DBusReply {
    .error(
      name: "org.freedesktop.DBus.Error.UnknownMethod",
      message: "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface \"\(call.interface)\" doesn't exist\n")
  }
}
