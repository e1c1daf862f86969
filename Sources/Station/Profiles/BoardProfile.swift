/// What one kind of board is, how it is recognised and how it is flashed: one `.profile` file (contract §5).
public struct BoardProfile: Hashable, Sendable {
  /// How boards of this kind are updated.
  public enum Family: String, Hashable, Sendable, CaseIterable {
    case mcuboot, metawear
    case nordicDFU = "nordic-dfu"
  }

  public enum Pairing: String, Hashable, Sendable, CaseIterable {
    case none
    case justWorks = "just-works"
    case passkey
  }

  /// The file that was read.
  public var file: String
  /// The word of the column `profile`.
  public var name: String
  public var family: Family
  public var pairing: Pairing
  public var match: MatchRules
  public var identity: IdentityRules
  public var firmware: FirmwareRules
  public var upgrade: UpgradeRules
  public var rescue: RescueRules

  /// Reads a profile file.
  public init(path: String) throws(ConfigurationError) {
    try self.init(try IniFile(path: path))
  }

  init(_ file: IniFile) throws(ConfigurationError) {
    let values = try IniValues(file, keys: ProfileKeys.all)
    self.file = file.file
    name = try values.optional(ProfileKeys.name, "at most 64 characters") { $0.count <= 64 ? $0 : nil } ?? Self.name(ofFile: file.file)
    family = try values.choice(ProfileKeys.family)
    pairing = try values.choice(ProfileKeys.pairing)
    match = try MatchRules(values, family: family)
    identity = try IdentityRules(values)
    firmware = try FirmwareRules(values)
    upgrade = try UpgradeRules(values)
    rescue = try RescueRules(values)
  }

  /// The file that `--profile` means: a path (it holds a `/` or ends in `.profile`), or the name of a profile in the profiles folder.
  public static func path(for asked: String, folder: String) -> String {
    asked.contains("/") || asked.hasSuffix(".profile") ? asked : Path.resolve(asked + ".profile", in: folder)
  }

  /// Reads the profile that `--profile` means.
  public static func find(_ asked: String, folder: String) throws(ConfigurationError) -> BoardProfile {
    let path = path(for: asked, folder: folder)
    guard TextFile.exists(path) else {
      throw ConfigurationError(
        "there is no profile \(asked.quoted) (looked for \(path.printable()))",
        remedy: "write a path, or the name of a file NAME.profile in \(folder.printable())")
    }
    return try BoardProfile(path: path)
  }

  private static func name(ofFile path: String) -> String {
    let name = Path.name(of: path)
    return name.hasSuffix(".profile") && name != ".profile" ? String(name.dropLast(8)) : name
  }
}
