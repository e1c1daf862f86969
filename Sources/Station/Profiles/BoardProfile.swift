public import Bluetooth

/// What one kind of board is, how it is recognised and how it is flashed: one `.profile` file (contract §5).
public struct BoardProfile: Hashable, Sendable {
  /// How boards of this kind are updated.
  public enum Family: String, Hashable, Sendable, CaseIterable {
    case mcuboot, metawear
    case nordicDFU = "nordic-dfu"
  }

  /// The words of `[board] pairing`.
  enum Pairing: String, Hashable, Sendable, CaseIterable {
    case none
    case justWorks = "just-works"
    case passkey
  }

  /// The file that was read.
  public var file: String
  /// The word of the column `profile`.
  public var name: String
  public var family: Family
  /// How boards of this kind are paired; nil: not at all.
  public var pairing: PairingMethod?
  public var match: MatchRules
  public var identity: IdentityRules
  public var firmware: FirmwareRules
  public var upgrade: UpgradeRules
  public var rescue: RescueRules
  public var observe: ObserveRules

  /// Reads a profile file.
  public init(path: String) throws(ConfigurationError) {
    try self.init(try IniFile(path: path))
  }

  init(_ file: IniFile) throws(ConfigurationError) {
    let values = try IniValues(file, keys: ProfileKeys.all)
    self.file = file.file
    name = try values.optional(ProfileKeys.name, "at most 64 characters") { $0.count <= 64 ? $0 : nil } ?? Self.name(ofFile: file.file)
    family = try values.choice(ProfileKeys.family)
    pairing = try Self.pairing(values)
    match = try MatchRules(values, family: family)
    identity = try IdentityRules(values)
    firmware = try FirmwareRules(values, family: family)
    upgrade = try UpgradeRules(values)
    rescue = try RescueRules(values, family: family)
    observe = try ObserveRules(values)
  }

  private static func pairing(_ values: IniValues) throws(ConfigurationError) -> PairingMethod? {
    let passkey = try values.optional(ProfileKeys.passkey, "six digits") { (text) -> UInt32? in
      text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(text) : nil
    }
    let pairing: Pairing = try values.choice(ProfileKeys.pairing)
    guard pairing == .passkey || passkey == nil else {
      throw values.complaint(ProfileKeys.passkey, "a passkey is given, but pairing is not passkey", "write pairing = passkey, or take the passkey out")
    }
    switch pairing {
    case .none: return nil
    case .justWorks: return .justWorks
    case .passkey:
      guard let passkey else {
        throw values.complaint(ProfileKeys.pairing, "pairing is passkey, but no passkey is given", "write passkey = the six digits that these boards use")
      }
      return .passkey(passkey)
    }
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
        "there is no profile \(asked.shown) (looked for \(path.escaped()))",
        remedy: "write a path, or the name of a file NAME.profile in \(folder.escaped())")
    }
    return try BoardProfile(path: path)
  }

  private static func name(ofFile path: String) -> String {
    let name = Path.name(of: path)
    return name.hasSuffix(".profile") && name != ".profile" ? String(name.dropLast(8)) : name
  }
}
