/// The values of a file whose keys are known: typed, with defaults, and with the line in every complaint.
struct IniValues {
  let file: IniFile?
  private let keys: [IniKey]

  /// Takes a file, or nil when only defaults hold; unknown sections and keys are errors.
  init(_ file: IniFile?, keys: [IniKey]) throws(ConfigurationError) {
    self.file = file
    self.keys = keys
    guard let file else { return }
    for section in file.sections where !keys.contains(where: { $0.section == section.name }) {
      throw ConfigurationError(
        file: file.file, line: section.line, "unknown section [\(section.name)]", remedy: "sections here are \(Self.list(keys.map(\.section)))")
    }
    for entry in file.entries {
      guard let key = keys.first(where: { $0.matches(entry) }) else {
        let known = keys.filter { $0.section == entry.section }.map(\.name)
        throw ConfigurationError(
          file: file.file, line: entry.line, "unknown key [\(entry.section)] \(entry.key.escaped())", remedy: "keys here are \(Self.list(known))")
      }
      if entry.value.hasPrefix("<"), entry.value.hasSuffix(">") {
        throw ConfigurationError(
          file: file.file, line: entry.line, "\(key.label) still holds the placeholder \(entry.value.escaped())",
          remedy: "write a value, or remove the line")
      }
    }
  }

  /// Whether the file itself sets the key.
  func isSet(_ key: IniKey) -> Bool { entry(key) != nil }

  /// The value that the file or the key's default gives; nil when there is none.
  ///
  /// - Parameters:
  ///   - expected: what may be written, as the end of “write …”.
  ///   - reading: the value, or nil when the text is not one.
  func optional<Value>(_ key: IniKey, _ expected: String, _ reading: (String) -> Value?) throws(ConfigurationError) -> Value? {
    guard let text = text(key) else { return nil }
    guard let value = reading(text) else { throw complaint(key, "\(key.label) is \(text.shown)", "write \(expected)") }
    return value
  }

  /// As `optional`, for a key that has a fixed default or is required.
  func value<Value>(_ key: IniKey, _ expected: String, _ reading: (String) -> Value?) throws(ConfigurationError) -> Value {
    guard let value = try optional(key, expected, reading) else {
      throw ConfigurationError(file: file?.file, "\(key.label) is missing", remedy: "write \(expected)")
    }
    return value
  }

  /// All lines of a family of keys (`label.`), as what follows the name, the value and an error for it.
  func family(_ key: IniKey) -> [(suffix: String, entry: IniEntry)] {
    (file?.entries ?? []).filter(key.matches).map { (String($0.key.dropFirst(key.name.count)), $0) }
  }

  /// A complaint about the line that sets the key.
  func complaint(_ key: IniKey, _ what: String, _ remedy: String) -> ConfigurationError {
    ConfigurationError(file: file?.file, line: entry(key)?.line, what, remedy: remedy)
  }

  func complaint(_ entry: IniEntry, _ what: String, _ remedy: String) -> ConfigurationError {
    ConfigurationError(file: file?.file, line: entry.line, what, remedy: remedy)
  }

  private func entry(_ key: IniKey) -> IniEntry? { file?.entries.first(where: key.matches) }

  private func text(_ key: IniKey) -> String? {
    if let entry = entry(key) { return entry.value }
    if case .value(let text) = key.fallback { return text }
    return nil
  }

  private static func list(_ words: [String]) -> String {
    var unique: [String] = []
    for word in words where !unique.contains(word) { unique.append(word) }
    return unique.joined(separator: ", ")
  }
}

/// The kinds of values that both files share.
extension IniValues {
  func integer(_ key: IniKey, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    try value(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { Self.integer($0, in: range) }
  }

  func duration(_ key: IniKey, in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration {
    try value(key, Self.durationWords(range)) { Self.duration($0, in: range) }
  }

  func flag(_ key: IniKey) throws(ConfigurationError) -> Bool {
    try value(key, "yes or no") { $0 == "yes" ? true : $0 == "no" ? false : nil }
  }

  func choice<Value: RawRepresentable & CaseIterable>(_ key: IniKey) throws(ConfigurationError) -> Value where Value.RawValue == String {
    try value(key, "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")) { Value(rawValue: $0) }
  }

  /// A list with commas or spaces between its parts; `none` is the empty list.
  func list<Element>(_ key: IniKey, of what: String, _ reading: (String) -> Element?) throws(ConfigurationError) -> [Element] {
    try value(key, "none, or \(what)") { text in
      if text == "none" { return [] }
      let parts = text.split { $0 == "," || $0 == " " || $0 == "\t" }
      let elements = parts.compactMap { reading(String($0)) }
      return elements.count == parts.count && !parts.isEmpty ? elements : nil
    }
  }

  /// A path, relative to the folder of the file.
  func path(_ key: IniKey) throws(ConfigurationError) -> String? {
    let folder = file?.folder ?? "."
    return try optional(key, "a path from / or relative to this file (~ is not known here)") { $0.hasPrefix("~") ? nil : Path.resolve($0, in: folder) }
  }

  static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else { return nil }
    return number
  }

  static func duration(_ text: String, in range: ClosedRange<Duration>) -> Duration? {
    guard let duration = DurationText.read(text), range.contains(duration) else { return nil }
    return duration
  }

  static func durationWords(_ range: ClosedRange<Duration>) -> String {
    "a duration from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
  }
}
