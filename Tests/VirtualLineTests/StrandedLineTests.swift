import Bluetooth
import DBus
import Firmware
import FoundationEssentials
import Testing

@testable import VirtualLine

/// Stranded boards on the `org.bluez` service, and the packages that heal them.
struct StrandedLineTests {
  private static let path = "/org/bluez/hci0/dev_C0_DE_80_00_02_01"

  /// A board in MetaBoot through a real connection: read, write with a response, receipts by a socket, another database after Activate.
  @Test(.timeLimit(.minutes(1))) func aRescueOnTheBus() async throws {
    var settings = StrandedBoards.settings(0)
    settings.dfu.pageEraseMilliseconds = 1
    let script = LineScript(boards: [.init(board: .number(1), settings: settings)])
    try await StackBench.with(adapters: 1, boards: 2, script: script) { bench in
      let added = try await bench.signals("InterfacesAdded")
      let changes = try await bench.signals("PropertiesChanged")
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "StartDiscovery")
      let found = try #require(await added.first { $0.arguments.first?.text == Self.path })
      let values = try #require(found.arguments.last?.entries?.first?.value.properties)
      #expect(values["Name"]?.text == "MetaBoot")
      #expect(values["UUIDs"]?.elements?.compactMap(\.text) == ["00001530-1212-efde-1523-785feabcd123"])
      try await bench.call("/org/bluez/hci0", StackFaces.adapter, "StopDiscovery")
      try await bench.call(Self.path, StackFaces.board, "Connect")
      _ = try #require(await changes.first { $0.path == Self.path && $0.arguments[1].properties?["ServicesResolved"]?.truth == true })
      let (control, packets, version) = (Self.path + "/service0020/char0021", Self.path + "/service0020/char0024", Self.path + "/service0020/char0027")
      #expect(try await bench.call(version, StackFaces.characteristic, "ReadValue", [StackBench.noOptions]).first?.octets == [8, 0])
      let request = DBusValue.properties(["type": .string("request")])
      // Without a subscriber: ATT error FD.
      #expect(await bench.failure(control, StackFaces.characteristic, "WriteValue", [.bytes([1, 4]), request]) == "org.bluez.Error.Failed")
      let reader = try #require(try await bench.call(control, StackFaces.characteristic, "AcquireNotify", [StackBench.noOptions]).first?.openDescriptor)
      let writer = try #require(try await bench.call(packets, StackFaces.characteristic, "AcquireWrite", [StackBench.noOptions]).first?.openDescriptor)
      try await bench.call(control, StackFaces.characteristic, "WriteValue", [.bytes([1, 4]), request])
      #expect(StackBench.transmit(bytes("000000000000000090010000"), to: writer))
      #expect(try await StackBench.receive(reader) == [0x10, 1, 1])
      try await bench.call(control, StackFaces.characteristic, "WriteValue", [.bytes([6]), request])
      #expect(try await StackBench.receive(reader) == nil)
      let truth = try #require(await bench.host.truth().boards.last)
      #expect(truth.kind == .metawear && truth.dfu?.writes == 4 && truth.bootloader == "0.3.3")
    }
  }

  @Test func strandedBoardsDiffer() throws {
    var options = LineOptions(state: "/tmp/unused")
    (options.boards, options.stranded) = (2, 6)
    let boards = try LineBoards.make(options, LineScript()).compactMap { $0 as? DFUBoard }
    #expect(boards.map(\.bootloader) == ["0.3.3", "0.2.1", "0.3.1", "0.3.2", "0.2.2", "0.3.3"])
    #expect(boards.map(\.identity.address.description).first == "C0:DE:80:00:03:01")
    #expect(boards.allSatisfy { !$0.isApplicationValid })
    var faces: [BoardFace] = []
    for var board in boards {
      _ = board.powerOn()
      faces.append(board.face)
    }
    #expect(faces.allSatisfy { $0.name == "MetaBoot" && $0.services == [.legacyDFU] })
  }

  /// The rig's boards read the same block (Tests/RealStack/boards/mcuboot.py, `metadata_block`).
  @Test func metadata() throws {
    let metadata = ImageMetadata(version: "1.4.5", requiresBootloader: "0.3.3")
    let python = [0] + Array("FLASHLINE-APP".utf8) + [0x34, 0] + Array(#"{"requires_bootloader": "0.3.3", "version": "1.4.5"}"#.utf8)
    #expect(ImageMetadata(in: [1, 2, 0, 0] + python + [0, 0]) == metadata)
    #expect(ImageMetadata(in: [7] + (try metadata.block())) == metadata)
    #expect(ImageMetadata(in: Array(python.dropLast())) == nil)
  }

  /// The whole chain by hand, from 0.2.1: each stage brings the bootloader on, the last one the application.
  @Test func theChainHealsTheWorstBoard() throws {
    let files = try RescueFirmware.files()
    #expect(files.count == 6)
    var bench = DFUBench(.metawear, hardware: "0.2") { $0 = StrandedBoards.settings(1).dfu }
    let stages: [(DFUPart, ImageMetadata, String)] = [
      (.bootloader, ImageMetadata(version: "0.2.2"), "0.2.2"), (.both, ImageMetadata(version: "0.3.1", softDevice: 0x8C), "0.3.1"),
      (.bootloader, ImageMetadata(version: "0.3.2"), "0.3.2"), (.bootloader, ImageMetadata(version: "0.3.3"), "0.3.3"),
      (.application, ImageMetadata(version: "1.4.5", requiresBootloader: "0.3.3"), "0.3.3"),
    ]
    for (part, metadata, after) in stages {
      let image = try RescueFirmware.image(2000, metadata)
      bench.connect()
      _ = bench.control("01" + hex([part.rawValue]))
      let half = LittleEndian.bytes(1000)
      let none = LittleEndian.bytes(0)
      let sizes = part == .both ? half + half + none : part == .bootloader ? none + LittleEndian.bytes(2000) + none : none + none + LittleEndian.bytes(2000)
      #expect(bench.packet(sizes, within: .seconds(10)) == ["N 100101"])
      _ = bench.control("0200")
      _ = bench.packet(RescueFirmware.initPacket(image))
      #expect(bench.control("0201") == ["R", "N 100201"])
      _ = bench.control("03")
      for start in stride(from: 0, to: image.count, by: 20) { _ = bench.packet(Array(image[start..<start + 20]), within: .milliseconds(15)) }
      #expect(bench.control("04") == ["R", "N 100401"])
      _ = bench.control("05", within: .seconds(10))
      #expect(bench.board.bootloader == after)
    }
    #expect(bench.board.mode == .application && bench.board.application?.version == "1.4.5")
  }

  /// A package as the program's own reader of archives sees it (libzip).
  @Test func packagesAreArchives() throws {
    let files = try RescueFirmware.files()
    let archive = try #require(files["0.2/6/bootloader/0.3.1/sd_bl.zip"])
    #expect(archive.prefix(4) == [0x50, 0x4B, 3, 4])
    let text = String(decoding: archive, as: UTF8.self)
    #expect(text.contains("\"sd_size\":4000") && text.contains("softdevice_bootloader.dat") && text.contains("\"dfu_version\":0.5"))
  }
}
