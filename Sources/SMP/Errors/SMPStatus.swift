/// A protocol-level return code, `rc` (smp.md §1.3, mcumgr_err_t).
///
/// A v1 server translates its groups' errors to these numbers; the translation loses what went wrong and is not undone here.
public enum SMPStatus: Hashable, Sendable {
  case unknown
  case noMemory
  case invalidValue
  case timeout
  case noEntry
  case badState
  case messageTooLong
  case notSupported
  case corrupt
  case busy
  case accessDenied
  case protocolTooOld
  case protocolTooNew
  /// A number without a documented meaning; 256 and above are the firmware's own.
  case other(Int)

  private static let documented: [SMPStatus] = [
    .unknown, .noMemory, .invalidValue, .timeout, .noEntry, .badState, .messageTooLong, .notSupported, .corrupt, .busy, .accessDenied,
    .protocolTooOld, .protocolTooNew,
  ]

  /// The meaning of a number other than 0, which is success and no error.
  public init(code: Int) {
    self = (1...Self.documented.count).contains(code) ? Self.documented[code - 1] : .other(code)
  }

  /// The number on the wire.
  public var code: Int {
    if case .other(let code) = self { return code }
    return (Self.documented.firstIndex(of: self) ?? 0) + 1
  }

  /// What the board says, for an operator.
  public var sentence: String {
    switch self {
    case .unknown: "the board reports an error without a reason"
    case .noMemory: "the board has no free buffer or memory for this request"
    case .invalidValue: "the board finds a value in the request invalid"
    case .timeout: "something inside the board took too long"
    case .noEntry: "the board does not have what was asked for"
    case .badState: "the board cannot do this in its present state"
    case .messageTooLong: "the answer does not fit the board's buffer"
    case .notSupported: "the board's firmware does not support this command"
    case .corrupt: "the request reached the board incomplete or damaged"
    case .busy: "the board is busy"
    case .accessDenied: "the board denies access to this command"
    case .protocolTooOld: "the board demands a newer version of the protocol"
    case .protocolTooNew: "the board knows only an older version of the protocol"
    case .other(let code) where code >= 256: "the board's firmware reports its own error \(code)"
    case .other(let code): "the board reports error \(code), which has no documented meaning"
    }
  }
}
