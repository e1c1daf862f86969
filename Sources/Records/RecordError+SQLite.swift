public import Flashing
import Glibc
public import SQLite

extension RecordError: SQLiteFailing {
  /// What a fault of SQLite's means for the station.
  public init(_ fault: SQLiteFault) {
    let text = "\(fault.path): \(fault.words)"
    self =
      switch fault.kind {
      case .busy: .busy("\(text): another program is writing to it; close that program")
      case .damaged: .damaged("\(text): restore it from a backup, or move it away and start a new one")
      case .notWritable: .notWritable("\(text): free space or correct the permissions")
      case .other: .damaged(text)
      }
  }

  /// A failed system call on a file, and what to do about it.
  static func system(_ path: String, _ number: Int32, doing: String) -> RecordError {
    .notWritable("\(path): \(doing) (\(String(cString: strerror(number)))): \(remedy(number))")
  }

  private static func remedy(_ number: Int32) -> String {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: "make room on the disk"
    case EACCES, EPERM, EROFS: "correct the permissions, or the path in station.conf"
    case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: "correct the path in station.conf"
    default: "check the disk"
    }
  }
}
