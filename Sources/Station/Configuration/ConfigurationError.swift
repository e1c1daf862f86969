/// Something in a file or option that the operator wrote is wrong: the job does not start (exit 2).
///
/// Its description is the whole message: `FILE:LINE: what happened: what to do about it`.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file as the operator named it; nil when an option is at fault.
  public var file: String?
  /// Counted from 1; nil when no single line is at fault.
  public var line: Int?
  public var what: String
  /// Nil when `what` says already what to do.
  public var remedy: String?

  public init(file: String? = nil, line: Int? = nil, _ what: String, remedy: String?) {
    self.file = file
    self.line = line
    self.what = what
    self.remedy = remedy
  }

  public var description: String {
    var place = ""
    if let file { place = file.escaped() + (line.map { ":\($0)" } ?? "") + ": " }
    return place + what + (remedy.map { ": " + $0 } ?? "")
  }
}
