/// One `key = value` line of a file.
struct IniEntry: Hashable, Sendable {
  var section: String
  var key: String
  var value: String
  var line: Int
}

/// A `[section]` line of a file.
struct IniSection: Hashable, Sendable {
  var name: String
  var line: Int
}

/// An INI file as it was read: sections, keys and values with their lines; nothing is known yet of what they mean.
///
/// What may be written: one `key = value` a line, from the first column; `#` or `;` opens a comment line, and ` ;` (a space, then a
/// semicolon) a comment behind a value. A byte order mark and CRLF are taken. Everything that libinih would read in another way than it
/// looks is an error with its line: see `IniReader`.
struct IniFile: Sendable {
  /// Far above any file of ours, far below what hurts.
  static let sizeLimit = 65_536

  /// The path as the operator named it.
  let file: String
  let sections: [IniSection]
  let entries: [IniEntry]

  /// Reads a file from disk.
  init(path: String) throws(ConfigurationError) {
    try self.init(bytes: try TextFile.read(path, limit: Self.sizeLimit), file: path)
  }

  /// Reads the bytes of a file that is called `file` in messages.
  init(bytes: [UInt8], file: String) throws(ConfigurationError) {
    guard bytes.count <= Self.sizeLimit else {
      throw ConfigurationError(file: file, "is larger than \(Self.sizeLimit) bytes", remedy: "name the right file, or make it smaller")
    }
    let reader = IniReader(bytes: bytes)
    reader.parse()
    if let complaint = reader.complaint {
      throw ConfigurationError(file: file, line: complaint.line, complaint.what, remedy: complaint.remedy)
    }
    self.file = file
    sections = reader.sections
    entries = reader.entries
  }

  /// The folder that relative paths in this file start from.
  var folder: String { Path.folder(of: file) }
}

/// Paths as text; nothing here asks the disk.
enum Path {
  /// Everything before the last `/`; `.` when there is none.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` itself when it is absolute, otherwise below `folder`.
  static func resolve(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") || folder == "." { return path }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }

  /// What follows the last `/`.
  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
