import CSQLite
import Flashing
import Glibc

extension RecordError {
  /// What SQLite's result code means for the station, in SQLite's words and, for an I/O error, the system's.
  ///
  /// Codes: https://www.sqlite.org/rescode.html; the low octet is the primary code.
  static func sqlite(_ code: Int32, handle: OpaquePointer?, path: String) -> RecordError {
    var words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return .busy("\(path): \(words): another program is writing to it; close that program")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
      return .damaged("\(path): \(words): restore it from a backup, or move it away and start a new one")
    case SQLITE_FULL, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_NOLFS:
      if let handle, case let number = sqlite3_system_errno(handle), number != 0 {
        words += " (" + String(cString: strerror(number)) + ")"
      }
      return .notWritable("\(path): \(words): free space or correct the permissions")
    default:
      return .damaged("\(path): \(words)")
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
