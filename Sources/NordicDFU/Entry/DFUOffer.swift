/// What a connected board offers, from the services and characteristics that were found in this connection.
///
/// Asked after every reconnection: an application with a Secure buttonless service may have a Legacy bootloader (nordic-dfu.md §7, 20).
public enum DFUOffer: Hashable, Sendable {
  case legacyBootloader
  case secureBootloader
  case legacyApplication
  case secureApplication(bonded: Bool)
  case experimentalApplication
  case metaWearApplication
  case none

  /// How the application is asked to start its bootloader; nil for a bootloader, and when there is no way.
  public var entryPath: EntryPath? {
    switch self {
    case .legacyApplication: .legacyApplication
    case .secureApplication(let bonded): .secureApplication(bonded: bonded)
    case .experimentalApplication: .experimentalApplication
    case .metaWearApplication: .metaWear
    case .legacyBootloader, .secureBootloader, .none: nil
    }
  }

  public var isBootloader: Bool { self == .legacyBootloader || self == .secureBootloader }

  /// - Parameters:
  ///   - services: UUIDs in lower case with dashes, 128 bits long, as bluetoothd prints them; so are the characteristics'.
  ///   - version: what the Legacy version characteristic says, read in this connection; nil when the board has none.
  ///   - isStranded: the board advertised as a bootloader. Decides for Legacy boards of SDK 6.1 and older, which have no version.
  public init(services: Set<String>, characteristics: Set<String>, version: DFUVersion?, isStranded: Bool) {
    let legacy = Self.legacyMode(services, characteristics, version, isStranded)
    let found = { (attribute: DFUAttribute) in characteristics.contains(attribute.rawValue) }
    if services.contains(DFUAttribute.secureService.rawValue), found(.secureControlPoint), found(.securePacket) {
      self = .secureBootloader
    } else if legacy == .bootloader {
      self = .legacyBootloader
    } else if found(.buttonlessBonded) || found(.buttonless) {
      self = .secureApplication(bonded: found(.buttonlessBonded))
    } else if legacy == .application {
      self = .legacyApplication
    } else if found(.experimentalButtonless) {
      self = .experimentalApplication
    } else if found(.metaWearCommand) {
      self = .metaWearApplication
    } else {
      self = .none
    }
  }

  /// nordic-dfu.md §2.2. Nil without a Legacy service.
  private static func legacyMode(
    _ services: Set<String>, _ characteristics: Set<String>, _ version: DFUVersion?, _ isStranded: Bool
  ) -> DFUVersion.Mode? {
    let found = { (attribute: DFUAttribute) in characteristics.contains(attribute.rawValue) }
    guard services.contains(DFUAttribute.legacyService.rawValue), found(.legacyControlPoint) else { return nil }
    // No image without its characteristic: an application that can only jump.
    guard found(.legacyPacket) else { return .application }
    if let version { return version.mode }
    // A bootloader has nothing but itself to offer; some say who they are.
    let usual = [DFUAttribute.legacyService, .genericAccess, .genericAttribute, .deviceInformation].map(\.rawValue)
    return isStranded || services.subtracting(usual).isEmpty ? .bootloader : .application
  }
}

/// The attributes that tell one offer from another, as bluetoothd prints their UUIDs (nordic-dfu.md §2.1, §3.1; metaboot.md §1.1).
enum DFUAttribute: String, CaseIterable {
  case genericAccess = "00001800-0000-1000-8000-00805f9b34fb"
  case genericAttribute = "00001801-0000-1000-8000-00805f9b34fb"
  case deviceInformation = "0000180a-0000-1000-8000-00805f9b34fb"
  case legacyService = "00001530-1212-efde-1523-785feabcd123"
  case legacyControlPoint = "00001531-1212-efde-1523-785feabcd123"
  case legacyPacket = "00001532-1212-efde-1523-785feabcd123"
  case secureService = "0000fe59-0000-1000-8000-00805f9b34fb"
  case secureControlPoint = "8ec90001-f315-4f60-9fb8-838830daea50"
  case securePacket = "8ec90002-f315-4f60-9fb8-838830daea50"
  case buttonless = "8ec90003-f315-4f60-9fb8-838830daea50"
  case buttonlessBonded = "8ec90004-f315-4f60-9fb8-838830daea50"
  case experimentalButtonless = "8e400001-f315-4f60-9fb8-838830daea50"
  case metaWearCommand = "326a9001-85cb-9195-d9dd-464cfbbae75a"
}
