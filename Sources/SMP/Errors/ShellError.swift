/// Errors of the shell group (9), smp.md §1.5.
public enum ShellError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case commandTooLong
  case empty

  public var sentence: String {
    switch self {
    case .unknown: "the board's shell reports an error without a reason"
    case .commandTooLong: "the command is too long for the board's shell"
    case .empty: "the command is empty"
    }
  }
}
