/// Errors of the file system group (8), smp.md §1.5.
public enum FileSystemError: Int, SMPGroupCode, Hashable, CaseIterable {
  case unknown = 1
  case invalidName
  case notFound
  case isDirectory
  case openFailed
  case seekFailed
  case readFailed
  case truncateFailed
  case deleteFailed
  case writeFailed
  case offsetInvalid
  case offsetBeyondEnd
  case hashTypeUnknown
  case mountPointNotFound
  case readOnly
  case empty

  public var sentence: String {
    switch self {
    case .unknown: "the board's file system reports an error without a reason"
    case .invalidName: "the file name is not valid on the board"
    case .notFound: "the board has no such file"
    case .isDirectory: "this name is a directory on the board"
    case .openFailed: "the board cannot open the file"
    case .seekFailed: "the board cannot move inside the file"
    case .readFailed: "the board cannot read the file"
    case .truncateFailed: "the board cannot shorten the file"
    case .deleteFailed: "the board cannot delete the file"
    case .writeFailed: "the board cannot write the file"
    case .offsetInvalid: "the file on the board is not as long as this offset"
    case .offsetBeyondEnd: "the offset is beyond the end of the file"
    case .hashTypeUnknown: "the board does not know this kind of checksum"
    case .mountPointNotFound: "the board has no file system under this path"
    case .readOnly: "the board's file system can only be read"
    case .empty: "the file is empty"
    }
  }
}
