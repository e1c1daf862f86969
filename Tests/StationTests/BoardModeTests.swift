import Bluetooth
import Flashing
import Testing

@testable import Station

/// That an advertisement shows one of a board's two programs, or none: over every combination of what it can say, not over samples.
struct BoardModeTests {
  static let names: [String?] = [nil, "MetaWear", "MetaBoot", "Other"]
  static let companies: [UInt16?] = [nil, 0x0626, 0x004C]

  /// Every subset of the services that boards of any family advertise, and one that says nothing.
  static let services: [Set<BluetoothUUID>] = {
    let pool: [BluetoothUUID] = [.metaWear, .legacyDFU, .secureDFU, .simpleManagement, .deviceInformation]
    return (0..<(1 << pool.count)).map { bits in Set(pool.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)) }
  }()

  struct Family: Sendable, CustomStringConvertible {
    var text: String
    var bootloader: Set<BluetoothUUID>
    var application: Set<BluetoothUUID>
    /// The name that alone may show a bootloader.
    var name: String?
    var description: String { text }

    /// Boards are ours by one rule, so that each kind of rule is met.
    func profile(_ match: String) throws -> BoardProfile {
      try BoardProfile(iniFile("[board]\n\(text)\n[match]\n\(match)\nmin_rssi = -90\n", file: "p.profile"))
    }
  }

  static let families = [
    Family(text: "family = metawear", bootloader: [.legacyDFU], application: [.metaWear], name: "MetaBoot"),
    Family(text: "family = nordic-dfu", bootloader: [.legacyDFU, .secureDFU], application: [.simpleManagement], name: nil),
    Family(text: "family = nordic-dfu\n[rescue]\nprotocol = legacy", bootloader: [.legacyDFU], application: [.simpleManagement], name: nil),
    Family(text: "family = nordic-dfu\n[rescue]\nprotocol = secure", bootloader: [.secureDFU], application: [.simpleManagement], name: nil),
    Family(text: "family = nordic-dfu\n[rescue]\nname = MetaBoot", bootloader: [.legacyDFU, .secureDFU], application: [.simpleManagement], name: "MetaBoot"),
    Family(text: "family = mcuboot", bootloader: [.legacyDFU, .secureDFU], application: [.simpleManagement], name: nil),
  ]

  static let matches = ["name = MetaWear", "name_prefix = Meta", "company_id = 0x0626", "addresses = C0:DE:00:00:00:01", "allow_any = yes"]

  /// What contract §2 and facts/metaboot.md §1.1, §6 ask for, written down a second time: services first, then company data, then the name.
  static func expected(_ family: Family, _ profile: BoardProfile, _ heard: Advertisement) -> AdvertisedFace {
    let bootloader = !heard.services.isDisjoint(with: family.bootloader)
    let application = !heard.services.isDisjoint(with: family.application)
    let isMCUboot = profile.family == .mcuboot
    let isMatch = profile.match.admits(heard)
    let isOtherName = profile.rescue.name.map { name in heard.name.map { $0 != name } ?? false } ?? false
    let isListed = profile.match.addresses.isEmpty || profile.match.addresses.contains(heard.address)
    let mayBeRescued = !isMCUboot && isListed && !isOtherName
    if bootloader && application { return isMatch || mayBeRescued ? .contradictory : .nothing }
    // A buttonless application advertises its bootloader's service: the names that the profile gives to both decide.
    let knowsBothNames = profile.rescue.name != nil && (profile.match.name ?? profile.match.namePrefix) != nil
    if bootloader && knowsBothNames && isOtherName && isMatch { return .shows(.application) }
    if bootloader { return mayBeRescued ? .shows(.bootloader) : .nothing }
    let isNamed = heard.name != nil && heard.name == family.name
    if !application, isNamed, heard.services.isEmpty, heard.manufacturerData.isEmpty { return mayBeRescued ? .shows(.bootloader) : .nothing }
    return isMatch ? .shows(.application) : .nothing
  }

  static func all(address: UInt64 = 0xC0DE_0000_0001) -> [Advertisement] {
    names.flatMap { name in
      services.flatMap { services in
        companies.map { company in
          Advertisement(
            address: BluetoothAddress(bits: address), addressType: .random, name: name, rssi: -50, services: services,
            manufacturerData: company.map { [$0: [1]] } ?? [:])
        }
      }
    }
  }

  @Test(arguments: families, matches)
  func everyCombinationHasOneAnswer(_ family: Family, _ match: String) throws {
    let profile = try family.profile(match)
    let (run, recover) = (Admission(profiles: [profile]), Admission(profiles: [profile], modes: [.bootloader]))
    let both = Admission(profiles: [profile], modes: [.application, .bootloader])
    for heard in Self.all() {
      let face = profile.face(of: heard)
      #expect(face == Self.expected(family, profile, heard), "\(heard)")
      let (inApplication, inBootloader) = (run.verdict(heard), recover.verdict(heard))
      switch face {
      case .shows(.application): #expect((inApplication, inBootloader) == (.application(profile: 0), .neither))
      case .shows(.bootloader): #expect((inApplication, inBootloader) == (.neither, .bootloader(profile: 0)))
      case .contradictory: #expect((inApplication, inBootloader) == (.contradictory, .contradictory))
      case .nothing: #expect((inApplication, inBootloader) == (.neither, .neither))
      }
      // A job that takes both takes what one of the two takes.
      #expect(both.verdict(heard) == (inApplication == .neither ? inBootloader : inApplication))
    }
  }

  @Test("A service decides whatever the company data and the name say; company data whatever the name says")
  func theOrderOfEvidence() throws {
    let profile = try Self.families[0].profile("allow_any = yes")
    for heard in Self.all() {
      var plain = heard
      (plain.name, plain.manufacturerData) = (nil, [:])
      if !heard.services.isDisjoint(with: [.metaWear, .legacyDFU]) { #expect(profile.face(of: heard) == profile.face(of: plain), "\(heard)") }
      if !heard.manufacturerData.isEmpty, heard.services.isEmpty { #expect(profile.face(of: heard) != .shows(.bootloader), "\(heard)") }
    }
  }

  @Test("A bootloader that has the neighbouring address of a listed board is that board's, its application never is")
  func neighbours() throws {
    let profile = try Self.families[0].profile("addresses = C0:DE:00:00:00:01")
    func face(_ address: UInt64, _ service: BluetoothUUID) -> AdvertisedFace {
      profile.face(of: Advertisement(address: BluetoothAddress(bits: address), addressType: .random, rssi: -50, services: [service]))
    }
    #expect(face(0xC0DE_0000_0001, .legacyDFU) == .shows(.bootloader))
    #expect(face(0xC0DE_0000_0002, .legacyDFU) == .shows(.bootloader))
    #expect(face(0xC0DE_0000_0003, .legacyDFU) == .nothing)
    #expect(face(0xC0DE_0000_0002, .metaWear) == .nothing)
  }

  @Test("An application that advertises its bootloader's service is told by its name, where the profile names both")
  func buttonless() throws {
    let rescue = "[rescue]\nname = DfuTarg\nprotocol = secure\n"
    let profile = try BoardProfile(
      iniFile("[board]\nfamily = nordic-dfu\n[match]\nname_prefix = SECURE-\nmin_rssi = -70\n\(rescue)", file: "p.profile"))
    func face(_ name: String?) -> AdvertisedFace {
      profile.face(of: Advertisement(address: BluetoothAddress(bits: 0xC0DE_0000_0001), addressType: .random, name: name, rssi: -50, services: [.secureDFU]))
    }
    #expect(face("SECURE-1") == .shows(.application))
    #expect(face("DfuTarg") == .shows(.bootloader))
    // Before the scan response has told the name, the service is all there is to go by.
    #expect(face(nil) == .shows(.bootloader))
    #expect(face("Other") == .nothing)
  }

  @Test("[rescue] name narrows bootloaders that tell another name, and only those")
  func rescueName() throws {
    let profile = try BoardProfile(
      iniFile("[board]\nfamily = nordic-dfu\n[match]\nname = A\nmin_rssi = -70\n[rescue]\nname = Mine\n", file: "p.profile"))
    func face(_ name: String?) -> AdvertisedFace {
      profile.face(of: Advertisement(address: BluetoothAddress(bits: 0xC0DE_0000_0001), addressType: .random, name: name, rssi: -50, services: [.legacyDFU]))
    }
    #expect(face("Mine") == .shows(.bootloader))
    #expect(face(nil) == .shows(.bootloader))
    #expect(face("DfuTarg") == .nothing)
  }

  @Test("Two profiles for the same bootloader refuse the board; modes decide which profiles count")
  func profiles() throws {
    let metaWear = try Self.families[0].profile("name = MetaWear")
    let nordic = try Self.families[1].profile("name = Other")
    let heard = Advertisement(
      address: BluetoothAddress(bits: 0xC0DE_0000_0001), addressType: .random, name: "MetaBoot", rssi: -50, services: [.legacyDFU])
    #expect(Admission(profiles: [metaWear, nordic], modes: [.bootloader]).verdict(heard) == .ambiguous(profiles: [0, 1]))
    #expect(Admission(profiles: [metaWear, nordic]).verdict(heard) == .neither)
    var moving = heard
    moving.address = BluetoothAddress(bits: 0x40DE_0000_0001)
    #expect(Admission(profiles: [metaWear], modes: [.bootloader]).verdict(moving) == .privateAddress(profile: 0))
  }
}
