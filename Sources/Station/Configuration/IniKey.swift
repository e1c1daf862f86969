/// A key that a file may hold, and what holds without it.
struct IniKey: Hashable, Sendable {
  enum Fallback: Hashable, Sendable {
    /// The default, as one would write it in the file.
    case value(String)
    /// There is no fixed default: what happens without the key, in words (shown as `<words>`).
    case described(String)
    /// The file is wrong without it.
    case required
  }

  var section: String
  /// The name; for a family of keys the part before what varies (`label.`).
  var name: String
  var isFamily = false
  var fallback: Fallback

  init(_ section: String, _ name: String, _ fallback: Fallback, isFamily: Bool = false) {
    self.section = section
    self.name = name
    self.isFamily = isFamily
    self.fallback = fallback
  }

  /// How messages name the key.
  var label: String { "[\(section)] \(name)" }

  /// The default as the shipped file shows it; nil for a required key.
  var shownDefault: String? {
    switch fallback {
    case .value(let text): text
    case .described(let words): "<\(words)>"
    case .required: nil
    }
  }

  func matches(_ entry: IniEntry) -> Bool {
    entry.section == section && (isFamily ? entry.key.hasPrefix(name) && entry.key.utf8.count > name.utf8.count : entry.key == name)
  }
}
