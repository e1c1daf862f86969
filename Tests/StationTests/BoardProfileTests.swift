import Bluetooth
import Catalogue
import Firmware
import Flashing
import Testing

@testable import Station

/// That profiles mean what contract §2 and §5 say, and that the shipped ones load.
struct BoardProfileTests {
  static let least = "[board]\nfamily = mcuboot\n[match]\nname = A\nmin_rssi = -70\n"

  func read(_ text: String, file: String = "dir/x.profile") throws(ConfigurationError) -> BoardProfile {
    try BoardProfile(iniFile(text, file: file))
  }

  @Test func theLeastProfileHasSoundDefaults() throws {
    let profile = try read(Self.least)
    #expect(profile.name == "x")
    #expect(profile.match.service == .simpleManagement)
    #expect(profile.match.allowAny == false)
    #expect(profile.upgrade.mode == .testAndConfirm)
    #expect(profile.upgrade.pipelineDepth == nil)
    #expect(profile.upgrade.byteAlignment == 4)
    #expect(profile.upgrade.bootloaderMode == nil)
    #expect(profile.rescue.strandedAfter == .seconds(180))
    #expect(profile.firmware.package == nil)
    #expect(profile.identity.serial == .none)
  }

  @Test func readsValues() throws {
    let text = """
      [board]
      name = Sensor
      family = nordic-dfu
      [match]
      service = any
      company_id = 0x0059
      addresses = c0:de:00:00:00:01, C0:DE:00:00:00:02
      min_rssi = -60
      [identity]
      manufacturer = Foo, Inc.
      serial = unique
      [firmware]
      package = images/app.zip
      sha256 = E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855
      version = 1.2.3
      board = nrf5340dk/nrf5340/cpuapp, thingy53 other
      soc = nrf5340
      allow_downgrade = yes
      [upgrade]
      mode = uploadOnly
      pipeline_depth = 3
      reassembly_buffer_size = 0
      bootloader_mode = overwrite
      """
    let profile = try read(text)
    #expect(profile.name == "Sensor")
    #expect(profile.match.service == nil)
    #expect(profile.match.companyID == 0x59)
    #expect(profile.match.addresses.count == 2)
    #expect(profile.identity.manufacturer == "Foo, Inc.")
    #expect(profile.firmware.boards == ["nrf5340dk/nrf5340/cpuapp", "thingy53", "other"])
    #expect(profile.firmware.socs == ["nrf5340"])
    #expect(!profile.firmware.allowUnsigned)
    #expect(profile.firmware.package == "dir/images/app.zip")
    #expect(profile.firmware.sha256?.hasPrefix("e3b0c442") == true)
    #expect(profile.upgrade.mode == .uploadOnly)
    #expect(profile.upgrade.pipelineDepth == 3)
    #expect(profile.upgrade.reassemblyBufferSize == 0)
    #expect(profile.upgrade.bootloaderMode == 2)
  }

  @Test(arguments: [
    ("[match]\nname = A\nmin_rssi = -70", "p: [board] family is missing: write one of mcuboot, metawear, nordic-dfu"),
    ("[board]\nfamily = esp32", "p:2: [board] family is \"esp32\": write one of mcuboot, metawear, nordic-dfu"),
    (
      "[board]\nfamily = mcuboot\n[match]\nname = A",
      "p:3: [match] would take boards that are not meant (min_rssi is missing): write min_rssi and one of name, name_prefix, company_id, addresses; or allow_any = yes"
    ),
    (
      "[board]\nfamily = mcuboot\n[match]\nmin_rssi = -70\nservice = 180a",
      "p:3: [match] would take boards that are not meant (nothing tells them from others): write min_rssi and one of name, name_prefix, company_id, addresses; or allow_any = yes"
    ),
    (
      "[board]\nfamily = mcuboot",
      "p: [match] would take boards that are not meant (nothing tells them from others): write min_rssi and one of name, name_prefix, company_id, addresses; or allow_any = yes"
    ),
    (
      "[board]\nfamily = mcuboot\npairing = passkey\n[match]\nname = A\nmin_rssi = -70",
      "p:3: pairing is passkey, but no passkey is given: write passkey = the six digits that these boards use"
    ),
    (
      "[board]\nfamily = mcuboot\npairing = just-works\npasskey = 123456\n[match]\nname = A\nmin_rssi = -70",
      "p:4: a passkey is given, but pairing is not passkey: write pairing = passkey, or take the passkey out"
    ),
    (
      "[board]\nfamily = mcuboot\npairing = passkey\npasskey = 12345\n[match]\nname = A\nmin_rssi = -70",
      "p:4: [board] passkey is \"12345\": write six digits"
    ),
    (least.replacing("-70", with: "70"), "p:5: [match] min_rssi is \"70\": write dBm from -127 to 20, like -70"),
    (least + "service = smp", "p:6: [match] service is \"smp\": write any, or a service like 0x180A or 8d53dc1d-1db7-4cd3-868b-8a527460aa84"),
    (least + "company_id = 59", "p:6: [match] company_id is \"59\": write a company identifier like 0x0059"),
    (least + "addresses = C0:DE", "p:6: [match] addresses is \"C0:DE\": write addresses like C0:DE:00:00:00:01, with commas between"),
    (least + "[identity]\nserial = once", "p:7: [identity] serial is \"once\": write one of none, required, unique"),
    (least + "[firmware]\nsha256 = abc", "p:7: [firmware] sha256 is \"abc\": write the 64 hexadecimal digits that sha256sum prints"),
    (least + "[upgrade]\nmode = swap", "p:7: [upgrade] mode is \"swap\": write one of testOnly, confirmOnly, testAndConfirm, uploadOnly"),
    (least + "[upgrade]\npipeline_depth = -1", "p:7: [upgrade] pipeline_depth is \"-1\": write auto, or a whole number from 0 to 128"),
    (least + "[upgrade]\nbyte_alignment = 3", "p:7: [upgrade] byte_alignment is \"3\": write one of 0, 1, 2, 4, 8, 16"),
    (least + "[rescue]\nstranded_after = 3", "p:7: [rescue] stranded_after is \"3\": write a duration from 1s to 24h"),
    (
      "[board]\nfamily = metawear\n[match]\nname = A\nmin_rssi = -70\n[rescue]\nprotocol = secure",
      "p:7: MetaWear boards have no Secure DFU: write protocol = auto, or family = nordic-dfu"
    ),
    (least + "[rescue]\nprotocol = usb", "p:7: [rescue] protocol is \"usb\": write one of auto, legacy, secure"),
    (least + "[rescue]\nservice = dfu", "p:7: [rescue] service is \"dfu\": write a service like 0xFE59"),
    (least + "[rescue]\nstranded_after = 25h", "p:7: [rescue] stranded_after is \"25h\": write a duration from 1s to 24h"),
    (
      least + "[rescue]\ncatalog = http://mbientlab.com/info2.json",
      "p:7: [rescue] catalog is \"http://mbientlab.com/info2.json\": write an address like https://host/info2.json, or a path from / or relative to this file"
    ),
    (
      least + "[rescue]\ncatalog = ~/info2.json",
      "p:7: [rescue] catalog is \"~/info2.json\": write an address like https://host/info2.json, or a path from / or relative to this file"
    ),
    (least + "[rescue]\nflavor = a/b", "p:7: [rescue] flavor is \"a/b\": write a word like vanilla; bootloader is not for applications"),
    (least + "[rescue]\nflavor = bootloader", "p:7: [rescue] flavor is \"bootloader\": write a word like vanilla; bootloader is not for applications"),
    (least + "[rescue]\npacket_receipt = 65536", "p:7: [rescue] packet_receipt is \"65536\": write a whole number from 0 to 65535"),
    (least + "[rescue]\npacket_receipt = -1", "p:7: [rescue] packet_receipt is \"-1\": write a whole number from 0 to 65535"),
    (least + "[rescue]\nhw_version = 0x34", "p:7: [rescue] hw_version is \"0x34\": write a whole number from 0 to 4294967295"),
    (least + "[rescue]\nfw_version = 4294967296", "p:7: [rescue] fw_version is \"4294967296\": write a whole number from 0 to 4294967295"),
    (least + "[rescue]\npacket_size = 19", "p:7: [rescue] packet_size is \"19\": write auto, or a whole number from 20 to 509"),
    (least + "[rescue]\npacket_size = 510", "p:7: [rescue] packet_size is \"510\": write auto, or a whole number from 20 to 509"),
    (least + "[firmware]\nversion = 2.0-beta", "p:7: [firmware] version is \"2.0-beta\": write a version like 1.2.3+4"),
    (
      "[board]\nfamily = metawear\n[match]\nname = A\nmin_rssi = -70\n[firmware]\nversion = newest",
      "p:7: [firmware] version is \"newest\": write a version like 1.7.3 or 2.0.0-beta"
    ),
    (least + "[resque]", "p:6: unknown section [resque]: sections here are board, match, identity, firmware, upgrade, rescue, observe"),
  ])
  func refuses(text: String, message: String) {
    #expect(complaint { () throws(ConfigurationError) in _ = try read(text, file: "p") } == message)
  }

  @Test func theRescueSectionHasSoundDefaults() throws {
    let rescue = try read(Self.least.replacing("mcuboot", with: "metawear")).rescue
    #expect(rescue.name == nil && rescue.service == nil && rescue.catalog == nil && rescue.packetSize == nil)
    #expect(rescue.protocol == .auto)
    #expect(rescue.strandedAfter == .seconds(180))
    #expect(rescue.flavor == "vanilla")
    #expect(rescue.packetReceipt == 8)
    #expect(rescue.hwVersion == nil && rescue.fwVersion == nil && !rescue.signed)
  }

  @Test func readsARescue() throws {
    let text = """
      [rescue]
      name = MyBoot
      service = 0xFE59
      protocol = secure
      stranded_after = 5m
      catalog = https://mbientlab.com/releases/metawear/info2.json
      flavor = 128
      packet_receipt = 0
      packet_size = 244
      hw_version = 52
      fw_version = 4294967295
      signed = yes
      """
    let profile = try read(Self.least.replacing("mcuboot", with: "nordic-dfu") + "[firmware]\nversion = r1.7.3-rc1\n" + text)
    #expect(profile.firmware.version.flatMap { FirmwareVersion($0) }?.isPreRelease == true)
    let rescue = profile.rescue
    #expect(rescue.name == "MyBoot")
    #expect(rescue.service == BluetoothUUID("0xFE59"))
    #expect(rescue.protocol == .secure)
    #expect(rescue.strandedAfter == .seconds(300))
    #expect(rescue.catalog == CatalogueLocation("https://mbientlab.com/releases/metawear/info2.json"))
    #expect(rescue.flavor == "128")
    #expect(rescue.packetReceipt == 0)
    #expect(rescue.packetSize == 244)
    #expect(rescue.hwVersion == 52)
    #expect(rescue.fwVersion == 4_294_967_295)
    #expect(rescue.signed)
  }

  @Test(
    "A catalogue's path starts at the profile's folder",
    arguments: [("info2.json", "/srv/p/info2.json"), ("../c/i.json", "/srv/c/i.json"), ("/x/i.json", "/x/i.json")])
  func cataloguePaths(path: String, wanted: String) throws {
    #expect(try read(Self.least + "[rescue]\ncatalog = \(path)", file: "/srv/p/x.profile").rescue.catalog?.description == wanted)
  }

  @Test func anyBoardMayBeAllowed() throws {
    let profile = try read("[board]\nfamily = mcuboot\n[match]\nallow_any = yes\nservice = any")
    #expect(profile.match.admits(Advertisement(address: BluetoothAddress(bits: 1), addressType: .public)))
  }

  @Test(arguments: [
    ("mcuboot", "F/mcuboot.profile"), ("a.profile", "a.profile"), ("./mcuboot", "./mcuboot"), ("/x/y", "/x/y"),
  ])
  func findsFiles(asked: String, path: String) {
    #expect(BoardProfile.path(for: asked, folder: "F") == path)
  }

  @Test func saysWhereAProfileWasLookedFor() {
    let message = complaint { () throws(ConfigurationError) in _ = try BoardProfile.find("nothing", folder: "/nonexistent") }
    #expect(
      message == "there is no profile \"nothing\" (looked for /nonexistent/nothing.profile): write a path, or the name of a file NAME.profile in /nonexistent")
  }

  @Test func shippedProfilesLoad() throws {
    let generic = try BoardProfile.find("mcuboot", folder: packageFolder + "/Profiles")
    #expect(generic.family == .mcuboot)
    #expect(!generic.match.allowAny)
    let stranger = Advertisement(address: BluetoothAddress(bits: 1), addressType: .public, name: "Zephyr", services: [.simpleManagement])
    #expect(!generic.match.admits(stranger))
    let virtual = try BoardProfile.find("virtual-line", folder: packageFolder + "/Profiles")
    #expect(virtual.identity.manufacturer == "Flashline")
    #expect(virtual.identity.modelNumber == "VL-1")
    #expect(virtual.identity.hardwareRevision == "1.0")
    var board = stranger
    board.name = "VLINE-0001"
    #expect(virtual.match.admits(board))
    let metamotion = try BoardProfile.find("metamotion", folder: packageFolder + "/Profiles")
    #expect(metamotion.family == .metawear)
    #expect(metamotion.identity.modelNumber == "5")
    #expect(metamotion.rescue.catalog?.description == "https://mbientlab.com/releases/metawear/info2.json")
    #expect(!metamotion.firmware.allowDowngrade)
    let secure = try BoardProfile.find("nordic-secure-dfu", folder: packageFolder + "/Profiles")
    #expect(secure.family == .nordicDFU)
    #expect(secure.rescue.protocol == .secure)
    #expect(!secure.match.admits(stranger))
  }

  @Test func readsWhereReleasesComeFrom() throws {
    let none = try read(Self.least).firmware
    #expect(none.source == .package && none.release.hardwareVersion == nil && none.release.deviceSerial == nil)
    let ota = try read(
      Self.least + "[firmware]\nsource = ota\nhardware_version = nRF52 DK+1\nsoftware_type = main\ndevice_serial = LINE-7\nartifact = app.zip"
    ).firmware
    #expect(ota.source == .ota && ota.release.hardwareVersion == "nRF52 DK+1" && ota.release.softwareType == "main")
    #expect(ota.release.deviceSerial == "LINE-7" && ota.release.artefact == "app.zip")
  }

  @Test(arguments: [
    ("[firmware]\nsource = cloud", "dir/x.profile:7: [firmware] source is \"cloud\": write one of package, ota"),
    (
      "[firmware]\nsource = ota\nsoftware_type = m",
      "dir/x.profile:7: [firmware] source = ota needs hardware_version: write hardware_version = what the cloud knows these boards by"
    ),
    (
      "[firmware]\nsource = ota\nhardware_version = h",
      "dir/x.profile:7: [firmware] source = ota needs software_type: write software_type = what the cloud knows these boards by"
    ),
    (
      "[firmware]\nsource = ota\npackage = a.zip\nhardware_version = h\nsoftware_type = s",
      "dir/x.profile:8: [firmware] package is set, and [firmware] source = ota takes the server's: leave one of them out"
    ),
    (
      "[firmware]\nsource = ota\nhardware_version = h\nsoftware_type = s\n[rescue]\ncatalog = info2.json",
      "dir/x.profile:11: [rescue] catalog is set, and [firmware] source = ota takes the server's: leave one of them out"
    ),
  ])
  func refusesSources(text: String, message: String) {
    #expect(complaint { () throws(ConfigurationError) in _ = try read(Self.least + text) } == message)
  }

  @Test func genericProfileShowsEveryKey() throws {
    let set: Set = ["[board] family", "[match] name_prefix", "[match] min_rssi"]
    let shown = try shownKeys(packageFolder + "/Profiles/mcuboot.profile")
    let expected = ProfileKeys.all.map { set.contains($0.label) ? "\($0.label) = " : "\($0.label) = \($0.shownDefault ?? "")" }
    #expect(shown.count == expected.count)
    for (line, wanted) in zip(shown, expected) { #expect(wanted.hasSuffix("= ") ? line.hasPrefix(wanted) : line == wanted) }
  }
}
