import Testing

@testable import VirtualLine

/// The board's server answers with the very bytes of real servers. Sources: smp.md §1.1 and §1.3, device-manager.md §9.
struct BoardFrameTests {
  struct Exchange: Sendable, CustomTestStringConvertible {
    var name: String
    var request: String
    var answer: String
    var settings = BoardSettings()

    var testDescription: String { name }
  }

  static let withoutParams: BoardSettings = {
    var settings = BoardSettings()
    settings.params = false
    return settings
  }()

  /// A build with os and image only.
  static let bare: BoardSettings = {
    var settings = BoardSettings()
    settings.groups.built = []
    return settings
  }()

  static let whole: BoardSettings = {
    var settings = BoardSettings()
    settings.reassembly = false
    return settings
  }()

  static let original: BoardSettings = {
    var settings = BoardSettings()
    settings.smpVersion = 1
    return settings
  }()

  static let canonical: BoardSettings = {
    var settings = BoardSettings()
    settings.canonical = true
    return settings
  }()

  static let exchanges = [
    Exchange(name: "echo, smp.md §1.1", request: "0a000009000001 00 a1616465 68656c6c6f", answer: "0b00000a00000100bf61726568656c6c6fff"),
    Exchange(name: "echo without payload, smp.md §1.2", request: "0a00000000000100", answer: "0b00000600000100bf62726303ff"),
    Exchange(name: "echo without d, smp.md §3.1", request: "0a00000100000100a0", answer: "0b00000500000100bf617260ff"),
    Exchange(
      name: "group error in version 2, smp.md §1.1", request: "0a00000100010101a0",
      answer: "0b0000130001 0101 bf63657272bf6567726f75700162726314ffff"),
    Exchange(name: "the same in version 1, smp.md §1.1", request: "0200000100010201a0", answer: "0300000600010201bf62726303ff"),
    Exchange(name: "reset in version 1, device-manager.md §9", request: "0200000200000005BFFF", answer: "0300000200000005BFFF"),
    Exchange(
      name: "params unsupported, device-manager.md §9", request: "0800000100000106a0", answer: "0900000600000106BF62726308FF", settings: withoutParams),
    Exchange(
      name: "params, request of device-manager.md §9", request: "0800000100004206A0",
      answer: "0900001900004206bf686275665f73697a651909ab696275665f636f756e7404ff"),
    Exchange(
      name: "bootloader name, device-manager.md §9", request: "0800000100000008A0",
      answer: "0900001500000008bf6a626f6f746c6f61646572674d4355626f6f74ff"),
    Exchange(
      name: "bootloader mode, device-manager.md §9", request: "0800000C00000208A1657175657279646D6F6465", answer: "0900000800000208bf646d6f646503ff"),
    Exchange(
      name: "erase of a slot that is not there, device-manager.md §9", request: "0A00000700010705A164736C6F7403",
      answer: "0b00001300010705bf63657272bf6567726f7570016272630affff"),
    Exchange(
      name: "settings are not built, device-manager.md §9", request: "0A00000100030903A0", answer: "0b00000600030903bf62726308ff",
      settings: bare),
    Exchange(
      name: "Memfault is not built, device-manager.md §9", request: "0800000100800A00A0", answer: "0900000600800a00bf62726308ff", settings: bare),
    Exchange(name: "a version from the future, smp.md §1.1", request: "1800000100000106a0", answer: "0900000600000106bf6272630dff"),
    Exchange(name: "a response sent to a server, smp.md §1.3", request: "0900000100000106a0", answer: "0900000600000106bf62726308ff"),
    Exchange(
      name: "a header longer than the packet, smp.md §1.3", request: "0800000900000106a0", answer: "0900000600000106bf62726309ff",
      settings: whole),
    Exchange(
      name: "a request map without a length, smp.md §1.2", request: "0a00000a00000100bf6164 65 68656c6c6fff", answer: "0b00000a00000100bf61726568656c6c6fff"),
    Exchange(name: "a wrong type, smp.md §1.2", request: "0a00000400000100a1616401", answer: "0b00000600000100bf62726303ff"),
    Exchange(name: "reset ignores what it cannot read, smp.md §1.2", request: "0a00000800000005a165666f72636501", answer: "0b00000200000005bfff"),
    Exchange(name: "datetime before it is set, smp.md §1.5", request: "0800000100000004a0", answer: "0900001300000004bf63657272bf6567726f7570006272630 4ffff"),
    Exchange(
      name: "answers with a length, smp.md §1.2", request: "0800000C00000208A1657175657279646D6F6465", answer: "0900000700000208a1646d6f646503",
      settings: canonical),
    Exchange(name: "a server before version 2, smp.md §1.1", request: "0a00000100010201a0", answer: "0300000600010201bf62726303ff", settings: original),
  ]

  @Test(arguments: exchanges)
  func answers(_ exchange: Exchange) {
    var bench = BoardBench(exchange.settings)
    #expect(bench.connect() == 498)
    #expect(bench.ask(exchange.request) == hex(bytes(exchange.answer)))
  }

  /// McuMgrResponseTest, "two slots, 252 B" (device-manager.md §9).
  @Test func imageListIsTheRecordedOne() {
    let first = bytes("0D4F2C73D8581CE93015A2DAE6387399F0201C3C0C5615F0DD7A2D49CDF346B2")
    let second = bytes("3AA147C63CD8E871104F7EBB1CD0B2E742D83DD79A581CB5AE0E05DB79444799")
    let golden =
      "010000F400010000BF66696D616765739FBF64736C6F74006776657273696F6E65332E302E30646861736858200D4F2C73D8581CE93015A2DAE6387399F0201C3C0C5615F0DD"
      + "7A2D49CDF346B268626F6F7461626C65F56770656E64696E67F469636F6E6669726D6564F566616374697665F5697065726D616E656E74F4FFBF64736C6F74016776657273696F"
      + "6E65332E302E30646861736858203AA147C63CD8E871104F7EBB1CD0B2E742D83DD79A581CB5AE0E05DB7944479968626F6F7461626C65F56770656E64696E67F469636F6E6669"
      + "726D6564F466616374697665F4697065726D616E656E74F4FFFF6B73706C697453746174757300FF"
    var bench = BoardBench(image: image(hash: first))
    // Nothing runs with a hash that does not fit; the list still says what the TLV says.
    #expect(!bench.board.advertises)
    bench.board = board(image(hash: first), image(hash: second))
    #expect(bench.connect() != nil)
    #expect(bench.ask("0000000100010000a0") == hex(bytes(golden)))
  }

  /// An image of version 3.0.0 whose hash TLV is given.
  private func image(hash: [UInt8]) -> [UInt8] {
    bytes("3db8f396 00000000 2000 0000 20000000 00000000 03 00 0000 00000000 00000000") + [UInt8](repeating: 7, count: 32) + bytes("07692800 1000 2000") + hash
  }

  /// A board that was started with good firmware and then holds two images whose hashes are as recorded.
  private func board(_ first: [UInt8], _ second: [UInt8]) -> VirtualBoard {
    var bench = BoardBench()
    _ = bench.connect()
    bench.upload(second)
    bench.board.disconnected()
    if let image = StoredImage(first) { bench.board.plant(image) }
    return bench.board
  }
}
