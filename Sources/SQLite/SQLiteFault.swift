import CSQLite
import Glibc

/// Why a call of SQLite failed: by who has to act, in SQLite's words.
public struct SQLiteFault: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Another connection has it.
    case busy
    /// What is in the file is no sound database.
    case damaged
    /// The disk, the permissions or the memory do not allow it.
    case notWritable
    /// A statement that does not fit the schema.
    case other
  }

  public let kind: Kind
  public let path: String
  /// SQLite's words and, for an I/O error, the system's.
  public let words: String

  init(kind: Kind, path: String, words: String) {
    (self.kind, self.path, self.words) = (kind, path, words)
  }

  /// Reads a result code (https://www.sqlite.org/rescode.html; the low octet is the primary code).
  ///
  /// - Parameter handle: the connection that answered it, which knows more; nil when there is none.
  public init(_ code: Int32, handle: OpaquePointer?, path: String) {
    var words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: self.init(kind: .busy, path: path, words: words)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: self.init(kind: .damaged, path: path, words: words)
    case SQLITE_FULL, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_NOLFS:
      if let handle, case let number = sqlite3_system_errno(handle), number != 0 {
        words += " (" + String(cString: strerror(number)) + ")"
      }
      self.init(kind: .notWritable, path: path, words: words)
    default: self.init(kind: .other, path: path, words: words)
    }
  }
}

/// A room's own error, which says in the room's words what a fault of SQLite means for its users.
public protocol SQLiteFailing: Error {
  init(_ fault: SQLiteFault)
}
