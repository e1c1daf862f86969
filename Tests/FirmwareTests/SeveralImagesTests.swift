import Firmware
import Foundation
import Testing

/// Packages of several images, as sdk-nrf's `zip.cmake` describes them (fixtures: `packages/make.py`).
@Suite("FirmwarePackage: several images")
struct SeveralImagesTests {
  private func load(_ name: String) throws -> FirmwarePackage { try FirmwarePackage(path: Fixture.url("packages/" + name).path) }

  private func load(_ images: [(name: String, fixture: String, more: String)], type: String = "application") throws -> FirmwarePackage {
    var entries: [ZipBuilder.Entry] = []
    var listed: [String] = []
    for image in images {
      let bytes = try Fixture.bytes(image.fixture)
      listed.append(#"{"type":"\#(type)","size":\#(bytes.count),"file":"\#(image.name)"\#(image.more)}"#)
      entries.append(ZipBuilder.Entry(image.name, bytes))
    }
    let manifest = #"{"format-version":1,"time":1,"files":["# + listed.joined(separator: ",") + "]}"
    return try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive([ZipBuilder.Entry("manifest.json", manifest)] + entries))
  }

  @Test("nRF5340: application, network core and the nRF70 patch, which has no soc")
  func threeImages() throws {
    let package = try load("nrf5340.zip")
    #expect(package.images.map(\.number) == [0, 1, 2])
    #expect(package.images.map(\.slot) == [1, 1, 1])
    #expect(package.images.map(\.name) == ["app.signed.bin", "ipc_radio.bin", "nrf70.bin"])
    #expect(package.images.map(\.isNetworkCore) == [false, true, false])
    #expect(package.images.map(\.listing?.soc) == ["nrf5340", "nrf5340", nil])
    #expect(package.images[1].listing?.otherVersion == "1")
    #expect(!package.isDirectXIP)
    #expect(package.suit == nil)
    #expect(package.complaints == [])
  }

  @Test("Direct-XIP: one image, a build for each slot")
  func directXIP() throws {
    let package = try load("direct-xip.zip")
    #expect(package.isDirectXIP)
    #expect(package.images.map(\.number) == [0, 0])
    #expect(package.images.map(\.slot) == [0, 1])
    #expect(package.images.map(\.image.loadAddress) == [0xc000, 0x75000])
    #expect(package.complaints == [], "a fixed address is right here")
  }

  @Test("QSPI XIP split: two images, each with a build for each slot, slots counted through")
  func splitXIP() throws {
    let package = try load("qspi-xip.zip")
    #expect(package.isDirectXIP)
    #expect(package.images.map { [$0.number, $0.slot] } == [[0, 0], [2, 0], [0, 1], [2, 1]])
    #expect(package.complaints == [])
  }

  @Test("a bootloader's own update is told as such, with its builds in order, and no job takes it")
  func bootloader() throws {
    let package = try load("mcuboot-b0.zip")
    #expect(package.formatVersion == 0)
    #expect(package.images.map(\.isBootloader) == [true, true])
    #expect(package.images.map(\.slot) == [0, 1])
    #expect(package.images.map(\.listing?.b0Version) == ["2", "2"])
    #expect(!package.isDirectXIP, "which build is needed, the image list does not say")
    #expect(package.complaints.map(\.subject) == [.bootloaderUpdate, .bootloaderUpdate])
    #expect(package.complaints.allSatisfy { $0.severity == .error })
  }

  @Test("a program for B0 alone is told as such instead of being no image")
  func immutableBootloader() throws {
    #expect(throws: PackageError.inEntry("signed_by_b0_app.bin", .notSupported(.b0Image))) { try load("b0.zip") }
  }

  @Test("an image that needs another one in a higher version than the package brings")
  func dependency() throws {
    let complaints = try load("needy.zip").complaints
    #expect(complaints.map(\.subject) == [.dependencyUnmet])
    #expect(complaints.first?.message.contains("needs image 1 in version 1.0.0+0 at least, the package has 0.0.0+0") == true)
  }

  @Test(
    "two files for one slot of one image are refused, also under another spelling of the slot",
    arguments: [
      ("", ""), (#","image_index":"0""#, #","image":0"#), (#","slot":"1""#, ""), (#","slot":3"#, #","slot":"1""#),
      (#","image_index":1,"slot":"2""#, #","image_index":"1","slot":0"#),
    ])
  func sameSlot(first: String, second: String) throws {
    let number = first.contains("image_index\":1") ? 1 : 0
    let slot = number == 1 ? 0 : 1
    #expect(throws: PackageError.imageTwice(image: number, slot: slot, "a.bin", "b.bin")) {
      try load([("a.bin", "unsigned.bin", first), ("b.bin", "unsigned.bin", second)])
    }
  }

  @Test("one file for two places is refused")
  func sameFile() throws {
    let bytes = try Fixture.bytes("unsigned.bin")
    let manifest = #"{"files":[{"file":"a.bin","size":2120},{"file":"a.bin","size":2120,"image_index":1}]}"#
    #expect(throws: PackageError.fileListedTwice("a.bin")) {
      try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive([.init("manifest.json", manifest), .init("a.bin", bytes)]))
    }
  }

  @Test(
    "Direct-XIP builds that cannot be right",
    arguments: [
      ("rom-fixed.bin", "rom-fixed.bin", [.sameBuild], [.error]), ("ecdsa-sha256.bin", "ecdsa-sha256.bin", [.sameBuild], [.warning]),
      ("ecdsa-sha256.bin", "ecdsa-sha384.bin", [.versionDiffers], [.error]),
    ] as [(String, String, [Complaint.Subject], [Complaint.Severity])])
  func builds(first: String, second: String, subjects: [Complaint.Subject], severities: [Complaint.Severity]) throws {
    let complaints = try load([("a.bin", first, #","slot":"0""#), ("b.bin", second, #","slot":"1""#)]).complaints
    #expect(complaints.map(\.subject) == subjects)
    #expect(complaints.map(\.severity) == severities)
  }

  @Test("a Direct-XIP package with one build says which boards it leaves out")
  func oneBuild() throws {
    let package = try load([("a.bin", "rom-fixed.bin", #","slot":"0","version_MCUBOOT+XIP":"1.4.0""#)])
    #expect(package.complaints.map(\.subject) == [.singleSlot])
    #expect(!package.isDirectXIP)
  }

  @Test(
    "what the manifest says of places is held against itself",
    arguments: [
      (#","slot_index_primary":"1","slot_index_secondary":"2""#, []), (#","image_index":"1","slot_index_primary":"3""#, []),
      (#","slot_index_primary":"3""#, [.imageNumberDiffers]), (#","image_index":"0","slot_index_primary":3"#, [.imageNumberDiffers]),
      (#","slot_index_primary":"none""#, []), (#","slot":"3""#, [.slotDiffers]), (#","slot":"3","image_index":"1""#, []),
    ] as [(String, [Complaint.Subject])])
  func places(more: String, expected: [Complaint.Subject]) throws {
    #expect(try load([("a.bin", "ecdsa-sha256.bin", more)]).complaints.map(\.subject) == expected)
  }

  @Test(
    "the network core is known by its board or its address, never by a file's name",
    arguments: [
      (#","board":"nrf5340dk/nrf5340/cpunet""#, true), (#","board":"nrf5340dk_nrf5340_cpunet""#, true), (#","board":"cpunetwork""#, false),
      (#","soc":"nrf5340","load_address":16812032"#, true), (#","soc":"nRF5340_CPUAPP_QKAA","load_address":"0x1008800""#, true),
      (#","soc":"nrf5340","load_address":66048"#, false), (#","soc":"nrf52840","load_address":16812032"#, false), ("", false),
    ])
  func networkCore(more: String, expected: Bool) throws {
    #expect(try load([("net_core_app_update.bin", "ecdsa-sha256.bin", more)]).images.first?.isNetworkCore == expected)
  }

  @Test("a test makes an image without a package")
  func byHand() throws {
    let image = try PackageImage(number: 1, slot: 1, name: "net", bytes: Fixture.bytes("unsigned.bin"), listing: .init(board: "x/nrf5340/cpunet"))
    #expect(image.isNetworkCore)
  }

  @Test(
    "the profile's boards and chips",
    arguments: [
      ([], [], []), (["nrf5340dk"], ["nrf5340"], [.boardUnknown]), (["nrf5340dk/nrf5340/cpuapp"], [], []), (["thingy53", "nrf5340dk/nrf5340/cpunet"], [], []),
      (["thingy53"], [], [.otherBoard, .otherBoard, .otherBoard]), (["nrf5340"], [], [.otherBoard, .otherBoard, .otherBoard]),
      (["NRF5340DK"], [], [.otherBoard, .otherBoard, .otherBoard]), ([], ["nrf52840"], [.otherSoC, .otherSoC, .boardUnknown]),
    ] as [([String], [String], [Complaint.Subject])])
  func boards(boards: [String], socs: [String], expected: [Complaint.Subject]) throws {
    let complaints = try load("nrf5340.zip").complaints(pinned: nil, version: nil, boards: boards, socs: socs)
    #expect(complaints.map(\.subject) == expected)
    #expect(complaints.allSatisfy { ($0.severity == .warning) == ($0.subject == .boardUnknown) })
  }

  @Test("a bare image cannot say for which board it is")
  func bareImage() throws {
    let package = try FirmwarePackage(path: Fixture.url("ecdsa-sha256.bin").path)
    #expect(package.complaints(pinned: nil, version: nil, boards: ["x"]).map(\.subject) == [.boardUnknown])
    #expect(package.complaints(pinned: nil, version: nil, boards: ["x"]).map(\.severity) == [.warning])
  }

  @Test("the wanted version is that of the image with the lowest number, in all its builds")
  func version() throws {
    let version = try #require(ImageVersion("2.1.0+7"))
    #expect(try load("nrf5340.zip").complaints(pinned: nil, version: version) == [])
    #expect(try load("direct-xip.zip").complaints(pinned: nil, version: version).map(\.subject) == [.otherVersion, .otherVersion])
  }

  @Test(
    "a network core's version is compared where it has MCUboot's form",
    arguments: [(#","version":"7""#, []), (#","version":7"#, []), (#","version":"1.2.3+4""#, []), (#","version":"1.2.3+5""#, [.versionDiffers])]
      as [(String, [Complaint.Subject])])
  func otherVersion(more: String, expected: [Complaint.Subject]) throws {
    #expect(try load([("a.bin", "ecdsa-sha256.bin", more)]).complaints.map(\.subject) == expected)
  }
}
