/// The storage partition of a board: settings by name, as they are now and as they were saved (smp.md §3.4, §3.8).
struct SettingsStore: Hashable, Sendable {
  /// Bytes of a name, as Zephyr's `SETTINGS_MAX_NAME_LEN` without its end, and of a value.
  static let nameLimit = 64
  static let valueLimit = 256
  /// More settings than this find no room.
  static let places = 64

  private(set) var values: [String: [UInt8]]
  private(set) var saved: [String: [UInt8]]
  /// How often the whole partition was erased.
  private(set) var erasures = 0

  init(_ initial: [String: String]) {
    values = initial.mapValues { Array($0.utf8) }
    saved = values
  }

  /// False when there is no room for it.
  mutating func write(_ name: String, _ value: [UInt8]) -> Bool {
    guard name.utf8.count <= Self.nameLimit, value.count <= Self.valueLimit, values[name] != nil || values.count < Self.places else { return false }
    values[name] = value
    return true
  }

  /// False when there is no such setting.
  mutating func delete(_ name: String) -> Bool { values.removeValue(forKey: name) != nil }

  /// Only what was saved outlives a reset.
  mutating func save() { saved = values }

  /// A reset, or the command `load`.
  mutating func load() { values = saved }

  /// Erase storage: bonds and settings go.
  mutating func erase() {
    values = [:]
    saved = [:]
    erasures += 1
  }
}
