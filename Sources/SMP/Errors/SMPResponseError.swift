/// A board's refusal, in either of the two shapes that answers have (smp.md §1.3).
public enum SMPResponseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `rc`: the protocol's own error, or a v1 server's translation of a group's.
  ///
  /// - reason: the board's own words (`rsn`), where its firmware gives any.
  case status(SMPStatus, reason: String? = nil)
  /// `err {group, rc}`: an error of a command group.
  case group(SMPGroupError)

  /// The refusal that an answer holds; nil when it holds none, and for number 0, which is success.
  ///
  /// Both shapes are looked for whatever the version: v2 servers answer plain `rc` for errors outside a group.
  public init?(body: CBORValue) {
    if let error = body["err"], let code = error["rc"]?.integer, code != 0 {
      self = .group(SMPGroupError(group: SMPGroup(rawValue: UInt16(clamping: error["group"]?.integer ?? Int(UInt16.max))), code: code))
    } else if let code = body["rc"]?.integer, code != 0 {
      self = .status(SMPStatus(code: code), reason: body["rsn"]?.text)
    } else {
      return nil
    }
  }

  /// True when the board asks for patience and nothing is wrong.
  public var isBusy: Bool {
    if case .status(.busy, _) = self { true } else { false }
  }

  /// True when the board does not know the command or its group: a fact about its firmware, not a fault.
  public var isUnsupported: Bool {
    switch self {
    case .status(.notSupported, _), .status(.protocolTooOld, _), .status(.protocolTooNew, _): true
    default: false
    }
  }

  /// True when the board lacked memory: fewer requests at a time may help.
  public var isNoMemory: Bool {
    switch self {
    case .status(.noMemory, _): true
    case .group(let error): error.group == .image && error.code == ImageError.outOfMemory.rawValue
    default: false
    }
  }

  /// The group whose error it is; nil for one of the protocol itself.
  public var group: SMPGroup? {
    if case .group(let error) = self { error.group } else { nil }
  }

  /// The number on the wire.
  public var code: Int {
    switch self {
    case .status(let status, _): status.code
    case .group(let error): error.code
    }
  }

  /// The error's word in its group's list, or in the protocol's.
  public var name: String {
    switch self {
    case .status(.other(let code), _): "error \(code)"
    case .status(let status, _): "\(status)"
    case .group(let error): error.name
    }
  }

  /// What happened, for an operator, with the numbers for a developer.
  public var description: String {
    switch self {
    case .status(let status, nil): "\(status.sentence) (rc \(status.code))"
    case .status(let status, let reason?): "\(status.sentence): \(reason) (rc \(status.code))"
    case .group(let error): error.description
    }
  }
}
