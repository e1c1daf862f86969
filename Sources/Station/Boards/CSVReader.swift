/// Splits CSV (RFC 4180) into rows of cells with their lines. Nothing is known here of what they mean.
enum CSVReader {
  struct Row: Hashable {
    /// The line on which the row begins.
    var line: Int
    var cells: [String]
  }

  /// - Parameters:
  ///   - text: the file without a byte order mark. Its first line decides whether `,` or `;` separates cells.
  ///   - file: its name in messages.
  static func rows(_ text: String, file: String) throws(ConfigurationError) -> [Row] {
    let header = text.prefix { !$0.isNewline }
    var reader = Reader(separator: header.contains(";") && !header.contains(",") ? ";" : ",", file: file)
    for character in text { try reader.take(character) }
    return try reader.finish()
  }

  /// Reads character by character. `\r\n` is one character in Swift.
  private struct Reader {
    private enum State {
      case cellStart, plain, quoted
      /// Behind a quotation mark that may have closed the cell or be the first half of a doubled one.
      case quoteSeen
    }

    private let separator: Character
    private let file: String
    private var state = State.cellStart
    private var rows: [Row] = []
    private var row = Row(line: 1, cells: [])
    private var cell = ""
    private var line = 1

    init(separator: Character, file: String) {
      self.separator = separator
      self.file = file
    }

    mutating func take(_ character: Character) throws(ConfigurationError) {
      switch (state, character) {
      case (.quoted, "\""): state = .quoteSeen
      case (.quoted, _):
        if character.isNewline { line += 1 }
        cell.append(character)
      case (.quoteSeen, "\""):
        cell.append(character)
        state = .quoted
      case (_, separator): endCell()
      case (_, "\n"), (_, "\r\n"): endRow()
      case (.quoteSeen, _): throw complaint("text follows a closing quotation mark", "double the quotation marks inside a cell")
      case (.cellStart, "\""): state = .quoted
      case (.plain, "\""): throw complaint("a quotation mark stands inside a cell", "put the whole cell in quotation marks and double those inside")
      case (.cellStart, _), (.plain, _):
        cell.append(character)
        state = .plain
      }
    }

    mutating func finish() throws(ConfigurationError) -> [Row] {
      if case .quoted = state {
        throw ConfigurationError(file: file, line: row.line, "a cell in quotation marks has no end", remedy: "close the quotation marks")
      }
      if !row.cells.isEmpty || !cell.isEmpty { endRow() }
      return rows
    }

    private mutating func endCell() {
      row.cells.append(cell)
      cell = ""
      state = .cellStart
    }

    private mutating func endRow() {
      endCell()
      rows.append(row)
      line += 1
      row = Row(line: line, cells: [])
    }

    private func complaint(_ what: String, _ remedy: String) -> ConfigurationError {
      ConfigurationError(file: file, line: line, what, remedy: remedy)
    }
  }
}
