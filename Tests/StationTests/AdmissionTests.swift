import Bluetooth
import Testing

@testable import Station

/// That boards are admitted by their profile's rules and by nothing else.
struct AdmissionTests {
  static func profile(_ match: String) throws -> BoardProfile {
    try BoardProfile(iniFile("[board]\nfamily = mcuboot\n[match]\n" + match, file: "p.profile"))
  }

  static func heard(
    _ name: String?, _ services: Set<BluetoothUUID> = [.simpleManagement], company: UInt16? = nil, address: UInt64 = 0xC0DE_0000_0001,
    type: AddressType = .random
  ) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(bits: address), addressType: type, name: name, rssi: -50, services: services,
      manufacturerData: company.map { [$0: []] } ?? [:])
  }

  @Test(arguments: [
    ("name = A", heard("A"), true), ("name = A", heard("AB"), false), ("name = A", heard("a"), false), ("name = A", heard(nil), false),
    ("name = A", heard("A", []), false), ("name = A\nservice = any", heard("A", []), true), ("name = A\nservice = 180a", heard("A"), false),
    ("name_prefix = VL-", heard("VL-1"), true), ("name_prefix = VL-", heard("XVL-1"), false), ("name_prefix = VL-", heard(nil), false),
    ("name_prefix = VL-", heard("VL-\u{1B}[2J\u{0}"), true), ("company_id = 0x0059", heard(nil, company: 0x59), true),
    ("company_id = 0x0059", heard(nil, company: 0x4C), false), ("company_id = 0x0059\nname = A", heard("B", company: 0x59), false),
    ("addresses = C0:DE:00:00:00:01", heard(nil), true), ("addresses = C0:DE:00:00:00:02", heard(nil), false),
  ])
  func admits(match: String, advertisement: Advertisement, expected: Bool) throws {
    let admission = Admission(profiles: [try Self.profile(match + "\nmin_rssi = -70")])
    #expect(admission.verdict(advertisement) == (expected ? .application(profile: 0) : .neither))
  }

  @Test(
    arguments: [
      (0xC0DE_0000_0001, AddressType.random, Admission.Verdict.application(profile: 0)), (0x40DE_0000_0001, .random, .privateAddress(profile: 0)),
      (0x00DE_0000_0001, .random, .privateAddress(profile: 0)), (0x40DE_0000_0001, .public, .application(profile: 0)),
    ] as [(UInt64, AddressType, Admission.Verdict)])
  func refusesPrivateAddresses(address: UInt64, type: AddressType, verdict: Admission.Verdict) throws {
    let admission = Admission(profiles: [try Self.profile("name = A\nmin_rssi = -70")])
    #expect(admission.verdict(Self.heard("A", address: address, type: type)) == verdict)
    #expect(admission.minRSSI(verdict) == -70)
  }

  @Test func twoProfilesRefuseABoard() throws {
    let profiles = [
      try Self.profile("name = A\nmin_rssi = -70"), try Self.profile("name = B\nmin_rssi = -60"), try Self.profile("name_prefix = B\nmin_rssi = -80"),
    ]
    let admission = Admission(profiles: profiles)
    #expect(admission.verdict(Self.heard("B")) == .ambiguous(profiles: [1, 2]))
    #expect(admission.minRSSI(.ambiguous(profiles: [1, 2])) == -80)
    #expect(admission.verdict(Self.heard("BB")) == .application(profile: 2))
  }
}
