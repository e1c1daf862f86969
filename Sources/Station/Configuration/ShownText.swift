extension StringProtocol {
  /// Text from the air, a file or a person on one line and harmless on a terminal: control, format and separator characters as `\u{…}`, cut after
  /// `limit` characters.
  public func escaped(limit: Int = 120) -> String {
    var shown = ""
    for (count, scalar) in unicodeScalars.enumerated() {
      if count == limit { return shown + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
        shown += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Escaped and in quotation marks, as messages show what somebody wrote.
  public var shown: String { "\"" + escaped(limit: 60) + "\"" }
}
