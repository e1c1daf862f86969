/// Why the kernel's management socket did not do something. Never the board's failure, and never the station's: it becomes a note.
enum ManagementFailure: Error, Hashable {
  /// There is no such socket here: no Bluetooth in the kernel, or none for this process.
  case unavailable(String)
  /// The capability CAP_NET_ADMIN is missing.
  case notPermitted
  /// The kernel answered with this status (BlueZ doc/mgmt-api.txt, "Error Codes").
  case refused(UInt8)
  case malformed
  case noAnswer

  init?(status: UInt8) {
    switch status {
    case 0: return nil
    case 0x14: self = .notPermitted
    default: self = .refused(status)
    }
  }

  /// Whether it will be the same at every other try of this process.
  var isLasting: Bool {
    switch self {
    case .unavailable, .notPermitted: true
    case .refused, .malformed, .noAnswer: false
    }
  }

  /// For the operator, as the end of a sentence.
  var words: String {
    switch self {
    case .unavailable(let words): "the kernel's Bluetooth management socket cannot be used (\(words))"
    case .notPermitted:
      "the capability CAP_NET_ADMIN is missing: give it to the program (setcap cap_net_admin+ep, or AmbientCapabilities=CAP_NET_ADMIN in its systemd unit)"
    case .refused(let status): "the kernel refused it: \(Self.name(of: status))"
    case .malformed: "the kernel's answer could not be read"
    case .noAnswer: "the kernel did not answer in time"
    }
  }

  private static func name(of status: UInt8) -> String {
    let names = [
      "success", "unknown command", "not connected", "failed", "connect failed", "authentication failed", "not paired", "no resources", "timeout",
      "already connected", "busy", "rejected", "not supported", "invalid parameters", "disconnected", "not powered", "cancelled", "invalid index",
      "rfkilled", "already paired", "permission denied",
    ]
    return Int(status) < names.count ? names[Int(status)] : "status \(status)"
  }
}
