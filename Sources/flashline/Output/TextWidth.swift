extension StringProtocol {
  /// The text with line ends and control characters replaced by blanks.
  var oneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  /// Without blanks at the end.
  var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }

  /// Filled with blanks up to a width in terminal columns.
  func padded(to width: Int) -> String {
    String(self) + String(repeating: " ", count: Swift.max(0, width - columns))
  }

  /// Filled with blanks on the left.
  func paddedLeft(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - columns)) + String(self)
  }

  /// Cut so that it takes at most `width` columns; a cut text ends in `…`.
  func clipped(to width: Int) -> String {
    guard columns > width else { return String(self) }
    guard width > 0 else { return "" }
    var shown = ""
    var used = 0
    for character in self {
      let wide = String(character).columns
      if used + wide > width - 1 { break }
      shown.append(character)
      used += wide
    }
    return shown + "…"
  }

  /// How many terminal columns the text takes: East Asian wide characters and emoji take two, combining marks none.
  var columns: Int {
    reduce(0) { sum, character in
      guard let scalar = character.unicodeScalars.first else { return sum }
      return sum + (scalar.isWide ? 2 : 1)
    }
  }
}

extension Unicode.Scalar {
  /// East Asian Width W or F (Unicode Standard Annex #11), in its large blocks.
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
