/// Why a file did not get from or to a board.
public enum FileTransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name is empty.
  case nameMissing
  /// Nothing was sent, or nothing more is read.
  case fileTooLong(length: Int, limit: Int)
  /// A request cannot hold the name and a byte of the file. Nothing was sent.
  case requestTooSmall(requestSize: Int)
  /// The board refused, finally or too often.
  case refused(SMPResponseError, offset: Int)
  /// The board stopped answering.
  case silent(offset: Int)
  /// The board answers, but gets no further.
  case noProgress(offset: Int)
  /// The board named an offset or sent a piece that does not fit what it was asked.
  case offsetUnexpected(Int)
  /// The board did not say how long the file is.
  case lengthMissing
  /// The board lost the file more often than the limit.
  case restartedTooOften(limit: Int)
  /// The file on the board has another length than was sent.
  case lengthMismatch(expected: Int, actual: Int)
  /// The checksums of both sides differ.
  case hashMismatch(FileHashKind)

  public var description: String {
    switch self {
    case .nameMissing: "the file on the board has no name"
    case .fileTooLong(let length, let limit): "the file has \(length) bytes, and \(limit) are allowed"
    case .requestTooSmall(let size): "the link carries requests of only \(size) bytes, too few for this file name: the board must allow a larger MTU"
    case .refused(let error, let offset): "the board refused at byte \(offset) of the file: \(error)"
    case .silent(let offset): "the board stopped answering at byte \(offset) of the file"
    case .noProgress(let offset): "the board does not get beyond byte \(offset) of the file"
    case .offsetUnexpected(let offset): "the board goes on at byte \(offset), which it was not asked for: is another program using its files?"
    case .lengthMissing: "the board does not say how long the file is"
    case .restartedTooOften(let limit): "the board lost the file more than \(limit) times"
    case .lengthMismatch(let expected, let actual): "the file on the board has \(actual) bytes instead of \(expected)"
    case .hashMismatch(let kind): "the file on the board is not the same: its \(kind) differs"
    }
  }
}
