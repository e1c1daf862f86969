import Bluetooth

/// Reads `--boards FILE`: CSV with the header `unit_id,mac,serial_number`.
///
/// As RFC 4180 has it, with what spreadsheets make of it: a byte order mark, LF or CRLF, and `;` instead of `,` when the header uses it.
/// A leading `'` (our own reports write it in front of `= + - @`) is taken off.
extension BoardList {
  /// Ten thousand boards and more.
  static let sizeLimit = 1_048_576
  static let columns = ["unit_id", "mac", "serial_number"]

  /// Reads a list from disk.
  public init(path: String) throws(ConfigurationError) {
    try self.init(bytes: try TextFile.read(path, limit: Self.sizeLimit), file: path)
  }

  /// Reads the bytes of a list that is called `file` in messages.
  package init(bytes: [UInt8], file: String) throws(ConfigurationError) {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ConfigurationError(file: file, "is not valid UTF-8", remedy: "save the file as UTF-8")
    }
    var rows = try CSVReader.rows(text, file: file)
    guard !rows.isEmpty else { throw Self.headerError(file, 1) }
    let header = rows.removeFirst()
    guard header.cells == Self.columns else { throw Self.headerError(file, header.line) }
    var entries: [Entry] = []
    var seen: [String: Int] = [:]
    for row in rows where row.cells != [""] {
      let entry = try Self.entry(row, file: file)
      for (column, value) in zip(Self.columns, [entry.unitID, entry.mac?.description, entry.serialNumber]) {
        guard let value else { continue }
        if let earlier = seen["\(column)=\(value)"] {
          throw ConfigurationError(
            file: file, line: row.line, "\(column) \(value.escaped()) stands here again (first in line \(earlier))", remedy: "keep one of the two")
        }
        seen["\(column)=\(value)"] = row.line
      }
      entries.append(entry)
    }
    guard !entries.isEmpty else { throw ConfigurationError(file: file, "lists no board", remedy: "write one line for each board") }
    self.init(entries: entries)
  }

  private static func entry(_ row: CSVReader.Row, file: String) throws(ConfigurationError) -> Entry {
    func complaint(_ what: String, _ remedy: String) -> ConfigurationError { ConfigurationError(file: file, line: row.line, what, remedy: remedy) }
    guard row.cells.count == columns.count else {
      throw complaint("this line has \(row.cells.count) cells", "write the three of the header; those without a value stay empty")
    }
    let cells = row.cells.map { $0.hasPrefix("'") ? String($0.dropFirst()) : $0 }
    if let cell = cells.first(where: { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } || $0.count > 64 }) {
      throw complaint("\(cell.shown) holds a control character or more than 64 characters", "correct the cell")
    }
    let mac = BluetoothAddress(cells[1])
    guard cells[1].isEmpty || mac != nil else { throw complaint("\(cells[1].shown) is no address", "write it like C0:DE:00:00:00:01, or leave it empty") }
    guard mac != nil || !cells[2].isEmpty else { throw complaint("nothing here tells which board it is", "write its mac or its serial_number") }
    return Entry(unitID: cells[0].isEmpty ? nil : cells[0], mac: mac, serialNumber: cells[2].isEmpty ? nil : cells[2], line: row.line)
  }

  private static func headerError(_ file: String, _ line: Int) -> ConfigurationError {
    ConfigurationError(file: file, line: line, "the header is missing", remedy: "begin the file with the line " + columns.joined(separator: ","))
  }
}
