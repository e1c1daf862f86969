/// Why a request to the bus did not work. Closed; nobody decides by reading a text.
public enum DBusError: Error, Hashable, Sendable {
  /// The connection could not be made, or has ended.
  case closed(String)
  /// No answer within the limit of the call.
  case timedOut
  /// The task that asked was cancelled.
  case cancelled
  /// The other side answered with an error: its name (`org.bluez.Error.InProgress`) and text.
  case remote(name: String, message: String)
  /// What should be sent is not a valid message: a defect of the caller, or a text from outside in the wrong place.
  case invalid(String)
  /// What came back is nested too deep or holds too many values.
  case tooLarge
  /// Too much is waiting to be sent.
  case overloaded

  /// The error's name when the other side sent it.
  public var remoteName: String? {
    if case .remote(let name, _) = self { name } else { nil }
  }
}

extension DBusError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .closed(let reason), .invalid(let reason): reason
    case .timedOut: "no answer within the limit"
    case .cancelled: "given up"
    case .remote(let name, let message): message.isEmpty ? name : "\(name): \(message)"
    case .tooLarge: "a message holds too many values, or is nested too deep"
    case .overloaded: "too much is waiting to be sent"
    }
  }
}
