/// Columns for people: as wide as their widest cell, two blanks between.
struct TextTable {
  var heads: [String]
  var rows: [[String]]

  var lines: [String] {
    let widths = heads.indices.map { column in ([heads] + rows).map { $0.indices.contains(column) ? $0[column].columns : 0 }.max() ?? 0 }
    return ([heads] + rows).map { row in zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ").trimmed }
  }
}
