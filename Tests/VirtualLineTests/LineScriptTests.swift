import Bluetooth
import FoundationEssentials
import Testing

@testable import VirtualLine

/// The faults file: what it may say, what is refused, and what it does to the boards of a line.
struct LineScriptTests {
  private func decode(_ text: String) throws -> LineScript {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    return try decoder.decode(LineScript.self, from: Data(text.utf8))
  }

  @Test func everyPart() throws {
    let script = try decode(
      """
      {
        // JSON5: comments are allowed.
        boards: [
          { board: "*", settings: { bufferCount: 2, eraseMilliseconds: 5 } },
          { board: 1, settings: { reassembly: false, mtu: 185, smpVersion: 1, hash: 18, bootMode: 2 }, faults: [{ do: "dropLink", offset: 50000 }] },
          { board: "C0:DE:00:00:00:02", faults: [{ do: "loseAnswer", count: 3, times: 2, group: 1, command: 1 }] },
        ],
        line: [{ do: "unplug", adapter: 1, when: { board: 2, bytes: 50000 }, milliseconds: 2000 }],
        radio: { intervalMilliseconds: 7.5, phy: "1M", dataLength: 27, supervisionMilliseconds: 1000 },
      }
      """)
    let plain = script.entry(number: 0, address: BluetoothAddress(bits: 0xC0DE_0000_0001))
    #expect(plain.settings?.bufferCount == 2)
    #expect(plain.settings?.mtu == 498)
    #expect(plain.faults.isEmpty)
    let special = script.entry(number: 1, address: BluetoothAddress(bits: 0xC0DE_0000_0002))
    #expect(special.settings?.mtu == 185)
    #expect(special.settings?.bufferCount == 4)
    #expect(special.settings?.bootMode == .overwrite)
    #expect(special.faults.map(\.do) == [.dropLink, .loseAnswer])
    #expect(script.line?.first?.when.bytes == 50000)
    #expect(script.radio?.phy == .le1M)
  }

  /// A word of `SMPKind`, changed by the other keys.
  @Test func boardsByTheirKind() throws {
    let script = try decode(
      """
      { boards: [
        { board: 0, settings: { kind: "multi", version: "1.5.0" } },
        { board: 1, settings: { kind: "xip-revert", slotSize: 65536, slotAddress: 0 } },
        { board: 2, settings: { images: [{}, { version: "3.0.0", hash: 18, listing: "noHash", bootMode: 2, active: false }] } },
        { board: 3, settings: { kind: "loader", loader: { name: "L", version: "0.1.0", sameAddress: true, information: false }, storage: { "a/b": "c" } },
          faults: [{ do: "spoilImage", image: 0 }] },
      ] }
      """)
    #expect(script.complaint(adapters: 1, boards: 4) == nil)
    let settings = (0..<4).map { script.entry(number: $0, address: BluetoothAddress(bits: 0)).settings }
    #expect(settings[0]?.imageCount == 2)
    #expect(settings[0]?.image(1).listing == ImageListing.none)
    #expect(settings[0]?.version == "1.5.0")
    #expect(settings[0]?.kind == .smp)
    #expect(settings[1]?.bootMode == .directXIPRevert)
    #expect(settings[1]?.slotAddresses(of: 0) == [0, 65536])
    #expect(settings[2]?.image(1).version == "3.0.0")
    #expect(settings[2]?.digest(of: 1) == .sha512)
    #expect(settings[3]?.loader.sameAddress == true)
    #expect(settings[3]?.storage == ["a/b": "c"])
    #expect(script.entry(number: 3, address: BluetoothAddress(bits: 0)).faults.first?.image == 0)
  }

  @Test func aLineOfOneKind() throws {
    var options = LineOptions(state: "/tmp/unused")
    (options.boards, options.kind, options.imageSize) = (3, .multi, 4096)
    let boards = try LineBoards.make(options, LineScript()).compactMap { $0 as? VirtualBoard }
    #expect(boards.map { $0.flash.images.count } == [2, 2, 2])
    let places = boards.map { $0.flash.images[1].slots[0].image?.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    #expect(Set(places).count == 1)
    options.kind = .loader
    let loaders = try LineBoards.make(options, LineScript())
    #expect(Set(loaders.flatMap(\.addresses)).count == 6)
  }

  @Test(arguments: [
    "{ boards: [{ board: 1, settings: { mtuu: 23 } }] }", "{ boards: [{ board: 1, settings: { kind: \"tripleslot\" } }] }",
    "{ boards: [{ board: 1, settings: { images: [{ sise: 3 }] } }] }", "{ boards: [{ board: 1, settings: { loader: { nam: \"x\" } } }] }",
    "{ boards: [{ board: 1, settings: { images: [{ listing: \"half\" }] } }] }", "{ boards: [{ board: 1, settings: { bootMode: 10 } }] }",
    "{ boards: [{ board: 1, faults: [{ do: \"explode\" }] }] }", "{ boards: [{ board: \"first\" }] }",
    "{ boards: [{ board: 1, faults: [{ do: \"busy\", ofset: 3 }] }] }", "{ boreds: [] }", "{ line: [{ do: \"unplug\", adapter: 0 }] }",
    "{ line: [{ do: \"fallIll\", when: { board: 0, bytes: 1 } }] }",
    "{ line: [{ do: \"fallIll\", adapter: 0, when: { board: 0, bytes: 1 }, healedBy: \"prayer\" }] }",
    "{ line: [{ do: \"unplug\", adapter: 0, when: { board: 1, bites: 3 } }] }", "{ radio: { phy: \"3M\" } }", "[]", "",
  ])
  func whatIsNotUnderstoodIsRefused(_ text: String) {
    #expect(throws: (any Error).self) { try decode(text) }
  }

  @Test func aFileThatIsNotThereIsNamed() {
    var options = LineOptions(state: "/tmp/unused")
    options.faults = "/nonexistent/faults.json"
    #expect(throws: LineError.self) { try LineBoards.script(options) }
  }

  @Test(arguments: [
    ("{ boards: [{ board: 9 }] }", "boards[0]: there is no board 9, only 0 to 3"),
    ("{ boards: [{ board: 0, settings: { bufferSize: -1 } }] }", "boards[0]: bufferSize: -1 is not from 8 to 65535"),
    ("{ boards: [{ board: 0, settings: { bufferCount: 0 } }] }", "boards[0]: bufferCount: 0 is not from 1 to 64"),
    ("{ boards: [{ board: 0, settings: { slotSize: -5 } }] }", "boards[0]: slotSize: -5 is not from 4096 to 16777216"),
    (
      "{ boards: [{ board: 0, settings: { swapMilliseconds: 9223372036854775807 } }] }",
      "boards[0]: swapMilliseconds: 9223372036854775807 is not from 0 to 3600000"
    ),
    ("{ boards: [{ board: 0, settings: { version: \"one\" } }] }", "boards[0]: version: \"one\" is not like 1.2.3"),
    ("{ boards: [{ board: 0, settings: { hash: 7 } }] }", "boards[0]: hash: 7 is not 16 (SHA-256), 17 (SHA-384) or 18 (SHA-512)"),
    ("{ boards: [{ board: 0, settings: { images: [{}, {}, {}, {}, {}] } }] }", "boards[0]: images: 5 are too many, there may be 4"),
    (
      "{ boards: [{ board: 0, settings: { images: [{ listing: \"none\" }] } }] }", "boards[0]: images[0]: listing: the application's own image is always listed"
    ),
    (
      "{ boards: [{ board: 0, settings: { bootMode: 4, images: [{}, { bootMode: 2 }] } }] }",
      "boards[0]: images[1]: bootMode: 2 cannot be beside 4: only 2 beside a mode that swaps"
    ),
    ("{ boards: [{ board: 0, settings: { kind: \"loader\", images: [{}, {}] } }] }", "boards[0]: images[1]: a board with a firmware loader has one image"),
    ("{ boards: [{ board: 0, settings: { slotAddress: -1 } }] }", "boards[0]: slotAddress: -1 is not from 0 to 1879048192"),
    ("{ boards: [{ board: 0, settings: { loader: { name: \"\" } } }] }", "boards[0]: loader: name: \"\" is not 1 to 29 bytes"),
    ("{ boards: [{ board: 0, faults: [{ do: \"busy\", image: 1 }] }] }", "boards[0]: busy: image: only uploaded bytes, erases and resets know an image"),
    ("{ boards: [{ board: 0, faults: [{ do: \"spoilImage\", image: 4 }] }] }", "boards[0]: spoilImage: image: 4 is not from 0 to 3"),
    ("{ boards: [{ board: 0, faults: [{ do: \"smallMTU\", mtu: 5 }] }] }", "boards[0]: smallMTU: mtu: 5 is not from 23 to 517"),
    ("{ radio: { intervalMilliseconds: NaN } }", "radio: intervalMilliseconds: nan is not from 1.0 to 4000.0"),
    ("{ line: [{ do: \"fallIll\", adapter: 2, when: { board: 0, bytes: 1 } }] }", "line[0]: there is no adapter 2, only 0 to 1"),
    ("{ line: [{ do: \"unplug\", adapter: 2, when: { board: 0, bytes: 1 } }] }", "line[0]: there is no adapter 2, only 0 to 1"),
    ("{ line: [{ do: \"stackAway\", when: { board: 4, boots: 1 } }] }", "line[0]: there is no board 4, only 0 to 3"),
  ])
  func whatCannotBeIsSaid(_ text: String, _ complaint: String) throws {
    #expect(try decode(text).complaint(adapters: 2, boards: 4) == complaint)
  }

  @Test func boardsAreDistinctAndShareTheirFirmware() throws {
    var options = LineOptions(state: "/tmp/unused")
    options.boards = LineOptions.boardLimit
    let boards = try LineBoards.make(options, LineScript()).compactMap { $0 as? VirtualBoard }
    #expect(Set(boards.map(\.identity.address)).count == 4096)
    #expect(Set(boards.map(\.identity.serial)).count == 4096)
    #expect(boards.allSatisfy { !$0.identity.address.isPrivate(.random) })
    #expect(boards.first?.identity.name == "VLINE-0001")
    #expect(boards.last?.identity.address.description == "C0:DE:00:00:10:00")
    let addresses = Set(boards.map { $0.flash.slots[0].image?.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } })
    #expect(addresses.count == 1)
  }

  @Test(arguments: [(0, 1), (17, 1), (1, 0), (1, 4097)])
  func optionsHaveLimits(_ adapters: Int, _ boards: Int) {
    var options = LineOptions(state: "/tmp/x")
    options.adapters = adapters
    options.boards = boards
    #expect(throws: LineError.self) { try options.check() }
  }

  @Test func lineFaultsAreDueOnce() {
    let fault = LineFault(do: .loseLinks, adapter: 0, when: LineFault.Condition(board: 2, bytes: 1000))
    var script = LineFaultScript([fault])
    #expect(script.due(board: 2, .init(bytes: 999, connections: 1, boots: 0)).isEmpty)
    #expect(script.due(board: 1, .init(bytes: 5000, connections: 1, boots: 0)).isEmpty)
    #expect(script.due(board: 2, .init(bytes: 1000, connections: 1, boots: 0)) == [fault])
    #expect(script.due(board: 2, .init(bytes: 2000, connections: 1, boots: 0)).isEmpty)
  }

  /// The first byte of the last chunk counts: an offset is reached when a chunk goes past it.
  @Test(arguments: [(999, false), (1000, false), (1001, true)])
  func offsetsArePassed(_ reached: Int, _ fires: Bool) {
    var script = FaultScript([BoardFault(.dropLink, offset: 1000)])
    #expect(script.at(.data, .init(group: 1, command: 1, reached: reached)).isEmpty != fires)
  }
}

/// Object paths of bluetoothd (BlueZ doc/org.bluez.Device.rst) and back.
struct StackObjectTests {
  static let address = BluetoothAddress(bits: 0xC0DE_0000_000A)

  @Test(arguments: [
    ("/", StackObject.root), ("/org/bluez", .stack), ("/org/bluez/hci12", .adapter(hci: 12)),
    ("/org/bluez/hci0/dev_C0_DE_00_00_00_0A", .board(hci: 0, address)),
    ("/org/bluez/hci0/dev_C0_DE_00_00_00_0A/service000a", .service(hci: 0, address, handle: 10)),
    ("/org/bluez/hci0/dev_C0_DE_00_00_00_0A/service0020/char0021", .characteristic(hci: 0, address, service: 32, handle: 33)),
  ])
  func bothWays(_ path: String, _ object: StackObject) {
    #expect(StackObject(path: path) == object)
    #expect(object.path == path)
  }

  @Test(arguments: [
    "", "/org", "/org/bluez/", "/org/bluez/hci", "/org/bluez/hci-1", "/org/bluez/hcix", "/org/bluez/hci0/dev_C0", "/org/bluez/hci0/C0_DE_00_00_00_0A",
    "/org/bluez/hci0/dev_C0_DE_00_00_00_0A/service", "/org/bluez/hci0/dev_C0_DE_00_00_00_0A/service0020/char0021/desc0022", "/org/bluez/hci99999",
  ])
  func others(_ path: String) {
    #expect(StackObject(path: path) == nil)
  }
}
