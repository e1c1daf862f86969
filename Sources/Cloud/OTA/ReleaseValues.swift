/// What the cloud knows a board by, as far as it is known, and who said so.
public struct ReleaseValues: Hashable, Sendable {
  /// The values, by the names that a release server has for them (facts/device-manager.md §7.2).
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case hardwareVersion = "hardware_version"
    case softwareType = "software_type"
    case currentVersion = "current_version"
    case serial = "device_serial"

    /// How people call it.
    public var words: String { self == .serial ? "serial" : rawValue.replacing("_", with: " ") }
  }

  /// Who said it.
  public enum Origin: String, Hashable, Sendable {
    case option
    /// The board, in SMP's group 128.
    case smp
    /// The board, in the Memfault Diagnostic Service.
    case mds
    /// The board, in the Device Information Service.
    case dis
    case profile
    case station
  }

  public struct Value: Hashable, Sendable {
    public var text: String
    public var origin: Origin
  }

  private var values: [Field: Value] = [:]

  public init() {}

  public subscript(_ field: Field) -> Value? { values[field] }

  /// Takes a value unless a better source gave one before, or it is none: sources are asked in the order of their rank.
  public mutating func offer(_ text: String?, as field: Field, from origin: Origin) {
    guard let text, !text.isEmpty, values[field] == nil else { return }
    values[field] = Value(text: text, origin: origin)
  }

  /// What a board would still have to tell.
  public var missing: [Field] { Field.allCases.filter { values[$0] == nil } }

  /// What a server can be asked; the current version may be missing.
  public func query() throws(OTAError) -> ReleaseQuery {
    guard let hardware = values[.hardwareVersion], let software = values[.softwareType], let serial = values[.serial] else {
      throw .missing(missing.filter { $0 != .currentVersion })
    }
    return try ReleaseQuery(
      hardwareVersion: hardware.text, softwareType: software.text, currentVersion: values[.currentVersion]?.text, serial: serial.text)
  }
}
