import Glibc
public import SQLite

/// Why the queue did not do what it was asked: what happened and what to do about it. After any of them, nothing was stored.
public enum ChunkQueueError: Error, Hashable, Sendable {
  /// Another process works with this queue.
  case inUse(String)
  /// Another program writes to the database.
  case busy(String)
  /// The file is no sound queue.
  case damaged(String)
  /// Disk, permissions or memory do not allow it.
  case notWritable(String)
  /// The file of a key: which, what is wrong, what to do.
  case keyFile(String, String, String)
  /// The caller's value is nothing that can be stored.
  case refused(String)
  /// The lane is gone: its board began another one.
  case unknownLane
  /// The queue was closed.
  case closed

  /// Whether waiting may help: room on the disk, another program's end.
  public var mayPass: Bool {
    switch self {
    case .busy, .notWritable: true
    case .inUse, .damaged, .keyFile, .refused, .unknownLane, .closed: false
    }
  }
}

extension ChunkQueueError: CustomStringConvertible {
  /// One line, without a secret.
  public var description: String {
    switch self {
    case .inUse(let text), .busy(let text), .damaged(let text), .notWritable(let text), .refused(let text): text
    case .keyFile(let file, let reason, let remedy): "the key file \(file) is not usable (\(reason)): \(remedy)"
    case .unknownLane: "the queue has no such lane any more: connect to the board again"
    case .closed: "the queue was closed: start again"
    }
  }
}

extension ChunkQueueError: SQLiteFailing {
  public init(_ fault: SQLiteFault) {
    let text = "the queue \(fault.path): \(fault.words)"
    self =
      switch fault.kind {
      case .busy: .busy("\(text): another program is writing to it; close that program")
      case .damaged, .other: .damaged("\(text): move it and its .keys folder away, and start again; the chunks in it are lost")
      case .notWritable: .notWritable("\(text): free space or correct the permissions")
      }
  }

  /// A failed system call on a file.
  static func system(_ path: String, _ number: Int32, doing: String) -> ChunkQueueError {
    .notWritable("\(path): \(doing) (\(String(cString: strerror(number)))): free space, or correct the permissions or [cloud] queue in station.conf")
  }
}
