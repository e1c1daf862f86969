public import Bluetooth

/// `[match]`: which advertisements belong to boards of a profile.
///
/// Every rule that is given must hold. The names come from the air and are compared exactly; whose name it is, identity decides after connecting.
public struct MatchRules: Hashable, Sendable {
  public var name: String?
  public var namePrefix: String?
  /// Nil is any.
  public var service: BluetoothUUID?
  public var companyID: UInt16?
  /// Empty is any.
  public var addresses: Set<BluetoothAddress>
  /// The least median strength in dBm; nil only with `allowAny`.
  public var minRSSI: Int?
  /// The profile says itself that it takes whatever is on the air.
  public var allowAny: Bool

  /// Whether the rules fit an advertisement, its strength aside.
  public func admits(_ advertisement: Advertisement) -> Bool {
    if let name, advertisement.name != name { return false }
    if let namePrefix, advertisement.name?.hasPrefix(namePrefix) != true { return false }
    if let service, !advertisement.services.contains(service) { return false }
    if let companyID, advertisement.manufacturerData[companyID] == nil { return false }
    return addresses.isEmpty || addresses.contains(advertisement.address)
  }

  init(_ values: IniValues, family: BoardProfile.Family) throws(ConfigurationError) {
    name = try values.optional(ProfileKeys.matchName, "a name of at most 64 characters") { $0.count <= 64 ? $0 : nil }
    namePrefix = try values.optional(ProfileKeys.namePrefix, "the beginning of a name, at most 64 characters") { $0.count <= 64 ? $0 : nil }
    let service = try values.optional(ProfileKeys.service, "any, or a service like 0x180A or 8d53dc1d-1db7-4cd3-868b-8a527460aa84") { Self.service($0) }
    self.service = service ?? (family == .mcuboot ? .simpleManagement : nil)
    companyID = try values.optional(ProfileKeys.companyID, "a company identifier like 0x0059") { Self.companyID($0) }
    addresses = Set(try values.optional(ProfileKeys.addresses, "addresses like C0:DE:00:00:00:01, with commas between") { Self.addresses($0) } ?? [])
    minRSSI = try values.optional(ProfileKeys.minRSSI, "dBm from -127 to 20, like -70") { IniValues.integer($0, in: -127...20) }
    allowAny = try values.flag(ProfileKeys.allowAny)
    let isBound = name != nil || namePrefix != nil || companyID != nil || !addresses.isEmpty
    guard allowAny || isBound && minRSSI != nil else {
      throw ConfigurationError(
        file: values.file?.file, line: values.file?.sections.first { $0.name == "match" }?.line,
        "[match] would take boards that are not meant (\(isBound ? "min_rssi is missing" : "nothing tells them from others"))",
        remedy: "write min_rssi and one of name, name_prefix, company_id, addresses; or allow_any = yes")
    }
  }

  /// `any` is `.some(nil)`; what is no service is nil.
  private static func service(_ text: String) -> BluetoothUUID?? {
    if text == "any" { return .some(nil) }
    return BluetoothUUID(text).map { .some($0) }
  }

  private static func companyID(_ text: String) -> UInt16? {
    guard text.hasPrefix("0x"), (3...6).contains(text.count), text.dropFirst(2).allSatisfy(\.isHexDigit) else { return nil }
    return UInt16(text.dropFirst(2), radix: 16)
  }

  private static func addresses(_ text: String) -> [BluetoothAddress]? {
    let parts = text.split { $0 == "," || $0 == " " || $0 == "\t" }
    let addresses = parts.compactMap { BluetoothAddress(String($0)) }
    return addresses.count == parts.count && !parts.isEmpty ? addresses : nil
  }
}
