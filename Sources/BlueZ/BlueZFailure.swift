import Bluetooth
import DBus

/// What an error of the bus or of bluetoothd means: the one table that reads their names and words.
///
/// Sources: BlueZ 5.66 src/error.c and src/gatt-client.c; facts/nordic-dfu.md §6.1; facts/bluez.md §1, §4.
enum BlueZFailure: Error, Equatable {
  /// The bus or bluetoothd is away.
  case stackGone(String)
  /// The object is not on the bus any more.
  case objectGone
  /// The adapter is switched off, which is also the first thing that is heard of one being unplugged (seen on the rig).
  case notReady
  /// Another attempt of the same kind is under way.
  case inProgress
  case alreadyConnected
  /// Paired already, or an agent of ours is there already.
  case alreadyExists
  case notConnected
  /// The kernel still has the last link to this board, or could not start the new one.
  case linkBusy
  /// A connection that did not come about, in BlueZ's words.
  case notEstablished(String)
  /// Pairing or encryption is missing, or the attribute does not allow it.
  case notPermitted(String)
  /// The application behind the attribute answered with an error of its own.
  case applicationError(UInt8)
  case noAnswer
  case cancelled
  case other(String)

  init(_ error: DBusError) {
    switch error {
    case .closed(let reason): self = .stackGone(reason)
    case .timedOut: self = .noAnswer
    case .cancelled: self = .cancelled
    case .remote(let name, let message): self = Self.of(name, message)
    case .invalid(let text): self = .other(text)
    case .tooLarge: self = .other("an answer was too large")
    case .overloaded: self = .other("too many requests are waiting")
    }
  }

  private static func of(_ name: String, _ message: String) -> BlueZFailure {
    let words = message.isEmpty ? name : message
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.NoReply",
      "org.freedesktop.DBus.Error.Disconnected":
      return .stackGone("bluetoothd: \(words)")
    case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
      "org.bluez.Error.DoesNotExist":
      return .objectGone
    case "org.bluez.Error.NotReady": return .notReady
    case "org.bluez.Error.InProgress": return .inProgress
    case "org.bluez.Error.AlreadyConnected": return .alreadyConnected
    case "org.bluez.Error.AlreadyExists": return .alreadyExists
    case "org.bluez.Error.NotConnected": return .notConnected
    case "org.bluez.Error.NotPermitted", "org.bluez.Error.NotAuthorized", "org.bluez.Error.AuthenticationFailed",
      "org.bluez.Error.AuthenticationRejected", "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout":
      return .notPermitted(words)
    case "org.bluez.Error.Failed": return failed(words)
    default: return .other(words)
    }
  }

  /// `Failed` carries its reason as a text of a closed list.
  private static func failed(_ words: String) -> BlueZFailure {
    switch words {
    // Both wordings of BlueZ for EIO (before 5.62 strerror, later its own list).
    case "Input/output error", "br-connection-unknown", "le-connection-unknown": return .linkBusy
    case "Operation already in progress", "br-connection-busy", "le-connection-busy": return .inProgress
    case "Not connected", "Transport endpoint is not connected", "br-connection-not-connected": return .notConnected
    case "Software caused connection abort", "Connection timed out", "Host is down", "Connection reset by peer": return .notEstablished(words)
    case _ where words.hasPrefix("le-connection-") || words.hasPrefix("br-connection-"): return .notEstablished(words)
    default: return attributeError(words) ?? .other(words)
    }
  }

  /// `Operation failed with ATT error: 0x05`: the codes that ask for pairing or encryption are Core 5.4 Vol 3 Part F, table 3.4
  /// (05 authentication, 08 authorization, 0c key size, 0f encryption; 02 and 03 read and write not permitted; 80 to 9f are the application's).
  private static func attributeError(_ words: String) -> BlueZFailure? {
    let prefix = "Operation failed with ATT error: 0x"
    guard words.hasPrefix(prefix), let code = UInt8(words.dropFirst(prefix.count), radix: 16) else { return nil }
    switch code {
    case 0x02, 0x03, 0x05, 0x08, 0x0C, 0x0F: return .notPermitted(words)
    case 0x80...0x9F: return .applicationError(code)
    default: return .other(words)
    }
  }

  // MARK: In terms of the port

  /// For requests to an adapter.
  var onAdapter: CentralError {
    if case .objectGone = self { .adapterGone } else { general }
  }

  /// For `Connect`.
  var onConnect: CentralError {
    switch self {
    case .objectGone: .boardUnknown
    case .noAnswer: .connectTimedOut
    case .inProgress: .connectFailed("another connection attempt is under way")
    case .linkBusy: .connectFailed("the last link to the board is not down yet")
    case .notConnected: .connectFailed("the link ended at once")
    case .notEstablished(let words), .other(let words): .connectFailed(words)
    case .cancelled: .connectFailed("given up")
    default: general
    }
  }

  /// For requests over a link.
  var onLink: CentralError {
    switch self {
    case .objectGone, .notConnected, .linkBusy, .notEstablished: .linkLost
    default: general
    }
  }

  /// For pairing a board.
  var onPairing: CentralError {
    switch self {
    case .notPermitted(let words), .other(let words), .notEstablished(let words): .pairingFailed(words)
    case .noAnswer: .pairingFailed("the board did not answer in time")
    case .objectGone, .notConnected, .linkBusy: .linkLost
    default: general
    }
  }

  /// The board or bluetoothd said no to pairing.
  var isRejection: Bool {
    if case .notPermitted = self { true } else { false }
  }

  private var general: CentralError {
    switch self {
    case .stackGone(let reason): .stackGone(reason)
    case .objectGone: .boardUnknown
    case .notReady: .adapterGone
    case .inProgress: .refused("another request of this kind is under way")
    case .alreadyConnected: .refused("already connected")
    case .alreadyExists: .refused("already there")
    case .notConnected, .linkBusy: .linkLost
    case .notPermitted(let words): .notPermitted(words)
    case .applicationError(let code): .applicationError(code)
    case .noAnswer: .noAnswer("a request ran into its limit")
    case .cancelled: .refused("given up")
    case .notEstablished(let words), .other(let words): .refused(words)
    }
  }
}
