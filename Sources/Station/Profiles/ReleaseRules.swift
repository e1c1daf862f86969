/// What a server of releases knows boards of a profile by (`[firmware]`): for `source = ota`, and for the command `ota`.
public struct ReleaseRules: Hashable, Sendable {
  /// The longest value; a line of a profile is not longer.
  static let longest = 128

  public var hardwareVersion: String?
  public var softwareType: String?
  /// One for the whole batch; nil is the station's id.
  public var deviceSerial: String?
  /// The name of the artefact, where a release has several; nil leaves it to the hardware version.
  public var artefact: String?

  init(_ values: IniValues) throws(ConfigurationError) {
    hardwareVersion = try Self.text(values, ProfileKeys.hardwareVersion)
    softwareType = try Self.text(values, ProfileKeys.softwareType)
    deviceSerial = try Self.text(values, ProfileKeys.deviceSerial)
    artefact = try Self.text(values, ProfileKeys.artefact)
  }

  private static func text(_ values: IniValues, _ key: IniKey) throws(ConfigurationError) -> String? {
    try values.optional(key, "at most \(longest) characters") { !$0.isEmpty && $0.count <= longest ? $0 : nil }
  }
}
