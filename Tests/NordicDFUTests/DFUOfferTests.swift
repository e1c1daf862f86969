import Bluetooth
import Testing

@testable import NordicDFU

/// The protocol is chosen from what was found after reconnecting: nordic-dfu.md §2.2, §3.1, §7 (20).
struct DFUOfferTests {
  private static let usual: Set<BluetoothUUID> = [BluetoothUUID(short: 0x1800), BluetoothUUID(short: 0x1801)]
  private static let information: Set<BluetoothUUID> = [.deviceInformation]
  private static let heartRate: Set<BluetoothUUID> = [BluetoothUUID(short: 0x180D)]
  private static let legacy: Set<BluetoothUUID> = [.legacyDFUControlPoint, .legacyDFUPacket]

  private static func offer(_ services: Set<BluetoothUUID>, _ characteristics: Set<BluetoothUUID>, _ version: DFUVersion? = nil, stranded: Bool = false)
    -> DFUOffer
  {
    DFUOffer(
      services: Set(services.union(usual).map(\.description)), characteristics: Set(characteristics.map(\.description)), version: version, isStranded: stranded)
  }

  @Test("Legacy: the version decides, whatever else the board offers", arguments: [false, true])
  func legacyWithVersion(stranded: Bool) {
    for services in [[.legacyDFU], [.legacyDFU, .deviceInformation], [.legacyDFU, .deviceInformation, BluetoothUUID(short: 0x180D)]] as [Set<BluetoothUUID>] {
      #expect(Self.offer(services, Self.legacy, .latest, stranded: stranded) == .legacyBootloader)
      #expect(Self.offer(services, Self.legacy, DFUVersion(major: 0, minor: 5), stranded: stranded) == .legacyBootloader)
      #expect(Self.offer(services, Self.legacy, .buttonlessApplication, stranded: stranded) == .legacyApplication)
    }
  }

  @Test("Legacy without a version: alone, or with who it is, it is a bootloader")
  func legacyWithoutVersion() {
    #expect(Self.offer([.legacyDFU], Self.legacy) == .legacyBootloader)
    #expect(Self.offer([.legacyDFU, .deviceInformation], Self.legacy) == .legacyBootloader)
    #expect(Self.offer(Self.heartRate.union([.legacyDFU]), Self.legacy) == .legacyApplication)
    #expect(Self.offer(Self.heartRate.union([.legacyDFU]), Self.legacy, stranded: true) == .legacyBootloader)
    #expect(Self.offer([.legacyDFU], [.legacyDFUControlPoint], stranded: true) == .legacyApplication)
    #expect(Self.offer([.legacyDFU], [.legacyDFUPacket]) == .none)
  }

  @Test("Secure: the same service in both modes, told apart by its characteristics")
  func secure() {
    #expect(Self.offer([.secureDFU], [.secureDFUControlPoint, .secureDFUPacket]) == .secureBootloader)
    #expect(Self.offer([.secureDFU], [.buttonlessDFU]) == .secureApplication(bonded: false))
    #expect(Self.offer([.secureDFU], [.buttonlessDFUBonded]) == .secureApplication(bonded: true))
    #expect(Self.offer([.secureDFU], [.secureDFUControlPoint]) == .none)
    #expect(Self.offer([], [.secureDFUControlPoint, .secureDFUPacket]) == .none)
    #expect(Self.offer([.experimentalButtonlessDFU], [.experimentalButtonlessDFU]) == .experimentalApplication)
  }

  @Test("Mixed vendors: the bootloader that is there wins")
  func mixed() {
    #expect(Self.offer([.secureDFU, .legacyDFU], Self.legacy.union([.buttonlessDFU]), .latest) == .legacyBootloader)
    #expect(Self.offer([.secureDFU, .legacyDFU], Self.legacy.union([.buttonlessDFU]), .buttonlessApplication) == .secureApplication(bonded: false))
  }

  @Test("MetaWear in application mode; a board with nothing")
  func metaWear() {
    #expect(Self.offer([.metaWear, .deviceInformation], [.metaWearCommand, .metaWearNotification]) == .metaWearApplication)
    #expect(Self.offer([.metaWear], [.metaWearNotification]) == .none)
    #expect(Self.offer([], []) == .none)
  }

  @Test("Each application has its way into the bootloader")
  func paths() {
    #expect(DFUOffer.legacyApplication.entryPath == .legacyApplication)
    #expect(DFUOffer.secureApplication(bonded: true).entryPath == .secureApplication(bonded: true))
    #expect(DFUOffer.experimentalApplication.entryPath == .experimentalApplication)
    #expect(DFUOffer.metaWearApplication.entryPath == .metaWear)
    for offer in [DFUOffer.legacyBootloader, .secureBootloader, .none] { #expect(offer.entryPath == nil) }
    #expect(DFUOffer.legacyBootloader.isBootloader && DFUOffer.secureBootloader.isBootloader && !DFUOffer.none.isBootloader)
  }

  @Test("The room's UUIDs are those of the Bluetooth room, and the facts'")
  func attributes() {
    let known: [DFUAttribute: BluetoothUUID] = [
      .genericAccess: BluetoothUUID(short: 0x1800), .genericAttribute: BluetoothUUID(short: 0x1801), .deviceInformation: .deviceInformation,
      .legacyService: .legacyDFU, .legacyControlPoint: .legacyDFUControlPoint, .legacyPacket: .legacyDFUPacket, .secureService: .secureDFU,
      .secureControlPoint: .secureDFUControlPoint, .securePacket: .secureDFUPacket, .buttonless: .buttonlessDFU, .buttonlessBonded: .buttonlessDFUBonded,
      .experimentalButtonless: .experimentalButtonlessDFU, .metaWearCommand: .metaWearCommand,
    ]
    for attribute in DFUAttribute.allCases { #expect(known[attribute]?.description == attribute.rawValue) }
    #expect(BluetoothUUID("00001530-1212-EFDE-1523-785FEABCD123") == .legacyDFU)
    #expect(BluetoothUUID("00001534-1212-EFDE-1523-785FEABCD123") == .legacyDFUVersion)
    #expect(BluetoothUUID("8EC90001-F315-4F60-9FB8-838830DAEA50") == .secureDFUControlPoint)
    #expect(BluetoothUUID("8E400001-F315-4F60-9FB8-838830DAEA50") == .experimentalButtonlessDFU)
    #expect(BluetoothUUID("FE59") == .secureDFU)
    #expect(BluetoothUUID("326A9000-85CB-9195-D9DD-464CFBBAE75A") == .metaWear)
    #expect(BluetoothUUID("326A9006-85CB-9195-D9DD-464CFBBAE75A") == .metaWearNotification)
  }
}
