import Bluetooth
import Testing

@testable import BlueZ

/// Golden bytes by hand from BlueZ doc/mgmt-api.txt ("Packet Structures", 0x0035, 0x0044, 0x0045) and from the rig's mgmt.py, which the kernel accepted.
struct ManagementCodecTests {
  static let board = BluetoothAddress(bits: 0xC0DE_0000_0005)

  @Test("Read PHY Configuration has no parameters")
  func readPHY() {
    #expect(PHYConfiguration.read(3).packet == [0x44, 0x00, 0x03, 0x00, 0x00, 0x00])
  }

  @Test("Set PHY Configuration carries one mask: mgmt.py's `0 set-phy 0x1e00`")
  func setPHY() {
    #expect(PHYConfiguration.set(0x1E00, 0).packet == [0x45, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x1E, 0x00, 0x00])
  }

  @Test("Load Connection Parameters: mgmt.py's `0 load-params C0:DE:00:00:00:05 2 12 12 0 400`, and a public board beside it")
  func load() throws {
    let wishes = RadioParameters(connectionInterval: .milliseconds(15), supervisionTimeout: .seconds(4))
    let parameters = try #require(ConnectionParameters(wishes))
    let boards = [
      ConnectionParameters.Board(address: Self.board, type: .random),
      ConnectionParameters.Board(address: BluetoothAddress(bits: 0x001B_DC01_0203), type: .public),
    ]
    #expect(
      parameters.load(for: boards, 1).packet == [
        0x35, 0x00, 0x01, 0x00, 0x20, 0x00, 0x02, 0x00,
        0x05, 0x00, 0x00, 0x00, 0xDE, 0xC0, 0x02, 0x0C, 0x00, 0x0C, 0x00, 0x00, 0x00, 0x90, 0x01,
        0x03, 0x02, 0x01, 0xDC, 0x1B, 0x00, 0x01, 0x0C, 0x00, 0x0C, 0x00, 0x00, 0x00, 0x90, 0x01,
      ])
  }

  static let wishes: [(RadioParameters, ClosedRange<UInt16>?, UInt16)] = [
    (.kernel, nil, 0),
    (RadioParameters(phy: .twoM), nil, 0),
    (RadioParameters(connectionInterval: .microseconds(7500)), 6...6, 42),
    (RadioParameters(supervisionTimeout: .seconds(4)), 24...40, 400),
    // The kernel's 420 ms would not be longer than two intervals of 250 ms.
    (RadioParameters(connectionInterval: .milliseconds(250)), 200...200, 51),
    (RadioParameters(connectionInterval: .seconds(9), supervisionTimeout: .seconds(90)), 3200...3200, 3200),
    (RadioParameters(connectionInterval: .zero, supervisionTimeout: .zero), 6...6, 10),
  ]

  @Test("what is not wished is the kernel's, what is wished is held within the specification's bounds", arguments: wishes)
  func parameters(_ wish: RadioParameters, _ intervals: ClosedRange<UInt16>?, _ timeout: UInt16) {
    let parameters = ConnectionParameters(wish)
    #expect(parameters?.intervals == intervals)
    if let parameters { #expect(parameters.timeout == timeout) }
  }

  /// Masks as the kernel gives them: LE only (the rig's, facts/bluez.md §4), dual mode with all of BR/EDR, an adapter of Bluetooth 4.2.
  static let adapters: [(what: String, supported: UInt32, configurable: UInt32, selected: UInt32, twoM: UInt32?, oneM: UInt32?)] = [
    ("LE only", 0x1E00, 0x1800, 0x0600, 0x1E00, 0x0600),
    ("LE only, 2M on", 0x1E00, 0x1800, 0x1E00, 0x1E00, 0x0600),
    // BR 1M 1-slot (bit 0) and LE 1M (9, 10) are not configurable and must stay.
    ("dual mode", 0x1FFF, 0x19FE, 0x07FF, 0x1FFF, 0x07FF),
    ("dual mode, EDR 3M off", 0x1FFF, 0x19FE, 0x063F, 0x1E3F, 0x063F),
    ("coded on", 0x7E00, 0x7800, 0x6600, 0x7E00, 0x6600),
    ("a fixed bit that is not on", 0x1FFF, 0x19FE, 0x01FF, 0x1FFF, 0x07FF),
    ("without 2M", 0x07FF, 0x01FE, 0x07FF, nil, 0x07FF),
    ("2M for ever", 0x1E00, 0x0000, 0x1E00, 0x1E00, nil),
  ]

  @Test("2M is added to, or taken from, what is on; everything else stays", arguments: adapters)
  func selection(_ row: (what: String, supported: UInt32, configurable: UInt32, selected: UInt32, twoM: UInt32?, oneM: UInt32?)) {
    let configuration = PHYConfiguration(supported: row.supported, configurable: row.configurable, selected: row.selected)
    #expect(configuration.selection(for: .twoM) == row.twoM)
    #expect(configuration.selection(for: .oneM) == row.oneM)
  }

  @Test("the answer to Read PHY Configuration: supported, configurable, selected")
  func readAnswer() {
    let answer: [UInt8] = [0xFF, 0x1F, 0x00, 0x00, 0xFE, 0x19, 0x00, 0x00, 0xFF, 0x07, 0x00, 0x00]
    #expect(PHYConfiguration(answer) == PHYConfiguration(supported: 0x1FFF, configurable: 0x19FE, selected: 0x07FF))
    for length in 0..<12 { #expect(PHYConfiguration(Array(answer.prefix(length))) == nil) }
  }

  // MARK: Events

  static let complete: [UInt8] = [0x01, 0x00, 0x00, 0x00, 0x04, 0x00, 0x35, 0x00, 0x00, 0xAA]
  static let refusal: [UInt8] = [0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x45, 0x00, 0x0B]

  @Test("answers are told apart; a packet cut anywhere is none")
  func events() {
    #expect(ManagementEvent(Self.complete) == .complete(code: 0x35, index: 0, status: 0, parameters: [0xAA]))
    #expect(ManagementEvent(Self.refusal) == .status(code: 0x45, index: 0, status: 0x0B))
    #expect(ManagementEvent([0x06, 0x00, 0x01, 0x00, 0x04, 0x00, 1, 2, 3, 4]) == .other)
    for length in Self.complete.indices { #expect(ManagementEvent(Array(Self.complete.prefix(length))) == nil) }
    for length in Self.refusal.indices { #expect(ManagementEvent(Array(Self.refusal.prefix(length))) == nil) }
    #expect(ManagementEvent(Self.complete + [0]) == nil)
    #expect(ManagementEvent([0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x35, 0x00]) == nil)
  }

  @Test("only the answer with the command's code and index ends the exchange")
  func exchange() {
    var exchange = ManagementExchange()
    #expect(exchange.receive(Self.complete) == .ignore)
    let command = ManagementCommand(code: 0x35, index: 0, parameters: [])
    #expect(exchange.begin(command) == command.packet)
    #expect(exchange.begin(command) == nil)
    // Another command's answer, another adapter's, an event, rubbish.
    #expect(exchange.receive(Self.refusal) == .ignore)
    #expect(exchange.receive([0x01, 0x00, 0x01, 0x00, 0x03, 0x00, 0x35, 0x00, 0x00]) == .ignore)
    #expect(exchange.receive([0x12, 0x00, 0x00, 0x00, 0x00, 0x00]) == .ignore)
    #expect(exchange.receive([]) == .ignore)
    #expect(exchange.receive(Self.complete) == .answer(.success([0xAA])))
    #expect(exchange.receive(Self.complete) == .ignore)
    #expect(exchange.begin(ManagementCommand(code: 0x45, index: 0, parameters: [])) != nil)
    #expect(exchange.receive(Self.refusal) == .answer(.failure(.refused(0x0B))))
    #expect(exchange.begin(command) != nil)
    exchange.giveUp()
    #expect(exchange.receive(Self.complete) == .ignore)
  }

  @Test("permission denied (0x14) is told apart from the kernel's other refusals")
  func statuses() {
    #expect(ManagementFailure(status: 0) == nil)
    #expect(ManagementFailure(status: 0x14) == .notPermitted)
    #expect(ManagementFailure(status: 0x0F) == .refused(0x0F))
    #expect(ManagementFailure.refused(0x0F).words == "the kernel refused it: not powered")
    #expect(ManagementFailure.refused(0xEE).words == "the kernel refused it: status 238")
  }
}
